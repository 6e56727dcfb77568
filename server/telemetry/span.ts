import { randomUUID } from 'node:crypto';

/**
 * Attributes of a span. Names follow OpenTelemetry's semantic conventions or begin with `certlantern.`. Values must not be
 * secret, because traces leave the machine.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'internal' | 'server' | 'consumer';

/** Parent of a span, as in the W3C `traceparent` header. */
export interface SpanParent {
  /** Trace id, 32 hexadecimal digits. */
  traceId: string;
  /** Span id, 16 hexadecimal digits. */
  spanId: string;
  sampled: boolean;
}

/** A finished span. Times are ms UTC with fractions. */
export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  kind: SpanKind;
  startedAt: number;
  endedAt: number;
  attributes: Record<string, string | number | boolean>;
  /** Name of the error; null on success. */
  failure: string | null;
}

export interface SpanOptions {
  attributes: Attributes;
  kind?: SpanKind;
  /** Start of the span, ms UTC. Default: now. */
  startedAt?: number;
}

export interface OpenSpan {
  readonly traceId: string;
  child(name: string, options: SpanOptions): OpenSpan;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks the span as failed. Records only the error's name and code, because its message may quote private data. */
  fail(error: unknown): void;
  /** Ends the span at `at` (ms UTC, default: now). Later calls do nothing. */
  end(at?: number): void;
}

export interface Tracer {
  /** Starts a span; returns null if it is not sampled. `parent` is null if the trace starts here. */
  start(name: string, options: SpanOptions & { parent: SpanParent | null }): OpenSpan | null;
}

export interface TracerOptions {
  /**
   * Share of traces to sample among those that this process starts, in [0, 1]. Spans with a parent are sampled if the parent is.
   */
  ratio: number;
  onEnd: (span: Span) => void;
}

/** Returns ms UTC, computed from the monotonic clock, so that no span ends before it starts. */
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

/** Returns whether to sample a trace. Computes it from the trace id, so that all processes decide the same. */
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
  let isEnded = false;
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
      if (isEnded) return;
      isEnded = true;
      span.endedAt = at;
      onEnd(span);
    },
  };
}

/** Returns 16 random hexadecimal digits. Uses randomUUID, which draws from a pool and costs a tenth of randomBytes(8). */
function newSpanId(): string {
  const id = randomUUID();
  return id.slice(0, 8) + id.slice(-8);
}

/** Parses a `traceparent` header (W3C Trace Context 1 §3.2). Returns null if it is missing or invalid. */
export function parseTraceparent(header: string | undefined): SpanParent | null {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header ?? '') ?? [];
  const hasZeroId = /^0*$/.test(traceId) || /^0*$/.test(spanId);
  if (version === undefined || version === 'ff' || hasZeroId) return null;
  // Version 00 ends after the flags; later versions may add fields.
  if (version === '00' && header?.length !== 55) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
