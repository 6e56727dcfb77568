import type { Call } from '../../contract/calls/call.ts';
import { accepted, answerOf, send } from './http.ts';
import type { Answer, AnyCallInput, InputArgument } from './http.ts';
import { refreshSession } from './account/session-refresh.ts';

export { ApiError, messageOf } from './api-error.ts';
export { LENIENT } from './http.ts';

/**
 * Makes a call of the contract and returns its parsed answer; `{ data }` answers without the envelope. A 401 of a call that needs a
 * session refreshes it and repeats the call once. Throws ApiError for a refusal, and for an answer that does not match the contract.
 */
export function call<C extends Call>(call: C, ...[input]: InputArgument<C>): Promise<Answer<C>>;
export async function call(call: Call, input: AnyCallInput = {}): Promise<unknown> {
  return answerOf(call, await callForResponse<Call>(call, input), input.signal);
}

/** Works as `call`, but returns the unread response: for files, for headers, or if the content does not matter. */
export function callForResponse<C extends Call>(call: C, ...[input]: InputArgument<C>): Promise<Response>;
export async function callForResponse(call: Call, input: AnyCallInput = {}): Promise<Response> {
  let response = await send<Call>(call, input);
  if (response.status === 401 && call.access === 'session') {
    // An unread body keeps the connection busy.
    await response.body?.cancel();
    await refreshSession();
    response = await send<Call>(call, input);
  }
  return accepted(response, input);
}
