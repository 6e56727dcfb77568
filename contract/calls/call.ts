import { z } from 'zod';
import type { ProblemCode } from '../problem.ts';
import type { TokenScope } from '../token.ts';

/** Describes one API call. The server validates requests with it and generates the OpenAPI document from it. */
export interface Call {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Path below `/api`, with parameters in braces. */
  path: string;
  /**
   * `session` calls need a session cookie or, if `scope` is set, a personal token. Without either they answer 401
   * `not_authenticated`.
   */
  access: 'public' | 'session';
  /**
   * True if the header `Prefer: handling=lenient` has two more effects: a request without credentials gets `data: null` instead of
   * 401, and the refresh cookie suffices, so that the page knows the user before it refreshes the session.
   */
  answersVisitors?: true;
  /** Scope that a personal token needs. Calls with `access: 'session'` but no scope accept session cookies only. */
  scope?: TokenScope;
  /** True if the call supports the `Idempotency-Key` header: a repeated key replays the stored answer. */
  idempotent?: true;
  /** Secret fields of `data`. Only the first answer contains them; in the stored answer and its replays they are null. */
  shownOnce?: readonly string[];
  /** What the account needs, each with the sentence that refuses an account without it. Checked before `cost`, the plan first. */
  needs?: { premium?: string; verified?: string };
  /** Rate limits of `server/api/http/rate-limit.ts` that count each call, by account or by the client's network. */
  cost?: readonly string[];
  summary: string;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Body of a successful answer; null if it is not JSON. */
  response: z.ZodType | null;
  /** Media type of a successful answer that is not JSON. */
  mediaType?: string;
  /** HTTP status of a successful answer. */
  status: 200 | 202 | 302;
  /** Problems specific to this call. Any call can also answer with one of `COMMON_PROBLEMS`. */
  problems: readonly ProblemCode[];
}

export const envelope = <Schema extends z.ZodType>(data: Schema) => z.object({ data });
export const emptyEnvelope = envelope(z.null());
const MAX_PAGE_SIZE = 200;

/**
 * Query of lists with cursor pagination. A cursor marks a position in the sort order instead of an offset, so rows that are added
 * or removed between two requests neither repeat nor hide other rows.
 */
export const cursorQuerySchema = z.object({
  /** `next_cursor` of the previous answer. */
  cursor: z.string().max(1_000).optional(),
  limit: z.coerce.number<number>().int().min(1).max(MAX_PAGE_SIZE).optional(),
});
/** Cursor of the next page; null on the last page. */
export const nextCursor = z.string().nullish();
export const idParams = z.object({ id: z.uuid() });
