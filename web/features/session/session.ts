import { ApiError } from '../../lib/api-error.ts';
import type { CurrentUser } from '../../lib/current-user.ts';
import { authRecord } from './page-auth-record.ts';
import { signInWithEmail, signOutOfIdentity, signUpWithEmail } from './identity.ts';
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

async function start(
  token: string,
  profile: { name: string | null; company: string | null },
): Promise<CurrentUser> {
  const user = await exchangeToken(token, profile);
  await authRecord.store(user);
  announceSession({ type: 'started', userId: user.id });
  return user;
}

/** Throws with a sentence to show when it is refused. */
export async function logIn(credentials: { email: string; password: string }): Promise<CurrentUser> {
  const token = await signInWithEmail(credentials.email, credentials.password);
  return await start(token, { name: null, company: null });
}

/** Creates the account and signs in. Throws with a sentence to show when it is refused. */
export async function signUp(account: {
  name: string;
  company: string;
  email: string;
  password: string;
  invite: string | undefined;
}): Promise<CurrentUser> {
  const { company, ...identity } = account;
  const token = await signUpWithEmail(identity);
  return await start(token, { name: account.name, company: company === '' ? null : company });
}

/** Forgets the session here and in the other tabs; the server is told by `endSession`. */
export function forgetSession(): void {
  authRecord.remove();
  announceSession({ type: 'ended' });
}

/** Ends the session on the server and at the identity provider. Throws when the server could not be told. */
export async function endSession(): Promise<void> {
  forgetSession();
  await callLogout();
  try {
    await signOutOfIdentity();
  } catch (error) {
    // The provider's session is usually over already: the server ends it right after the token exchange.
    if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) throw error;
  }
}
