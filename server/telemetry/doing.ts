import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, OpenSpan } from './span.ts';

/** What stands in every line of the log that is written meanwhile, such as the id of a request. */
export type Fields = Readonly<Record<string, string>>;

interface Doing {
  fields: Fields;
  /** null: not traced. */
  span: OpenSpan | null;
}

const NOTHING: Doing = { fields: {}, span: null };
const doing = new AsyncLocalStorage<Doing>();
const current = (): Doing => doing.getStore() ?? NOTHING;

/**
 * Runs something that the lines of the log are told apart by; what it traces are the span's children, without `span` those of the span
 * that it is a part of.
 */
export function during<T>(
  { fields, span = current().span }: { fields: Fields; span?: OpenSpan | null },
  run: () => T,
): T {
  return doing.run({ fields: { ...current().fields, ...fields }, span }, run);
}

/** A copy: the log writes more into it. */
export function fieldsNow(): Record<string, string> {
  const { fields, span } = current();
  return span === null ? { ...fields } : { ...fields, traceId: span.traceId };
}

/** Whether anybody will see what `trace` and `tracePast` say here. */
export function isTraced(): boolean {
  return current().span !== null;
}

/** For an error that is dealt with before it reaches whoever opened the span. */
export function failTrace(error: unknown): void {
  current().span?.fail(error);
}

/** Runs a step as a span of what is being done; just runs it where that is not traced. */
export async function trace<T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T> {
  const { fields, span } = current();
  if (span === null) return run();
  const child = span.child(name, { attributes });
  try {
    return await doing.run({ fields, span: child }, run);
  } catch (error) {
    child.fail(error);
    throw error;
  } finally {
    child.end();
  }
}

/** A step that is over already. Instants in ms UTC, fractions and all. */
export interface PastStep {
  name: string;
  startedAt: number;
  endedAt: number;
  attributes?: Attributes;
  failed?: boolean;
}

export function tracePast({ name, startedAt, endedAt, attributes = {}, failed = false }: PastStep): void {
  const child = current().span?.child(name, { attributes, startedAt });
  if (failed) child?.fail(null);
  child?.end(endedAt);
}
