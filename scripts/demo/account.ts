import { createIdentityEvents } from '../../server/api/auth/identity-events.ts';
import { loadSecrets } from '../../server/data-directory.ts';
import { createIdentityProvider } from '../../server/providers/identity/built-in.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { openAccount } from '../../server/store/accounts/sign-in.ts';
import type { Store } from '../../server/store/db/open-store.ts';

export const DEMO_PERSON = {
  name: 'Mara Vik',
  company: 'Fjord & Orchard',
  email: 'mara@fjord.example',
  password: 'lantern-demo',
};

/**
 * Signs up the demo's person through the identity provider, as the sign-up page does. Adds Premium and verifies the
 * address. Returns the account's id. Throws if the provider or the store refuses.
 */
export async function createDemoAccount(
  store: Store,
  { dataDir, publicUrl, now }: { dataDir: string; publicUrl: URL; now: number },
): Promise<string> {
  const events = createIdentityEvents({ store, publicUrl, clock: { now: () => now } });
  const identity = createIdentityProvider({
    database: store.identityDatabase,
    secret: loadSecrets(dataDir).identity,
    publicUrl,
    productName: 'Certlantern',
    events,
    log: console,
  });
  const { name, company, email, password } = DEMO_PERSON;
  const callIdentity = (path: string, init: RequestInit) =>
    identity.handler(new Request(new URL(`/api/identity${path}`, publicUrl), init));

  const signedUp = await callIdentity('/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: publicUrl.origin },
    body: JSON.stringify({ name, email, password }),
  });
  const cookie = signedUp.headers.getSetCookie().map((line) => line.split(';')[0]);
  const issued = await callIdentity('/token', { headers: { cookie: cookie.join('; ') } });
  const { token } = (await issued.json()) as { token: string };
  const verified = await identity.verify(token);
  if (!verified.ok) throw new Error(`The demo user could not sign up: ${verified.reason}`);

  const { claims } = verified;
  const opened = await openAccount(store, { ...claims, issuer: claims.provider, name, company, now });
  if (!opened.ok) throw new Error(`The demo user has no account: ${opened.code}`);
  await events.addressVerified(claims.subject);
  if (claims.sessionId !== null) await identity.endSession(claims.sessionId);
  await grantPremium(store, opened.account.id, { grant: { endsAt: null }, now });
  return opened.account.id;
}
