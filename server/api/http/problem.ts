import { type Problem, type ProblemCode, PROBLEMS } from '../../../contract/problem.ts';
import type { LimitName } from '../../core/limits.ts';
import type { AppContext } from './app-env.ts';

/** An expected failure, as a value. `contract/problem.ts` maps its code to a status and a title. */
export class Refusal {
  readonly code: ProblemCode;
  /** Explanation for people, in full sentences. */
  readonly detail: string;
  readonly retryAfterSeconds: number | null;
  /** The operator's limit that was reached, for the metrics; null for every other failure. */
  readonly limit: LimitName | null;

  constructor(
    code: ProblemCode,
    detail: string,
    { retryAfterSeconds = null, limit = null }: Partial<Pick<Refusal, 'retryAfterSeconds' | 'limit'>> = {},
  ) {
    this.code = code;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
    this.limit = limit;
  }
}

export const refuse = (code: ProblemCode, detail: string): Refusal => new Refusal(code, detail);

/**
 * Returns a refusal with status 429 and Retry-After. `limit` is the operator's limit that was reached; null if the
 * limit is fixed.
 */
export function refuseTooMany(detail: string, retryAfterMs: number, limit: LimitName | null = null): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new Refusal('too_many_requests', detail, { retryAfterSeconds, limit });
}

/** Responds with a failure as plain text. Used for images and pages, outside the API. */
export function plainRefusal(c: AppContext, { code, detail, retryAfterSeconds, limit }: Refusal): Response {
  c.set('reachedLimit', limit);
  c.header('Cache-Control', 'no-store');
  if (retryAfterSeconds !== null) c.header('Retry-After', String(retryAfterSeconds));
  return c.text(`${detail}\n`, PROBLEMS[code].status);
}

/** Responds with a failure as problem+json (RFC 9457 §3). `members` are extension members of this problem (§3.2). */
export function problemResponse(c: AppContext, refusal: Refusal, members: object = {}): Response {
  const { status, title } = PROBLEMS[refusal.code];
  c.set('reachedLimit', refusal.limit);
  // Never answer this 401 with 200: clients refresh their session after a 401, as specified.
  c.set('mayBeLenient', status < 500 && refusal.code !== 'not_authenticated');
  const problem: Problem = {
    type: `urn:certlantern:problem:${refusal.code}`,
    title,
    status,
    code: refusal.code,
    detail: refusal.detail,
    request_id: c.get('requestId'),
    ...(refusal.retryAfterSeconds !== null && { retry_after: refusal.retryAfterSeconds }),
  };
  c.header('Content-Type', 'application/problem+json');
  // Forbid storing: caches may store a 404 (RFC 9110 §15.1), but a retry may succeed in a moment.
  c.header('Cache-Control', 'no-store');
  if (refusal.retryAfterSeconds !== null) c.header('Retry-After', String(refusal.retryAfterSeconds));
  return c.body(JSON.stringify({ ...problem, ...members }), status);
}

/** Returns whether the client asked for expected refusals as successful answers (RFC 7240 §4.4). */
export const isLenient = (c: AppContext): boolean =>
  /(^|[\s,;])handling\s*=\s*"?lenient\b/i.test(c.req.header('prefer') ?? '');

/** Gives an expected refusal the status 200 if the client asked for it. The `status` in the body remains that of the refusal. */
export function applyLeniency(c: AppContext): void {
  if (c.get('mayBeLenient') !== true || !isLenient(c)) return;
  c.res = new Response(c.res.body, { status: 200, headers: c.res.headers });
  c.res.headers.set('Preference-Applied', 'handling=lenient');
}
