import { expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { createFirebaseIdentity } from '../../server/providers/identity/firebase.ts';
import { createInvite } from '../../server/providers/identity/invite.ts';
import { disableAccount, enableAccount } from '../../server/store/accounts/account-administration.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeAnyDatabase, freshStore } from '../kit/databases/database.ts';
import { PROJECT, startGoogleIdentity } from '../kit/providers/google-identity.ts';
import { createClient, identityToken, type Input, signIn, signUp } from '../kit/product/people.ts';
import { SECRETS, startApi } from './test-api.ts';

async function withFirebase(open: () => Promise<Store>, signups: 'open' | 'invite' | 'closed') {
  const google = await startGoogleIdentity();
  onTestFinished(() => google.stop());
  const identity = createFirebaseIdentity({
    config: { projectId: PROJECT, emulatorUrl: null, serviceAccount: null },
    endpoints: google.endpoints,
    log: { warn: () => undefined },
  });
  const store = await open();
  const start = (policy: typeof signups) =>
    startApi(async () => store, { identity, config: { signups: policy } });
  const api = await start(signups);
  const arrive = async (at = api, more: { invite?: string } = {}, headers: Input['headers'] = {}) =>
    createClient(at.send).ask(CALLS.openSession, {
      body: { token: await google.idToken(), ...more },
      headers,
    });
  return { api, start, arrive };
}
const EMAIL = 'charlie@example.test';

describeAnyDatabase('A first sign-in with Firebase', (open) => {
  it('is refused if sign-up is closed, while existing accounts can still sign in', async () => {
    const { api, start, arrive } = await withFirebase(open, 'closed');
    const { status, problem } = await arrive();
    expect([status, problem.code]).toEqual([403, 'signups_closed']);
    expect(problem.detail).toBe('There is no account for this address, and sign-up is closed.');
    expect(await api.store.db.selectFrom('accounts').selectAll().execute()).toEqual([]);

    const { id } = (await arrive(await start('open'))).ok.data;
    expect((await arrive()).ok.data.id).toBe(id);
  });

  it('needs an invitation for the same address where sign-up is by invitation', async () => {
    const { api, arrive } = await withFirebase(open, 'invite');
    const invite = (email: string, secret = SECRETS.invite) => createInvite(email, secret, api.clock.now());
    for (const code of [
      undefined,
      'nonsense',
      await invite('another@example.test'),
      await invite(EMAIL, 'another secret of the same length.'),
    ]) {
      const { problem } = await arrive(api, code === undefined ? {} : { invite: code });
      expect(problem).toMatchObject({ status: 403, code: 'signups_closed' });
      expect(problem.detail).toContain('by invitation');
    }
    const { id } = (await arrive(api, {}, { 'x-invite': await invite(EMAIL) })).ok.data;
    expect((await arrive(api)).ok.data.id).toBe(id);
  });

  it('accepts an invitation in the request body instead of the header', async () => {
    const { api, arrive } = await withFirebase(open, 'invite');
    const invite = await createInvite(EMAIL, SECRETS.invite, api.clock.now());
    expect((await arrive(api, { invite })).ok.data.email).toBe(EMAIL);
  });
});

describeAnyDatabase('A disabled account', (open) => {
  it('loses its sessions and gets account_disabled at sign-in until it is enabled again', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const elsewhere = await signIn(api.send, alice);
    await disableAccount(api.store, alice.id, api.clock.now());
    for (const client of [alice, elsewhere]) {
      expect((await client.ask(CALLS.currentUser)).problem.code).toBe('not_authenticated');
      expect((await client.ask(CALLS.refreshSession)).problem.code).toBe('not_authenticated');
    }
    const again = createClient(api.send);
    await again.ask(CALLS.signIn, { body: { email: alice.email, password: alice.password } });
    const { problem } = await again.ask(CALLS.openSession, { body: { token: await identityToken(again) } });
    expect(problem).toMatchObject({ status: 403, code: 'account_disabled' });
    expect(problem.detail).toContain('support@example.test');
    expect((await charlie.ask(CALLS.currentUser)).status).toBe(200);

    await enableAccount(api.store, alice.id);
    expect((await (await signIn(api.send, alice)).ask(CALLS.currentUser)).ok.data?.id).toBe(alice.id);
  });
});

it('The link to the mail page is shown only to clients on the same machine', async () => {
  const open = () => freshStore('sqlite');
  const mailFolder = '/nonexistent';
  const api = await startApi(open, { mailFolder });
  const shown = async (peer: string, headers: Record<string, string> = {}, at = api) => {
    const alice = await signUp(at.sendFrom(peer), { name: 'Alice' });
    return (await alice.ask(CALLS.standing, { headers })).ok.data.mail_page;
  };
  const path = `/dev/mail?key=${SECRETS.mailPage}`;
  for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(await shown(peer)).toBe(path);
  expect((await api.send(path)).status).toBe(200);

  // Clients on the network send a local name in the Host header, as anybody can.
  for (const peer of ['198.51.100.7', '192.168.1.5', '1127.0.0.1', '::2'])
    expect(await shown(peer, { host: 'localhost:8080' })).toBeNull();
  // This deployment really sends its mail, so it stores none.
  expect(await shown('127.0.0.1', {}, await startApi(open))).toBeNull();
  // A proxy on this machine that adds no forwarding headers to requests.
  const published = { publicUrl: new URL('https://certs.example.com'), publicUrlIsDefault: false };
  const behindProxy = await startApi(open, { mailFolder, config: published });
  expect(await shown('127.0.0.1', { host: 'localhost:8080' }, behindProxy)).toBeNull();
});
