import type { Span, SpanKind } from './span.ts';

/** Exports spans as OTLP 1 over HTTP in JSON. Loaded only if tracing is on. */

export interface OtlpOptions {
  /** Full URL of the traces endpoint. */
  endpoint: URL;
  headers: Readonly<Record<string, string>>;
  /** Resource attributes that describe this process. */
  resource: Readonly<Record<string, string>>;
  scope: { name: string; version: string };
  timeoutMs: number;
  /** Maximum time in ms that a finished span waits for its batch to fill. */
  delayMs: number;
  /** Called with the reason for a failed export. Further failures are not reported until an export succeeds. */
  onTrouble(detail: string): void;
  onSpans(outcome: 'exported' | 'dropped', count: number): void;
}

export interface OtlpExporter {
  add(span: Span): void;
  /** Exports the remaining spans. Aborts after one second. */
  close(): Promise<void>;
}

const MAX_QUEUED = 2_048;
const BATCH_SIZE = 512;
const CLOSE_TIMEOUT_MS = 1_000;
/** Response statuses that the OTLP 1 specification calls retryable (section "Failures"). */
const RETRYABLE = new Set([429, 502, 503, 504]);

/**
 * Creates an exporter that queues spans and sends them in batches of up to 512. If the receiver is down, the queue keeps
 * the newest 2,048 spans and drops older ones.
 */
export function createOtlpExporter(options: OtlpOptions): OtlpExporter {
  let queue: Span[] = [];
  let sending: Promise<void> | null = null;
  let isFailing = false;
  const closing = new AbortController();
  const timer = setInterval(() => void flush(), options.delayMs);
  timer.unref();

  function reportFailure(detail: string): void {
    if (!isFailing) options.onTrouble(detail);
    isFailing = true;
  }

  /** Sends one batch. Returns false if the batch should be sent again. */
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
        isFailing = false;
        options.onSpans('exported', batch.length);
        return true;
      }
      reportFailure(`The trace receiver answered ${response.status}.`);
      if (RETRYABLE.has(response.status)) return false;
      options.onSpans('dropped', batch.length);
      return true;
    } catch (error) {
      const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
      const code: unknown = cause instanceof Error ? (Reflect.get(cause, 'code') ?? cause.name) : 'no answer';
      reportFailure(`The trace receiver cannot be reached (${String(code)}).`);
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH_SIZE);
      queue = queue.slice(BATCH_SIZE);
      if (await post(batch)) continue;
      queue = [...batch, ...queue];
      dropOldest();
      return;
    }
  }

  /** Drops the oldest spans above the limit and keeps the newest, which are the most useful. */
  function dropOldest(): void {
    const surplus = queue.length - MAX_QUEUED;
    if (surplus <= 0) return;
    queue = queue.slice(surplus);
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
      queue.push(span);
      if (queue.length > MAX_QUEUED) dropOldest();
      if (queue.length >= BATCH_SIZE && !isFailing) void flush();
    },
    async close() {
      clearInterval(timer);
      setTimeout(() => closing.abort(), CLOSE_TIMEOUT_MS).unref();
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

/** Converts ms to nanoseconds, as text: the Protocol Buffers JSON mapping writes 64-bit integers as strings. */
const nanoseconds = (ms: number): string => `${BigInt(Math.round(ms * 1_000)) * 1_000n}`;

function attributesOf(attributes: Readonly<Record<string, string | number | boolean>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number | boolean): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
