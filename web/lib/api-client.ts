import type { Call } from '../../contract/calls/call.ts';
import {
  acceptedResponse,
  type Answer,
  answerOf,
  type AnyCallInput,
  type InputArgument,
  isAccessOver,
  send,
} from './http.ts';
import { refreshSession } from './account/session-refresh.ts';
import { ApiError } from './api-error.ts';

/**
 * Makes a call of the contract and returns its parsed answer; of an answer `{ data }`, only the data. If a call that needs a session gets a
 * 401, refreshes the session and repeats the call once. Throws ApiError for a refusal, and for an answer that does not match the contract.
 */
export function call<C extends Call>(call: C, ...[input]: InputArgument<C>): Promise<Answer<C>>;
export async function call(call: Call, input: AnyCallInput = {}): Promise<unknown> {
  return answerOf(call, await callForResponse<Call>(call, input), input.signal);
}

/** Makes a call like `call`, but returns the unread response: for files, for headers, or if the content does not matter. */
export function callForResponse<C extends Call>(call: C, ...[input]: InputArgument<C>): Promise<Response>;
export async function callForResponse(call: Call, input: AnyCallInput = {}): Promise<Response> {
  const needsSession = call.access === 'session';
  if (needsSession && isAccessOver())
    await refreshSession().catch((error: unknown) => {
      // Without a connection the refresh fails. The call below then fails too and says so.
      if (!(error instanceof ApiError) || error.status > 0) throw error;
    });
  let response = await send<Call>(call, input);
  if (response.status === 401 && needsSession) {
    // An unread body keeps the connection busy.
    await response.body?.cancel();
    await refreshSession();
    response = await send<Call>(call, input);
  }
  return acceptedResponse(response, input);
}
