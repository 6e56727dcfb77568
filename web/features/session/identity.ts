import { identityTokenSchema } from '../../../contract/identity.ts';
import { errorOf, send } from '../../lib/http.ts';

/** The provider's 401 is about the credentials: there is no session yet that a refresh could renew. */
async function call(path: string, body?: object): Promise<unknown> {
  const response = await send(`/api/identity${path}`, body ? { method: 'POST', body } : {});
  if (!response.ok) throw await errorOf(response);
  return await response.json();
}

async function idToken(): Promise<string> {
  return identityTokenSchema.parse(await call('/token')).token;
}

/** Signs in with the identity provider; returns its ID token. */
export async function signInWithEmail(email: string, password: string): Promise<string> {
  await call('/sign-in/email', { email, password });
  return await idToken();
}

export interface NewIdentity {
  name: string;
  email: string;
  password: string;
  /** The code of an invitation, where sign-up is by invitation. */
  invite: string | undefined;
}

/** Signs up with the identity provider; returns its ID token. */
export async function signUpWithEmail(identity: NewIdentity): Promise<string> {
  await call('/sign-up/email', identity);
  return await idToken();
}

/** Ends the provider's own session; the product's session is another. */
export async function signOutOfIdentity(): Promise<void> {
  await call('/sign-out', {});
}
