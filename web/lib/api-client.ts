import type { z } from 'zod';
import { ApiError } from './api-error.ts';
import { bodyOf, errorOf, send, understood } from './http.ts';
import type { HttpRequest } from './http.ts';
import { refreshSession } from './session-refresh.ts';
import { toSnakeCase } from './wire-case.ts';

export { ApiError, messageOf } from './api-error.ts';

export interface CallRequest extends HttpRequest {
  /** Replaces the server's words as the error's message, where a fixed text is specified. */
  failureText?: string;
}

export interface ApiRequest<Schema extends z.ZodType> extends CallRequest {
  /** The whole answer as the contract has it, envelope included. */
  schema: Schema;
}

/**
 * Calls `/api` + path and returns the answer as it came. A 401 leads to one shared refresh and one repetition. Throws
 * ApiError for anything but success.
 */
export async function call(path: string, { failureText, ...request }: CallRequest = {}): Promise<Response> {
  let response = await send(`/api${path}`, request);
  if (response.status === 401) {
    // An answer that nobody reads keeps its connection busy.
    await response.body?.cancel();
    await refreshSession();
    response = await send(`/api${path}`, request);
  }
  if (response.ok) return response;
  const error = await errorOf(response);
  if (failureText === undefined) throw error;
  throw new ApiError(failureText, {
    status: error.status,
    code: error.code,
    retryAfterSeconds: error.retryAfterSeconds,
    cause: error,
  });
}

/** As `call`, and returns the parsed answer. Throws ApiError too for one that is not what the contract says. */
export async function api<Schema extends z.ZodType>(
  path: string,
  { schema, ...request }: ApiRequest<Schema>,
): Promise<z.output<Schema>> {
  const response = await call(path, request);
  const body = response.status === 204 ? null : await bodyOf(response, request.signal);
  return understood(schema, toSnakeCase(body), response.status);
}
