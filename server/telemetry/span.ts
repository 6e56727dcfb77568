import { randomUUID } from 'node:crypto';
import type { Meters } from './meters.ts';

/** By the names of OpenTelemetry's semantic conventions where they have one. Never secrets: traces leave the machine. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'internal' | 'server' | 'consumer';

/** Who caused it, as in W3C's `traceparent`. */
export interface SpanParent {
  /** 32 and 16 hexadecimal digits. */
  traceId: string;
  spanId: string;
  sampled: boolean;
}

/** A span that has ended. Instants in ms UTC, fractions and all. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: SpanKind;
  startedAt: number;
  endedAt: number;
  attributes: Record<string, string | number | boolean>;
  /** The name of the error; null where all went well. */
  failure: string | null;
}

export interface SpanOptions {
  attributes: Attributes;
  kind?: SpanKind;
  /** ms UTC; now where absent. */
  startedAt?: number;
}

export interface OpenSpan {
  readonly traceId: string;
  child(name: string, options: SpanOptions): OpenSpan;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Only the error's name and code are told: messages may quote what nobody else should read. */
  fail(error: unknown): void;
  /** Now where `at` (ms UTC) is absent. */
  end(at?: number): void;
}

export interface Tracer {
  /** null where this one is not sampled. `parent`: null where it begins here. */
  start(name: string, options: SpanOptions & { parent: SpanParent | null }): OpenSpan | null;
}

export interface TracerOptions {
  /** Of those that begin here, how many are traced; in [0, 1]. Others do as their parent does. */
  ratio: number;
  onEnd: (span: Span) => void;
}

/** By the monotonic clock, so that no span ends before it began. */
const now = (): number => performance.timeOrigin + performance.now();

export function createTracer({ ratio, onEnd }: TracerOptions): Tracer {
  return {
    start(name, { parent, ...options }) {
      const traceId = parent?.traceId ?? randomUUID().replaceAll('-', '');
      if (!(parent?.sampled ?? isSampled(traceId, ratio))) return null;
      return open({ traceId, parentSpanId: parent?.spanId ?? null }, name, options, onEnd);
    },
  };
}

/** By the id, so that every process says the same of one trace. */
function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
}

function open(
  { traceId, parentSpanId }: Pick<Span, 'traceId' | 'parentSpanId'>,
  name: string,
  { attributes, kind = 'internal', startedAt = now() }: SpanOptions,
  onEnd: TracerOptions['onEnd'],
): OpenSpan {
  const spanId = newSpanId();
  const span: Span = {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    startedAt,
    endedAt: startedAt,
    attributes: { ...attributes },
    failure: null,
  };
  let isOver = false;
  return {
    traceId,
    child: (childName, options) => open({ traceId, parentSpanId: spanId }, childName, options, onEnd),
    rename: (newName) => void (span.name = newName),
    set: (more) => void Object.assign(span.attributes, more),
    fail(error) {
      span.failure = error instanceof Error ? error.name : 'Error';
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
      span.attributes['error.type'] = typeof code === 'string' ? code : span.failure;
    },
    end(at = now()) {
      if (isOver) return;
      isOver = true;
      span.endedAt = at;
      onEnd(span);
    },
  };
}

/** Node draws many of these at once, which costs a tenth of asking for a few bytes each time. */
function newSpanId(): string {
  const id = randomUUID();
  return id.slice(0, 8) + id.slice(-8);
}

/** `traceparent` (W3C Trace Context 1 §3.2); null where there is none, or none that is valid. */
export function parseTraceparent(header: string | undefined): SpanParent | null {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header ?? '') ?? [];
  const isNobody = /^0*$/.test(traceId) || /^0*$/.test(spanId);
  if (version === undefined || version === 'ff' || isNobody) return null;
  // Version 00 has nothing behind the flags; later ones may.
  if (version === '00' && header?.length !== 55) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Where traces go, from the variables that OpenTelemetry names. */
export interface TracingSettings {
  endpoint: URL;
  headers: Readonly<Record<string, string>>;
  resource: Readonly<Record<string, string>>;
  ratio: number;
  timeoutMs: number;
  delayMs: number;
}

export interface Tracing {
  tracer: Tracer;
  close(): Promise<void>;
}

/** Loads what sends traces, and only then. */
export async function createTracing(
  settings: TracingSettings,
  parts: { version: string; meters: Meters; onTrouble: (detail: string) => void },
): Promise<Tracing> {
  const { createOtlpExporter } = await import('./otlp.ts');
  const { ratio, ...receiver } = settings;
  const exporter = createOtlpExporter({
    ...receiver,
    scope: { name: 'certlantern', version: parts.version },
    onTrouble: parts.onTrouble,
    onSpans: parts.meters.spans,
  });
  return {
    tracer: createTracer({ ratio, onEnd: (span) => exporter.add(span) }),
    close: () => exporter.close(),
  };
}
