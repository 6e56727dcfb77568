import type { UserWire } from '../../../contract/account.ts';
import { refreshSession as refreshCall } from '../../../contract/calls/session.ts';
import { ApiError } from '../api-error.ts';
import { answerOf, errorOf, isRefused, send } from '../http.ts';

const LOCK_NAME = 'certlantern-session-refresh';
const REFRESH_FAILED = 'Unauthorized - Refresh token failed';

export interface RefreshListener {
  /** Called with the user after a refresh. Refused calls are repeated once the returned promise resolves. */
  refreshed(user: UserWire): void | Promise<void>;
  /** Called if the server refuses the refresh, but not if the server cannot be reached. */
  ended(): void;
}

const listeners = new Set<RefreshListener>();
let running: Promise<void> | null = null;
let isEnding = false;

/** Registers a listener for refreshes; returns the unsubscribe function. */
export function onRefresh(listener: RefreshListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function callRefresh(): Promise<UserWire> {
  const response = await send(refreshCall);
  if (isRefused(response)) {
    const cause = await errorOf(response);
    throw new ApiError('Failed to fetch refresh token.', { status: cause.status, code: cause.code, cause });
  }
  return answerOf(refreshCall, response);
}

/**
 * Runs `work`, which replaces the session's cookies, in one tab at a time. So each refresh starts from the newest cookie, and
 * a late refresh of an old session never overwrites the cookies of a new one.
 */
export async function withSessionLock<T>(work: () => Promise<T>): Promise<T> {
  // Web Locks need a secure context. On plain HTTP, the server therefore accepts the previous cookie for a short time.
  if (!('locks' in navigator)) return work();
  return await navigator.locks.request(LOCK_NAME, work);
}

async function requestRefresh(): Promise<void> {
  try {
    const user = await withSessionLock(callRefresh);
    for (const listener of listeners) await listener.refreshed(user);
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    if (status === 401 || status === 403) for (const listener of listeners) listener.ended();
    throw new ApiError(REFRESH_FAILED, {
      status: status === 0 ? 0 : 401,
      cause: error,
    });
  }
}

/** Runs `work`, which ends the session. Calls and event streams that the server refuses meanwhile do not refresh the session. */
export async function withoutRefresh(work: () => Promise<void>): Promise<void> {
  isEnding = true;
  try {
    await work();
  } finally {
    isEnding = false;
  }
}

/** Refreshes the session. Concurrent callers share one refresh. */
export async function refreshSession(): Promise<void> {
  if (isEnding) throw new ApiError(REFRESH_FAILED, { status: 401 });
  running ??= requestRefresh().finally(() => {
    running = null;
  });
  await running;
}
