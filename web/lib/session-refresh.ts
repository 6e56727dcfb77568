import { z } from 'zod';
import { userSchema } from '../../contract/account.ts';
import type { UserWire } from '../../contract/account.ts';
import { ApiError } from './api-error.ts';
import { errorOf, send } from './http.ts';
import { toSnakeCase } from './wire-case.ts';

const answerSchema = z.object({ data: userSchema });
const LOCK_NAME = 'certlantern-session-refresh';

export interface RefreshListener {
  /** The session goes on; the user as the server now knows them. May be awaited before the first call is repeated. */
  refreshed(user: UserWire): void | Promise<void>;
  /** The server refused to go on with the session. Not called when it merely could not be reached. */
  ended(): void;
}

const listeners = new Set<RefreshListener>();
let running: Promise<void> | null = null;

/** Tells the listener about every refresh from now on; returns the way to stop. */
export function onRefresh(listener: RefreshListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function callRefresh(): Promise<UserWire> {
  const response = await send('/api/auth/refresh', { method: 'POST' });
  if (!response.ok) {
    const cause = await errorOf(response);
    throw new ApiError('Failed to fetch refresh token.', { status: cause.status, code: cause.code, cause });
  }
  return answerSchema.parse(toSnakeCase(await response.json())).data;
}

/**
 * Runs `work`, which replaces the session's cookies, while no other tab does. So each rotation starts from the cookie that the one
 * before it left behind, and the answer to a refresh of the last session never overwrites the cookies of a new one.
 */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  // Locks exist in secure contexts only; on plain http the server's grace period has to do.
  if (!('locks' in navigator)) return work();
  return await navigator.locks.request(LOCK_NAME, work);
}

async function refreshOnce(): Promise<void> {
  try {
    const user = await inTurn(callRefresh);
    for (const listener of listeners) await listener.refreshed(user);
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 401 || status === 403) for (const listener of listeners) listener.ended();
    throw new ApiError('Unauthorized - Refresh token failed', {
      status: status === 0 ? 0 : 401,
      cause: error,
    });
  }
}

/** Renews the session. Everyone who asks while a refresh is under way gets that one's outcome. */
export function refreshSession(): Promise<void> {
  running ??= refreshOnce().finally(() => {
    running = null;
  });
  return running;
}
