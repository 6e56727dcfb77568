import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, OpenSpan } from './span.ts';

/** Fields added to every log line written in a context, such as the request id. */
export type LogFields = Readonly<Record<string, string>>;

interface Context {
  fields: LogFields;
  /** Current span; null if this work is not traced. */
  span: OpenSpan | null;
}

const EMPTY_CONTEXT: Context = { fields: {}, span: null };
const storage = new AsyncLocalStorage<Context>();
const current = (): Context => storage.getStore() ?? EMPTY_CONTEXT;

/**
 * Calls `run` in a context that adds `fields` to each of its log lines and makes `span` the parent of its spans. If `span` is
 * absent, keeps the current span.
 */
export function runInContext<T>(
  { fields, span = current().span }: { fields: LogFields; span?: OpenSpan | null },
  run: () => T,
): T {
  return storage.run({ fields: { ...current().fields, ...fields }, span }, run);
}

/**
 * Returns the log fields of the current context, with the trace id if it is traced. Returns a copy, because the logger adds
 * fields.
 */
export function currentLogFields(): Record<string, string> {
  const { fields, span } = current();
  return span === null ? { ...fields } : { ...fields, traceId: span.traceId };
}

/** Returns whether the current work is traced, so that `withSpan` and `recordPastSpan` have an effect. */
export function isTraced(): boolean {
  return current().span !== null;
}

/** Marks the current span as failed. Use it for errors that are caught before they reach the code that opened the span. */
export function failCurrentSpan(error: unknown): void {
  current().span?.fail(error);
}

/**
 * Runs a step as a child of the current span, or without a span if the current work is not traced. Marks the child as
 * failed and rethrows if `run` rejects.
 */
export async function withSpan<T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T> {
  const { fields, span } = current();
  if (span === null) return run();
  const child = span.child(name, { attributes });
  try {
    return await storage.run({ fields, span: child }, run);
  } catch (error) {
    child.fail(error);
    throw error;
  } finally {
    child.end();
  }
}

/** A step that has already ended. Times are ms UTC with fractions. */
export interface PastStep {
  name: string;
  startedAt: number;
  endedAt: number;
  attributes?: Attributes;
  failed?: boolean;
}

/** Records a step that has already ended as a child of the current span. Does nothing if the current work is not traced. */
export function recordPastSpan({
  name,
  startedAt,
  endedAt,
  attributes = {},
  failed = false,
}: PastStep): void {
  const child = current().span?.child(name, { attributes, startedAt });
  if (failed) child?.fail(null);
  child?.end(endedAt);
}
