import { expect, it } from 'vitest';
import { createIdentityEvents } from '../../server/api/auth/identity-events.ts';
import { createIdentityProvider } from '../../server/providers/identity/built-in.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, identityToken, signIn } from '../kit/product/people.ts';
import { SECRETS, startApi } from './test-api.ts';

const LATER = {
  ...SECRETS,
  session: 'another-session-secret-0123456789abcdef',
  identity: 'another-0123456789abcdef',
};

describeAnyDatabase('A server whose secrets were lost', (open) => {
  it('rejects old ID tokens and lets people sign in again', async () => {
    const before = await startApi(open);
    const { alice, bob } = await before.cast();
    const token = await (async () => {
      const client = createClient(before.send);
      await client.ask(CALLS.signIn, { body: { email: alice.email, password: alice.password } });
      return identityToken(client);
    })();

    const { store } = before;
    const publicUrl = new URL('http://localhost:8080');
    const after = await startApi(async () => store, {
      secrets: LATER,
      identity: createIdentityProvider({
        database: store.identityDatabase,
        secret: LATER.identity,
        publicUrl,
        productName: 'Certlantern',
        events: createIdentityEvents({ store, publicUrl, clock: before.clock }),
        log: console,
      }),
    });
    const stranger = createClient(after.send);
    expect((await stranger.ask(CALLS.openSession, { body: { token } })).problem.code).toBe('invalid_token');
    // People sign in at the same time, before there is a new signing key.
    const back = await Promise.all([alice, bob].map((person) => signIn(after.send, person)));
    for (const person of back) expect((await person.ask(CALLS.currentUser)).status).toBe(200);
    expect((await back[0]?.ask(CALLS.refreshSession))?.status).toBe(200);
  });
});
