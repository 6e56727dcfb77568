import type { PublicConfig } from '../../../contract/public-config.ts';
import { track } from '../../lib/analytics.ts';
import type { CurrentUser } from '../../lib/current-user.ts';
import type { Identity } from '../../lib/identity.ts';
import { inTurn } from '../../lib/session-refresh.ts';
import { signOutOfIdentity } from './identity/load-identity.ts';
import { authRecord } from './page-auth-record.ts';
import { callLogout, exchangeToken, fetchCurrentUser } from './session-calls.ts';
import { announceSession } from './session-channel.ts';

/**
 * Who is signed in: the record of this page load if it decrypts, else whom the server names. A failure is logged and
 * counts as nobody.
 */
export async function checkCurrentUser(): Promise<CurrentUser | null> {
  try {
    const recorded = await authRecord.read();
    if (recorded) return recorded;
  } catch {
    // Written before a reload, or tampered with: either way the server knows better.
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

/** How somebody arrives: what the account is made of where this is the first time. */
export interface Arrival {
  /** 'password', 'passkey' or the id of another provider. */
  method: string;
  /** Empty: as the provider knows it. */
  name?: string;
  company?: string;
  /** From a button that offers the trial. */
  trial?: boolean;
  /** The code of an invitation, where sign-up is by invitation. */
  invite?: string | undefined;
}

/** Opens the session of whoever has just signed in with the provider. Throws with a sentence to show when it is refused. */
export async function openSession(
  identity: Identity,
  { method, name = '', company = '', trial = false, invite }: Arrival,
): Promise<CurrentUser> {
  const vouched = await identity.vouch();
  const { user, created } = await inTurn(() =>
    exchangeToken(vouched.token, {
      name: name || vouched.name || null,
      company: company || null,
      ...(trial && { trial }),
      ...(invite !== undefined && { invite }),
    }),
  );
  await authRecord.store(user);
  announceSession({ type: 'started', userId: user.id });
  track({ name: created ? 'sign_up' : 'login', email: user.email, method });
  return user;
}

/** Forgets the session here and in the other tabs; the server is told by `endSession`. */
export function forgetSession(): void {
  authRecord.remove();
  announceSession({ type: 'ended' });
}

/**
 * Ends the session on the server, then at the identity provider, whether or not the server could be told. Throws when one
 * of them could not.
 */
export async function endSession(identity: PublicConfig['identity']): Promise<void> {
  forgetSession();
  try {
    await callLogout();
  } finally {
    await signOutOfIdentity(identity);
  }
}
