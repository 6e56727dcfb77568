import type { z } from 'zod';
import { ApiError } from './api-error.ts';
import { errorOf, send } from './http.ts';
import type { HttpRequest } from './http.ts';
import { refreshSession } from './session-refresh.ts';
import { toSnakeCase } from './wire-case.ts';

export { ApiError, messageOf } from './api-error.ts';

export interface ApiRequest<Schema extends z.ZodType> extends HttpRequest {
  /** The whole answer as the contract has it, envelope included. */
  schema: Schema;
  /** Replaces the server's words as the error's message, where a fixed text is specified. */
  failureText?: string;
}

/**
 * Calls `/api` + path and returns the parsed answer. A 401 leads to one shared refresh and one repetition.
 * Throws ApiError for anything but success, and for an answer that is not what the contract says.
 */
export async function api<Schema extends z.ZodType>(
  path: string,
  { schema, failureText, ...request }: ApiRequest<Schema>,
): Promise<z.output<Schema>> {
  let response = await send(`/api${path}`, request);
  if (response.status === 401) {
    // An answer that nobody reads keeps its connection busy.
    await response.body?.cancel();
    await refreshSession();
    response = await send(`/api${path}`, request);
  }
  if (!response.ok) {
    const error = await errorOf(response);
    if (failureText === undefined) throw error;
    throw new ApiError(failureText, {
      status: error.status,
      code: error.code,
      retryAfterSeconds: error.retryAfterSeconds,
      cause: error,
    });
  }
  const body: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  const answer = schema.safeParse(toSnakeCase(body));
  if (!answer.success)
    throw new ApiError('The server answered in a way this page does not understand', {
      status: response.status,
      cause: answer.error,
    });
  return answer.data;
}
