import type { z } from 'zod';
import { problemSchema } from '../../contract/problem.ts';
import { ApiError, standardPhrase } from './api-error.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const UNREACHABLE = 'The server could not be reached. Your monitoring keeps running.';

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  /** Sent as JSON. Without one, an unsafe call still says `application/json`, which no plain HTML form can. */
  body?: unknown;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

/** One call below the page's own origin with its cookies; never follows up on a 401. Throws ApiError with status 0 when nothing answered. */
export async function send(path: string, request: HttpRequest = {}): Promise<Response> {
  const { method = 'GET', body, signal, timeoutMs = REQUEST_TIMEOUT_MS } = request;
  const deadline = AbortSignal.timeout(timeoutMs);
  const headers: Record<string, string> = { accept: 'application/json', ...request.headers };
  if (method !== 'GET') headers['content-type'] = 'application/json';
  try {
    return await fetch(path, {
      method,
      credentials: 'include',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
  } catch (error) {
    throw unanswered(error, signal);
  }
}

/** What a call ends with whose answer did not come, or not to its end; the error itself where the caller gave up. */
function unanswered(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error;
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  const message = isLate ? 'The server did not answer in time' : UNREACHABLE;
  return new ApiError(message, { status: 0, cause: error });
}

/** The error that a refused call stands for: the problem's own sentence, else the standard phrase of its status. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const problem = problemSchema.safeParse(body);
  if (!problem.success) return new ApiError(standardPhrase(response.status), { status: response.status });
  return new ApiError(problem.data.detail || problem.data.title, {
    status: response.status,
    code: problem.data.code,
    retryAfterSeconds: problem.data.retry_after ?? null,
  });
}

/** What the answer carries; null where that is not JSON. Throws ApiError with status 0 when it breaks off. */
export async function bodyOf(response: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw unanswered(error, signal);
  }
}

/** The parsed body of an answer. Throws ApiError for one that is not what the schema says. */
export function understood<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
  status: number,
): z.output<Schema> {
  const answer = schema.safeParse(body);
  if (answer.success) return answer.data;
  const message = 'The server answered in a way this page does not understand';
  throw new ApiError(message, { status, cause: answer.error });
}
