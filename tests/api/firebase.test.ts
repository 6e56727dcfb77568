import { exportJWK, exportPKCS8, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { type Limits, STANDARD_LIMITS } from '../../server/core/limits.ts';
import { createFirebaseIdentity } from '../../server/providers/identity/firebase.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { firebaseClaims, PROJECT, startGoogleIdentity } from '../kit/providers/google-identity.ts';
import { createClient } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';
import { HOUR_MS } from '../../contract/durations.ts';

const seconds = () => Math.floor(Date.now() / 1000);

async function startWithFirebase(
  open: () => Promise<Store>,
  {
    emulated = false,
    credentials = false,
    limits = {},
  }: { emulated?: boolean; credentials?: boolean; limits?: Partial<Limits> } = {},
) {
  const google = await startGoogleIdentity();
  onTestFinished(() => google.stop());
  const warnings: string[] = [];
  const identity = createFirebaseIdentity({
    config: {
      projectId: PROJECT,
      emulatorUrl: emulated ? 'http://127.0.0.1:9099' : null,
      serviceAccount: credentials ? google.serviceAccount : null,
    },
    endpoints: google.endpoints,
    log: { warn: (_, message) => void warnings.push(message) },
  });
  const api = await startApi(open, { identity, config: { limits: { ...STANDARD_LIMITS, ...limits } } });
  const exchange = (token: string) => createClient(api.send).ask(CALLS.openSession, { body: { token } });
  return { google, identity, api, exchange, warnings };
}

describeAnyDatabase('Firebase sign-in', (open) => {
  it('opens an account for an ID token, and the same account at the next sign-in', async () => {
    const { google, exchange } = await startWithFirebase(open);
    const first = (await exchange(await google.idToken())).ok.data;
    expect(first).toMatchObject({
      email: 'charlie@example.test',
      full_name: 'Charlie Firebase',
      photo_url: 'https://lh3.googleusercontent.com/a/photo',
    });
    expect((await exchange(await google.idToken({ name: 'Mallory' }))).ok.data).toEqual(first);
    expect(google.keyRequests).toBe(1);
  });

  it('rejects ID tokens that are forged, expired or of another project or tenant', async () => {
    const { google, api, exchange } = await startWithFirebase(open);
    const stranger = await generateKeyPair('RS256', { extractable: true });
    const header = { alg: 'RS256', kid: 'key-of-this-week' };
    const good = await google.idToken();
    const [, payload = '', signature = ''] = good.split('.');
    const jwk = await google.publicJwk();
    const attacks: Record<string, string> = {
      'not a token': 'x',
      'no signature': `${good.split('.').slice(0, 2).join('.')}.`,
      'alg none': new UnsecuredJWT(firebaseClaims()).encode(),
      'another header': `${Buffer.from(JSON.stringify({ ...header, typ: 'x' })).toString('base64url')}.${payload}.${signature}`,
      'another key': await new SignJWT(firebaseClaims()).setProtectedHeader(header).sign(stranger.privateKey),
      'a key nobody knows': await new SignJWT(firebaseClaims())
        .setProtectedHeader({ ...header, kid: 'unknown' })
        .sign(stranger.privateKey),
      'a key of its own': await new SignJWT(firebaseClaims())
        .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(stranger.publicKey) })
        .sign(stranger.privateKey),
      'key confusion': await new SignJWT(firebaseClaims())
        .setProtectedHeader({ alg: 'HS256', kid: 'key-of-this-week' })
        .sign(new TextEncoder().encode(JSON.stringify(jwk))),
      'another project': await google.idToken({ iss: 'https://securetoken.google.com/other', aud: 'other' }),
      'another audience': await google.idToken({ aud: 'other' }),
      'several audiences': await google.idToken({ aud: [PROJECT, 'other'] }),
      'another issuer': await google.idToken({ iss: 'https://accounts.google.com' }),
      'a session cookie': await google.idToken({ iss: `https://session.firebase.google.com/${PROJECT}` }),
      nobody: await google.idToken({ sub: '' }),
      'a number': await google.idToken({ sub: 7 }),
      'no subject': await google.idToken({ sub: undefined }),
      'an endless subject': await google.idToken({ sub: 'x'.repeat(129) }),
      expired: await google.idToken({ exp: seconds() - 1 }),
      'without end': await google.idToken({ exp: undefined }),
      'issued in the future': await google.idToken({ iat: seconds() + 300 }),
      'signed in in the future': await google.idToken({ auth_time: seconds() + 300 }),
      'no sign-in': await google.idToken({ auth_time: undefined }),
      'a tenant of the project': await google.idToken({ firebase: { tenant: 'acme' } }),
      'no address': await google.idToken({ email: undefined }),
    };
    for (const [name, token] of Object.entries(attacks))
      expect([name, (await exchange(token)).problem.code]).toEqual([name, 'invalid_token']);
    expect(await api.store.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
    // Many tokens with unknown keys do not cause many requests to Google.
    expect(google.keyRequests).toBe(1);
    promise('id-tokens');
    promise('6.8.2');
    promise('9.2.1');
  });

  it('limits new accounts per client address, without limiting existing accounts', async () => {
    const { google, api, exchange } = await startWithFirebase(open, { limits: { signUpsPerHour: 2 } });
    const arrive = async (sub: string) =>
      (await exchange(await google.idToken({ sub, email: `${sub}@example.test` }))).status;
    expect([await arrive('one'), await arrive('two'), await arrive('three')]).toEqual([200, 200, 429]);
    expect([await arrive('one'), await arrive('two'), await arrive('three')]).toEqual([200, 200, 429]);
    expect(await api.store.db.selectFrom('accounts').select('id').execute()).toHaveLength(2);
  });

  it('fails with the reason if the provider shared no email address', async () => {
    const { google, exchange } = await startWithFirebase(open);
    const { problem } = await exchange(await google.idToken({ email: undefined, email_verified: undefined }));
    expect(problem.detail).toContain('did not share an email address');
  });

  it('ignores photo URLs that are not https', async () => {
    const { google, exchange } = await startWithFirebase(open);
    for (const picture of ['javascript:alert(1)', 'http://example.test/me.png', 'data:image/png;base64,', 7])
      expect((await exchange(await google.idToken({ picture }))).ok.data.photo_url).toBeNull();
  });

  it('accepts only tokens of the emulator if an emulator is configured', async () => {
    const { google, exchange } = await startWithFirebase(open, { emulated: true });
    const unsigned = (claims = {}) => new UnsecuredJWT(firebaseClaims(claims)).encode();
    expect((await exchange(unsigned())).ok.data.email).toBe('charlie@example.test');
    for (const token of [
      unsigned({ aud: 'other' }),
      unsigned({ iss: 'https://securetoken.google.com/other' }),
      unsigned({ exp: seconds() - 1 }),
      unsigned({ sub: '' }),
      await google.idToken(),
    ])
      expect((await exchange(token)).problem.code).toBe('invalid_token');
  });

  it.each(['fault', 'nonsense', 'hang_up'] as const)(
    'answers 503 if Google’s keys cannot be loaded (%s), while existing sessions continue',
    async (behaviour) => {
      const { google, api, exchange, warnings } = await startWithFirebase(open);
      google.behave(behaviour);
      const { problem } = await exchange(await google.idToken());
      expect(problem).toMatchObject({ status: 503, code: 'identity_unavailable' });
      expect(problem.detail).toContain('is not responding');
      expect(warnings).toHaveLength(1);

      google.behave('answer');
      const client = createClient(api.send);
      await client.ask(CALLS.openSession, { body: { token: await google.idToken() } });
      google.behave(behaviour);
      expect((await client.ask(CALLS.currentUser)).status).toBe(200);
      api.clock.advance(16 * 60_000);
      expect((await client.ask(CALLS.currentUser)).status).toBe(401);
      expect((await client.ask(CALLS.refreshSession)).status).toBe(200);
      expect((await client.ask(CALLS.currentUser)).status).toBe(200);
      // The keys are still cached, so even a sign-in works for a while.
      expect((await exchange(await google.idToken())).status).toBe(200);
    },
  );

  it('loses its access, if its address was never verified, once the owner of the address signs in', async () => {
    const { google, api } = await startWithFirebase(open);
    const arrive = async (claims: Record<string, unknown>) => {
      const client = createClient(api.send);
      const token = await google.idToken(claims);
      return { client, token, opened: await client.ask(CALLS.openSession, { body: { token } }) };
    };
    // Firebase keeps the user and drops the password when a trusted provider verifies the address later.
    const attacker = await arrive({ email_verified: false });
    const owner = await arrive({});
    expect(owner.opened.ok.data.id).toBe(attacker.opened.ok.data.id);
    expect((await attacker.client.ask(CALLS.currentUser)).status).toBe(401);
    expect((await attacker.client.ask(CALLS.refreshSession)).status).toBe(401);
    expect((await owner.client.ask(CALLS.currentUser)).status).toBe(200);

    // The other case: the owner signs in as a different Firebase user.
    const email = 'dora@example.test';
    const squatter = await arrive({ sub: 'squatter', email, email_verified: false });
    const dora = await arrive({ sub: 'dora', email });
    expect(dora.opened.ok.data.id).toBe(squatter.opened.ok.data.id);
    expect((await squatter.client.ask(CALLS.currentUser)).status).toBe(401);
    const again = await squatter.client.ask(CALLS.openSession, { body: { token: squatter.token } });
    expect(again.problem.code).toBe('email_taken');
  });

  it('keeps domains and calendar when the address becomes verified in the browser that signed up', async () => {
    const { google, api } = await startWithFirebase(open);
    const client = createClient(api.send);
    const signIn = async (emailVerified: boolean) => {
      const token = await google.idToken({ email_verified: emailVerified });
      return client.ask(CALLS.openSession, { body: { token } });
    };
    await signIn(false);
    const id = (await client.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data.id;
    const calendar = new URL((await client.ask(CALLS.makeCalendar)).ok.data.url).pathname;
    // Let the access cookie expire, but not the refresh cookie.
    api.clock.advance(20 * 60_000);
    expect((await signIn(true)).status).toBe(200);
    expect((await client.ask(CALLS.standing)).ok.data).toMatchObject({
      email_verified: true,
      paused_unconfirmed: 0,
    });
    expect((await client.ask(CALLS.domain, { params: { id } })).ok.data.paused).toBeNull();
    expect((await api.send(calendar)).status).toBe(200);
  });

  it('serves no routes of the built-in provider', async () => {
    const { api } = await startWithFirebase(open);
    for (const path of ['sign-in/email', 'sign-up/email', 'token', 'jwks', 'sign-in/oauth2'])
      for (const method of ['GET', 'POST']) {
        const init = { method, headers: { 'content-type': 'application/json' } };
        const body = '{"name":"Charlie","email":"charlie@example.test","password":"correct horse"}';
        const response = await api.send(`/api/identity/${path}`, {
          ...init,
          ...(method === 'POST' && { body }),
        });
        expect([method, path, response.status]).toEqual([method, path, 404]);
      }
  });
});

it('The server fetches Google’s keys again after an hour, even if its clock was 400 days ahead at the last fetch', async () => {
  const google = await startGoogleIdentity();
  onTestFinished(() => google.stop());
  onTestFinished(() => void vi.useRealTimers());
  let elapsed = 0;
  const now = Date.now();
  const identity = createFirebaseIdentity({
    config: { projectId: PROJECT, emulatorUrl: null, serviceAccount: null },
    endpoints: google.endpoints,
    log: { warn: () => {} },
    now: () => now,
    monotonic: () => elapsed,
  });
  const token = await google.idToken();
  vi.useFakeTimers({ toFake: ['Date'], now: now + 400 * 86_400_000 });
  expect((await identity.verify(token)).ok).toBe(true);
  vi.setSystemTime(now);
  elapsed = HOUR_MS - 1;
  expect((await identity.verify(token)).ok).toBe(true);
  expect(google.keyRequests).toBe(1);
  elapsed = HOUR_MS;
  expect((await identity.verify(token)).ok).toBe(true);
  expect(google.keyRequests).toBe(2);
});

it('The server deletes a Firebase user with service credentials, and sends no request without them', async () => {
  const google = await startGoogleIdentity();
  onTestFinished(() => google.stop());
  const config = { projectId: PROJECT, emulatorUrl: null, serviceAccount: google.serviceAccount };
  const log = { warn: () => {} };
  const identity = createFirebaseIdentity({ config, endpoints: google.endpoints, log });
  google.users.add('charlie').add('alice');
  await identity.deleteUser('charlie');
  await identity.deleteUser('charlie');
  expect([...google.users]).toEqual(['alice']);

  // Without credentials the browser deletes the user; the server sends no request to Google.
  google.behave('fault');
  const without = createFirebaseIdentity({
    config: { ...config, serviceAccount: null },
    endpoints: google.endpoints,
    log,
  });
  await without.deleteUser('alice');
  expect([...google.users]).toEqual(['alice']);
});

it('The server reports IdentityUnavailable if a Firebase user may not have been deleted', async () => {
  const google = await startGoogleIdentity();
  onTestFinished(() => google.stop());
  google.users.add('charlie');
  const stranger = await generateKeyPair('RS256', { extractable: true });
  const foreignKey = await exportPKCS8(stranger.privateKey);
  const deletion = (serviceAccount: typeof google.serviceAccount) =>
    createFirebaseIdentity({
      config: { projectId: PROJECT, emulatorUrl: null, serviceAccount },
      endpoints: google.endpoints,
      log: { warn: () => {} },
    }).deleteUser('charlie');
  await expect(deletion({ ...google.serviceAccount, privateKey: foreignKey })).rejects.toThrow(
    expect.objectContaining({ name: 'IdentityUnavailable' }),
  );
  for (const behaviour of ['fault', 'nonsense', 'hang_up'] as const) {
    google.behave(behaviour);
    await expect(deletion(google.serviceAccount)).rejects.toThrow(
      expect.objectContaining({ name: 'IdentityUnavailable' }),
    );
  }
  expect([...google.users]).toEqual(['charlie']);
});
