import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOtlpExporter } from './otlp.ts';
import { currentLogFields, isTraced, recordPastSpan, runInContext, withSpan } from './trace-context.ts';
import { createTracer, parseTraceparent, type Span } from './span.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

function tracerWithSpans(ratio = 1) {
  const spans: Span[] = [];
  return { spans, tracer: createTracer({ ratio, onEnd: (span) => void spans.push(span) }) };
}

describe('a trace', () => {
  it('has nested spans for nested steps, across awaits', async () => {
    const { spans, tracer } = tracerWithSpans();
    const root = tracer.start('check', { parent: null, attributes: {} });
    await runInContext({ fields: { monitor: 'm1' }, span: root }, async () => {
      await Promise.all([
        withSpan('observe', {}, async () => recordPastSpan({ name: 'resolve', startedAt: 1, endedAt: 2 })),
        withSpan('judge', { found: 2 }, async () => expect(currentLogFields()['monitor']).toBe('m1')),
      ]);
    });
    root?.end();
    const by = (name: string) => spans.find((span) => span.name === name);
    expect(by('observe')?.parentSpanId).toBe(by('check')?.spanId);
    expect(by('resolve')).toMatchObject({
      parentSpanId: by('observe')?.spanId,
      startedAt: 1,
      endedAt: 2,
    });
    expect(by('judge')?.attributes).toEqual({ found: 2 });
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  it('records the error type of a failed step, but not its message', async () => {
    const { spans, tracer } = tracerWithSpans();
    const root = tracer.start('check', { parent: null, attributes: {} });
    const failing = runInContext({ fields: {}, span: root }, () =>
      withSpan('record', {}, () => Promise.reject(new TypeError('hunter2'))),
    );
    await expect(failing).rejects.toThrow('hunter2');
    expect(spans[0]).toMatchObject({ failure: 'TypeError', attributes: { 'error.type': 'TypeError' } });
    expect(JSON.stringify(spans)).not.toContain('hunter2');
  });

  it('does not exist outside a traced context', async () => {
    expect(isTraced()).toBe(false);
    expect(await withSpan('judge', {}, async () => isTraced())).toBe(false);
    expect(currentLogFields()).toEqual({});
  });

  it('is sampled like its parent, or by the configured ratio if it has no parent', () => {
    const none = tracerWithSpans(0).tracer;
    expect(none.start('a', { parent: null, attributes: {} })).toBeNull();
    const parent = { traceId: TRACE_ID, spanId: SPAN_ID };
    expect(none.start('a', { parent: { ...parent, sampled: true }, attributes: {} })?.traceId).toBe(TRACE_ID);
    const all = tracerWithSpans().tracer;
    expect(all.start('a', { parent: { ...parent, sampled: false }, attributes: {} })).toBeNull();
    const half = tracerWithSpans(0.5).tracer;
    const sampled = Array.from({ length: 1_000 }, () => half.start('a', { parent: null, attributes: {} }));
    expect(Math.abs(sampled.filter((span) => span !== null).length - 500)).toBeLessThan(100);
  });
});

describe('a traceparent header', () => {
  it('is parsed into trace id, span id and sampling', () => {
    const parsed = { traceId: TRACE_ID, spanId: SPAN_ID, sampled: true };
    expect(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-01`)).toEqual(parsed);
    expect(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-02`)).toEqual({ ...parsed, sampled: false });
    expect(parseTraceparent(`cc-${TRACE_ID}-${SPAN_ID}-03-more`)).toEqual(parsed);
  });

  it.each([
    undefined,
    '',
    `00-${TRACE_ID}-${SPAN_ID}`,
    `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `00-${TRACE_ID}-${SPAN_ID}-01-more`,
  ])('is ignored if it is invalid: %s', (header) => {
    expect(parseTraceparent(header)).toBeNull();
  });
});

it('Spans that wait for their batch are exported when the process stops', async () => {
  const bodies: string[] = [];
  vi.stubGlobal('fetch', async (_url: URL, { body }: { body: string }) => {
    bodies.push(body);
    return new Response();
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const exporter = createOtlpExporter({
    endpoint: new URL('http://collector.example/v1/traces'),
    headers: {},
    resource: {},
    scope: { name: 'certlantern', version: '1' },
    timeoutMs: 1_000,
    delayMs: 60_000,
    onTrouble: () => undefined,
    onSpans: () => undefined,
  });
  const tracer = createTracer({ ratio: 1, onEnd: (span) => exporter.add(span) });
  tracer.start('last check', { parent: null, attributes: {} })?.end();
  expect(bodies).toEqual([]);
  await exporter.close();
  expect(bodies).toEqual([expect.stringContaining('last check')]);
});
