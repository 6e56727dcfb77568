import { PROBLEMS, type Problem, type ProblemCode } from '../../contract/problem.ts';
import type { AppContext } from './app-env.ts';

/** An expected failure, as a value. What it is answered with stands in `contract/problem.ts`. */
export class Refusal {
  readonly code: ProblemCode;
  /** A sentence for people. */
  readonly detail: string;
  readonly retryAfterSeconds: number | null;

  constructor(code: ProblemCode, detail: string, retryAfterSeconds: number | null = null) {
    this.code = code;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const refuse = (code: ProblemCode, detail: string): Refusal => new Refusal(code, detail);

/** For limits: the caller learns when a retry makes sense. */
export function refuseForNow(detail: string, retryAfterMs: number): Refusal {
  return new Refusal('too_many_requests', detail, Math.max(1, Math.ceil(retryAfterMs / 1000)));
}

/** Answers a failure as text, where pictures and pages are asked for and not the API. */
export function plainRefusal(c: AppContext, { code, detail, retryAfterSeconds }: Refusal): Response {
  c.header('Cache-Control', 'no-store');
  if (retryAfterSeconds !== null) c.header('Retry-After', String(retryAfterSeconds));
  return c.text(`${detail}\n`, PROBLEMS[code].status);
}

/** Answers a failure as RFC 9457 has it. `members`: what this problem tells beside what all do (§3.2). */
export function problemResponse(c: AppContext, refusal: Refusal, members: object = {}): Response {
  const { status, title } = PROBLEMS[refusal.code];
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
  // What fails now may succeed in a moment; caches may keep a 404 unless told otherwise (RFC 9110 §15.1).
  c.header('Cache-Control', 'no-store');
  if (refusal.retryAfterSeconds !== null) c.header('Retry-After', String(refusal.retryAfterSeconds));
  return c.body(JSON.stringify({ ...problem, ...members }), status);
}
