import { z } from 'zod';
import type { ProblemCode } from '../problem.ts';
import type { TokenScope } from '../token.ts';

/** One call of the HTTP API; the server validates by it, and the OpenAPI document is made of it. */
export interface Call {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api`; parameters in braces. */
  path: string;
  /** `session`: needs the session cookie, answers 401 `not_authenticated` without. */
  access: 'public' | 'session';
  /** What a personal token needs to make a call of `access: 'session'`; without one only a session is let in. */
  scope?: TokenScope;
  /** Carried out once for each `Idempotency-Key`, where the caller sends one. */
  once?: true;
  /** Fields of `data` with a secret that only the first answer has. A replay, and what is stored of the answer, has null there. */
  shownOnce?: readonly string[];
  summary: string;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Of success; null where the answer is not JSON. */
  response: z.ZodType | null;
  /** Of an answer that is not JSON. */
  mediaType?: string;
  /** Of success. */
  status: 200 | 202 | 302;
  /** Failures of this call's own; `COMMON_PROBLEMS` can answer every call. */
  problems: readonly ProblemCode[];
}

export const wrapped = <Schema extends z.ZodType>(data: Schema) => z.object({ data });
export const nothing = wrapped(z.null());
const MOST_PER_ANSWER = 200;

/**
 * For lists that are read on from where the last answer ended. A cursor names a place in the order, not a number of rows: what comes
 * or goes meanwhile neither repeats nor hides another row.
 */
export const cursorQuerySchema = z.object({
  /** `next_cursor` of the answer before. */
  cursor: z.string().max(1_000).optional(),
  limit: z.coerce.number().int().min(1).max(MOST_PER_ANSWER).optional(),
});
/** Null at the end of the list. */
export const nextCursor = z.string().nullish();
export const idParams = z.object({ id: z.uuid() });
