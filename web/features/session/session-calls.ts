import { z } from 'zod';
import { userSchema } from '../../../contract/account.ts';
import { api, call } from '../../lib/api-client.ts';
import { bodyOf, errorOf, send, understood } from '../../lib/http.ts';
import { currentUserOf } from '../../lib/current-user.ts';
import type { CurrentUser } from '../../lib/current-user.ts';
import { browserTimeZone } from '../../lib/time-zone.ts';
import { toSnakeCase } from '../../lib/wire-case.ts';

const openedAnswer = z.object({ data: userSchema, created: z.boolean().default(false) });
const maybeUserAnswer = z.object({ data: userSchema.nullish() });
const tokenAnswer = z.object({ data: z.string() });

/**
 * Exchanges an ID token for the product's session cookies. `created` is true if this call created the account, which then gets the
 * browser's time zone. Rejects with ApiError; a 401 is about the token, so no refresh is tried.
 */
export async function exchangeToken(
  token: string,
  arrival: { name: string | null; company: string | null; trial?: true; invite?: string },
): Promise<{ user: CurrentUser; created: boolean }> {
  const response = await send('/api/auth/firebase', {
    method: 'POST',
    headers: { 'time-zone': browserTimeZone() },
    body: { token, ...arrival },
  });
  if (!response.ok) {
    const error = await errorOf(response);
    console.warn('The sign-in was refused.', error);
    throw error;
  }
  const answer = understood(openedAnswer, toSnakeCase(await bodyOf(response)), response.status);
  return { user: currentUserOf(answer.data), created: answer.created };
}

/** The user of the session; null when the answer names none. */
export async function fetchCurrentUser(): Promise<CurrentUser | null> {
  const { data } = await api('/user/me', { schema: maybeUserAnswer, failureText: 'Failed to get me.' });
  return data ? currentUserOf(data) : null;
}

/** The signed statement of the plan, still to be verified; and the server's time in ms UTC, by which it ends. */
export async function fetchSubscriptionToken(signal: AbortSignal): Promise<{ token: string; now: number }> {
  const response = await call('/user/sub', { signal });
  const now = Date.parse(response.headers.get('Date') ?? '');
  const { data } = understood(tokenAnswer, await bodyOf(response, signal), response.status);
  return { token: data, now: Number.isNaN(now) ? Date.now() : now };
}

/** Ends the session on the server. */
export async function callLogout(): Promise<void> {
  const response = await send('/api/auth/logout', { method: 'POST' });
  // 401: the session was over already, which is what was asked for.
  if (!response.ok && response.status !== 401) throw await errorOf(response);
}
