import type { Span, SpanKind } from './span.ts';

/** Loaded only where traces are on. Spans as OTLP 1 over HTTP has them, in JSON, which every receiver of OTLP/HTTP takes. */

export interface OtlpOptions {
  /** The whole address of the receiver of traces. */
  endpoint: URL;
  headers: Readonly<Record<string, string>>;
  /** Of this process. */
  resource: Readonly<Record<string, string>>;
  scope: { name: string; version: string };
  timeoutMs: number;
  /** The longest that a span waits for others. */
  delayMs: number;
  /** Hears, once until it works again, that spans do not arrive. */
  onTrouble(detail: string): void;
  onSpans(outcome: 'exported' | 'dropped', count: number): void;
}

export interface OtlpExporter {
  add(span: Span): void;
  /** Sends what is left, for a second at most. */
  close(): Promise<void>;
}

const MOST_WAITING = 2_048;
const BATCH = 512;
const LAST_MS = 1_000;
/** What the protocol calls worth another try (OTLP 1, "Failures"). */
const PASSING = new Set([429, 502, 503, 504]);

/** Keeps spans until a batch is full or old enough. A receiver that is away costs memory up to a limit, then spans, and nothing else. */
export function createOtlpExporter(options: OtlpOptions): OtlpExporter {
  let waiting: Span[] = [];
  let sending: Promise<void> | null = null;
  let isInTrouble = false;
  const closing = new AbortController();
  const timer = setInterval(() => void flush(), options.delayMs);
  timer.unref();

  function trouble(detail: string): void {
    if (!isInTrouble) options.onTrouble(detail);
    isInTrouble = true;
  }

  /** Whether the batch is done with, delivered or not. */
  async function post(batch: readonly Span[]): Promise<boolean> {
    try {
      const response = await fetch(options.endpoint, {
        method: 'POST',
        headers: { ...options.headers, 'content-type': 'application/json' },
        body: JSON.stringify(exportRequest(batch, options)),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(options.timeoutMs), closing.signal]),
      });
      await response.body?.cancel();
      if (response.ok) {
        isInTrouble = false;
        options.onSpans('exported', batch.length);
        return true;
      }
      trouble(`The receiver of traces answers ${response.status}.`);
      if (PASSING.has(response.status)) return false;
      options.onSpans('dropped', batch.length);
      return true;
    } catch (error) {
      const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
      const code: unknown = cause instanceof Error ? (Reflect.get(cause, 'code') ?? cause.name) : 'no answer';
      trouble(`The receiver of traces is not reached (${String(code)}).`);
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      if (await post(batch)) continue;
      waiting = [...batch, ...waiting];
      shorten();
      return;
    }
  }

  /** The newest are of the most use. */
  function shorten(): void {
    const surplus = waiting.length - MOST_WAITING;
    if (surplus <= 0) return;
    waiting = waiting.slice(surplus);
    options.onSpans('dropped', surplus);
  }

  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = null;
    });
    return sending;
  }

  return {
    add(span) {
      waiting.push(span);
      if (waiting.length > MOST_WAITING) shorten();
      if (waiting.length >= BATCH && !isInTrouble) void flush();
    },
    async close() {
      clearInterval(timer);
      setTimeout(() => closing.abort(), LAST_MS).unref();
      await sending;
      await flush();
    },
  };
}

const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, consumer: 5 };
const STATUS_ERROR = 2;

function exportRequest(spans: readonly Span[], { resource, scope }: OtlpOptions): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope, spans: spans.map(spanOf) }],
      },
    ],
  };
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, ...span }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: attributesOf(span.attributes),
    ...(span.failure !== null && { status: { code: STATUS_ERROR, message: span.failure } }),
  };
}

/** 64-bit integers are text in the JSON of Protocol Buffers. */
const nanoseconds = (ms: number): string => `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;

function attributesOf(attributes: Readonly<Record<string, string | number | boolean>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
