import { z } from 'zod';
import { currentUser, logOut, openSession as openSessionCall } from '../../../contract/calls/session.ts';
import type { PublicConfig } from '../../../contract/public-config.ts';
import { track } from '../../lib/browser/analytics.ts';
import { call, callForResponse } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { type CurrentUser, currentUserOf, optionalUser } from '../../lib/account/current-user.ts';
import type { Identity } from '../../lib/account/identity.ts';
import { onRefresh, withoutRefresh, withSessionLock } from '../../lib/account/session-refresh.ts';
import { signOutOfIdentity } from './identity/load-identity.ts';
import { authRecord } from './auth-record.ts';
import { browserTimeZone } from '../../lib/format.ts';

const CHANNEL_NAME = 'certlantern-session';

/**
 * Returns the signed-in user: from this page load's record, else from the server. A failure is logged and counts as signed out.
 */
export async function checkCurrentUser(): Promise<CurrentUser | null> {
  try {
    const recorded = await authRecord.read();
    if (recorded) return recorded;
  } catch {
    // The record is from before a reload, or was tampered with: ask the server.
    authRecord.remove();
  }
  try {
    const user = await fetchCurrentUser();
    if (user) await authRecord.store(user);
    return user;
  } catch (error) {
    console.warn('The current user could not be determined.', error);
    return null;
  }
}

/** Fetches the session's user; null if the answer has none. */
export async function fetchCurrentUser(): Promise<CurrentUser | null> {
  const user = await call({ ...currentUser, response: optionalUser }, { failureText: 'Failed to get me.' });
  return user ? currentUserOf(user) : null;
}

/** Details of a sign-in, used if it creates the account. */
export interface SignInDetails {
  /** 'password', 'passkey' or the id of another provider. */
  method: string;
  /** Name from the sign-up form; if empty, the provider's name is used. */
  name?: string;
  company?: string;
  /** True if the user came from a button that offers the trial. */
  trial?: boolean;
  /** The invitation code, if sign-up needs one. */
  invite?: string | undefined;
}

/** Opens the product's session after a sign-in with the provider. Throws with a message for the user if refused. */
export async function openSession(
  identity: Identity,
  { method, name = '', company = '', trial = false, invite }: SignInDetails,
): Promise<CurrentUser> {
  const proof = await identity.proveSignIn();
  const { user, created } = await withSessionLock(() =>
    exchangeToken(proof.token, {
      name: name || proof.name || null,
      company: company || null,
      ...(invite !== undefined && { invite }),
    }),
  );
  await authRecord.store(user);
  if (trial && created && !identity.keepsTrial) await beginTrial();
  broadcastSession({ type: 'started', userId: user.id });
  track({ name: created ? 'sign_up' : 'login', email: user.email, method });
  return user;
}

/** Starts the trial of a new account. If that fails, the sign-in goes on: the upgrade dialog and the profile offer the trial too. */
async function beginTrial(): Promise<void> {
  try {
    const { startTrial } = await import('../../lib/account/trial.ts');
    await startTrial();
  } catch (error) {
    console.warn('The trial could not be started.', error);
  }
}

const openedSession = openSessionCall.response.extend({ created: z.boolean().default(false) });

/**
 * Exchanges an ID token for the product's session cookies. `created` is true if this call created the account, which then gets the
 * browser's time zone.
 */
export async function exchangeToken(
  token: string,
  details: { name: string | null; company: string | null; invite?: string },
): Promise<{ user: CurrentUser; created: boolean }> {
  try {
    const { data, created } = await call(
      { ...openSessionCall, response: openedSession },
      { headers: { 'time-zone': browserTimeZone() }, body: { token, ...details } },
    );
    return { user: currentUserOf(data), created };
  } catch (error) {
    console.warn('The sign-in failed.', error);
    throw error;
  }
}

/**
 * Stores the user again after every refresh of the session, then calls `report` with the user. If the server refuses the refresh,
 * removes the record and reports null. Returns the unsubscribe function.
 */
export function followRefreshes(report: (user: CurrentUser | null) => void): () => void {
  return onRefresh({
    refreshed: async (wire) => {
      const user = currentUserOf(wire);
      await authRecord.store(user);
      report(user);
    },
    ended: () => {
      authRecord.remove();
      report(null);
    },
  });
}

/** Forgets the session in all tabs of the browser. `endSession` also ends it on the server. */
export function forgetSession(): void {
  authRecord.remove();
  broadcastSession({ type: 'ended' });
}

/** Ends the session on the server and then, even if that fails, at the identity provider. Throws if one of the two failed. */
export async function endSession(identity: PublicConfig['identity']): Promise<void> {
  forgetSession();
  await withoutRefresh(async () => {
    try {
      await endServerSession();
    } finally {
      await signOutOfIdentity(identity);
    }
  });
}

/** Ends the session on the server. */
export async function endServerSession(): Promise<void> {
  try {
    await callForResponse(logOut);
  } catch (error) {
    // 401: the session had already ended.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
}

/** What tabs tell each other about the session that they share through cookies. */
export type SessionChange = { type: 'started'; userId: string } | { type: 'ended' };

/** Notifies the other tabs. */
export function broadcastSession(change: SessionChange): void {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.postMessage(change);
  channel.close();
}

/** Listens to other tabs; returns the unsubscribe function. */
export function onOtherTabSession(listener: (change: SessionChange) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.addEventListener('message', (message: MessageEvent<SessionChange>) => listener(message.data));
  return () => channel.close();
}
