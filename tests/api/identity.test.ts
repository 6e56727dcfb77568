import { createHash } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { LIMITS, STANDARD_LIMITS } from '../../server/core/limits.ts';
import { createInvite } from '../../server/providers/identity/invite.ts';
import { consumeRateLimit } from '../../server/store/operations/rate-limits.ts';
import { createMetrics } from '../../server/telemetry/metrics.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { createClient, identityToken, signUp } from '../kit/product/people.ts';
import { signInAtProvider } from './identity-acts.ts';
import { SECRETS, startApi } from './test-api.ts';
import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const PASSWORD = 'correct horse';

describeEachDatabase('The built-in identity provider', (open) => {
  it('opens an account for an ID token, and the same account at the next sign-in', async () => {
    const api = await startApi(open);
    const client = createClient(api.send);
    const email = 'Alice@Example.test';
    await client.ask(CALLS.signUp, { body: { name: 'Alice', email, password: PASSWORD } });
    const token = await identityToken(client);
    const first = (await client.ask(CALLS.openSession, { body: { token, company: 'Fjord Pay' } })).ok.data;
    expect(first).toMatchObject({
      email: 'alice@example.test',
      full_name: 'Alice',
      company_name: 'Fjord Pay',
    });

    // Values of a later sign-in neither overwrite the stored ones nor erase them.
    await client.ask(CALLS.signIn, { body: { email, password: PASSWORD } });
    const again = await identityToken(client);
    const more = { token: again, name: 'Mallory', company: '' };
    expect((await client.ask(CALLS.openSession, { body: more })).ok.data).toEqual(first);
    const charlie = await signUp(api.send, { name: 'Charlie' });
    expect(charlie.id).not.toBe(first.id);
  });

  it('ends its own session when the ID token is issued', async () => {
    const api = await startApi(open);
    const charlie = await signUp(api.send, { name: 'Charlie' });
    expect((await charlie.ask(CALLS.identityToken)).problem.code).toBe('not_authenticated');
  });

  it('sends its session token only as an HttpOnly cookie', async () => {
    const api = await startApi(open);
    const client = createClient(api.send);
    const person = { name: 'Charlie', email: 'charlie@example.test', password: PASSWORD };
    for (const answer of [
      await client.ask(CALLS.signUp, { body: person }),
      await client.ask(CALLS.signIn, { body: person }),
    ]) {
      const cookies = answer.headers.getSetCookie();
      expect(cookies).toHaveLength(1);
      expect(cookies[0]).toMatch(/; Path=\/api\/identity; HttpOnly; SameSite=Lax$/);
      const [token = ''] = decodeURIComponent(cookies[0]?.split(/[=;]/)[1] ?? '').split('.');
      expect(token.length).toBeGreaterThan(20);
      expect(JSON.stringify(answer.ok)).not.toContain(token);
    }
  });

  it('issues ID tokens that expire in five minutes; forged ones are rejected', async () => {
    const api = await startApi(open);
    const client = createClient(api.send);
    await client.ask(CALLS.signUp, {
      body: { name: 'Charlie', email: 'charlie@example.test', password: PASSWORD },
    });
    const good = await identityToken(client);
    const [header = '', payload = '', signature = ''] = good.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const { keys } = (await client.ask(CALLS.identityKeys)).ok;
    const kid = String(keys[0]?.['kid']);
    const stranger = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const sign = (changes: object) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'EdDSA', kid })
        .sign(stranger.privateKey);
    // Uses the public key as a shared secret, which is the best-known attack on `alg`.
    const confused = new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(new TextEncoder().encode(JSON.stringify(keys[0])));
    const embedded = new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', jwk: await exportJWK(stranger.publicKey) })
      .sign(stranger.privateKey);

    const tampered = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody-else' })).toString('base64url');
    const attacks = {
      'not a token': 'x',
      'no signature': `${header}.${payload}.`,
      'alg none': new UnsecuredJWT(claims).encode(),
      'another payload': `${header}.${tampered}.${signature}`,
      'another key': await sign({}),
      'key confusion': await confused,
      'a key of its own': await embedded,
      'an invitation': await createInvite('charlie@example.test', SECRETS.invite, api.clock.now()),
    };
    for (const [name, token] of Object.entries(attacks))
      expect([name, (await client.ask(CALLS.openSession, { body: { token } })).problem.code]).toEqual([
        name,
        'invalid_token',
      ]);

    // The library takes these times from the machine's clock, not from the test's.
    const [issued, expires] = [Number(claims['iat']) * 1_000, Number(claims['exp']) * 1_000];
    expect(expires - issued).toBe(5 * MINUTE_MS);
    api.clock.advance(expires - api.clock.now());
    expect((await client.ask(CALLS.openSession, { body: { token: good } })).problem.code).toBe(
      'invalid_token',
    );
    expect(await api.store.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
    promise('id-tokens');
    promise('9.1.1');
    promise('9.1.2');
    promise('9.2.3');
    promise('9.2.4');
  });

  it.each([['issuer', new URL('http://localhost:9999')]])(
    'rejects an ID token of another %s',
    async (_, publicUrl) => {
      const api = await startApi(open);
      const other = await startApi(async () => api.store, { config: { publicUrl } });
      const client = createClient(other.send);
      await client.ask(CALLS.signUp, {
        body: { name: 'Charlie', email: 'charlie@example.test', password: PASSWORD },
      });
      const token = await identityToken(client);
      expect((await createClient(api.send).ask(CALLS.openSession, { body: { token } })).problem.code).toBe(
        'invalid_token',
      );
    },
  );

  it('answers alike for an unknown address and a wrong password', async () => {
    const api = await startApi(open);
    const { charlie, anonymous } = await api.cast();
    const known = await anonymous.ask(CALLS.signIn, {
      body: { email: charlie.email, password: 'wrong horse' },
    });
    const unknown = await anonymous.ask(CALLS.signIn, {
      body: { email: 'nobody@example.test', password: 'wrong horse' },
    });
    expect(known.problem.code).toBe('invalid_credentials');
    expect({ ...known.problem, request_id: '' }).toEqual({ ...unknown.problem, request_id: '' });
  });

  it('rejects a sign-up with an invalid name, address or password', async () => {
    const api = await startApi(open);
    const person = { name: 'Charlie', email: 'charlie@example.test', password: PASSWORD };
    for (const [change, text] of [
      [{ password: '6chars' }, 'Password must be at least 7 characters long'],
      [{ email: 'nobody' }, 'Invalid email address'],
      [{ email: 'a@example.test\r\nBcc: b@example.test' }, 'Invalid email address'],
      [{ name: '  ' }, 'Please enter your name'],
      [{ name: 'A\nB' }, 'control characters'],
    ] as const) {
      const { problem } = await createClient(api.send).ask(CALLS.signUp, { body: { ...person, ...change } });
      expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(problem.detail).toContain(text);
    }
  });

  it('refuses breached passwords and ones made of the person’s or the product’s name', async () => {
    const api = await startApi(open);
    const ask = (password: string) =>
      createClient(api.send).ask(CALLS.signUp, {
        body: { name: 'Charlie Chaplin', email: 'charlie@example.test', password },
      });
    for (const password of ['Password1', '1234567', 'qwertyuiop'])
      expect((await ask(password)).problem).toMatchObject({
        status: 422,
        code: 'password_breached',
        detail: 'This password is known from data breaches. Please choose another one.',
      });
    for (const password of ['charlie@example.test', 'charlie2026', 'Charlie-Chaplin', 'CERTLANTERN!'])
      expect((await ask(password)).problem).toMatchObject({
        code: 'password_breached',
        detail:
          'This password is your name or address, or the name of this product. Please choose another one.',
      });
    expect(await api.store.db.selectFrom('user').select('id').execute()).toEqual([]);
    expect((await ask('charlie likes trams')).status).toBe(200);
    promise('known-passwords');
    promise('6.1.2');
    promise('6.2.4');
    promise('6.2.12');
  });

  it('ignores unknown sign-up fields and accepts each email address once', async () => {
    const api = await startApi(open);
    const client = createClient(api.send);
    const body = { name: 'Charlie', email: 'charlie@example.test', password: PASSWORD };
    const extra = { emailVerified: true, id: 'chosen', role: 'admin', image: 'https://example.test/x.png' };
    const signedUp = (await client.ask(CALLS.signUp, { body: { ...body, ...extra } })).ok.user;
    expect(signedUp).toMatchObject({ emailVerified: false, image: null });
    expect(signedUp.id).not.toBe('chosen');
    const twice = { ...body, email: 'CHARLIE@example.test' };
    expect((await client.ask(CALLS.signUp, { body: twice })).problem.code).toBe('email_taken');
    promise('8.2.3');
  });

  it('serves none of the other routes of Better Auth', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    for (const path of [
      'ok',
      'error',
      'get-session',
      'list-sessions',
      'update-user',
      'change-email',
      'change-password',
      'set-password',
      'verify-password',
      'delete-user',
      'list-accounts',
      'link-social',
      'unlink-account',
      'sign-in/social',
      'send-verification-email',
      'two-factor/get-totp-uri',
      'two-factor/send-otp',
      'two-factor/generate-backup-codes',
      'passkey/list-user-passkeys',
      'passkey/update-passkey',
    ])
      for (const method of ['GET', 'POST'])
        expect([path, (await charlie.send(`/api/identity/${path}`, { method })).status]).toEqual([path, 404]);
    promise('6.1.3');
    promise('6.3.4');
    promise('6.4.2');
  });

  it('limits failed sign-ins per account to ten, from all addresses together', async () => {
    const api = await startApi(open);
    const { charlie, bob } = await api.cast();
    const guess = (from: string, email: string, password = 'wrong horse') =>
      createClient(api.sendFrom(from)).ask(CALLS.signIn, { body: { email, password } });

    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, index) => guess(`203.0.${index}.1`, charlie.email)),
    );
    const limited = answers.filter((answer) => answer.status === 429);
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(10);
    expect(limited).toHaveLength(4);
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(limited[0]?.problem.retry_after).toBeGreaterThan(800);
    // The right password is refused as well. Sign-ins to other accounts still work.
    expect((await guess('203.0.99.1', charlie.email, charlie.password)).status).toBe(429);
    expect((await guess('203.0.99.1', bob.email, bob.password)).status).toBe(200);
    api.clock.advance(15 * 60_000);
    expect((await guess('203.0.99.1', charlie.email, charlie.password)).status).toBe(200);
    promise('guessing');
    promise('6.1.1');
    promise('6.3.1');
  });

  it.each([
    ['address', 'sign-in:address:203.0.113.5', 50],
    ['network', 'sign-in:prefix:203.0.113', 200],
  ])('limits failed sign-ins per client %s and does not count successful ones', async (_, key, limit) => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    const attempt = (from: string, password: string) =>
      createClient(api.sendFrom(from)).ask(CALLS.signIn, { body: { email: charlie.email, password } });
    // Count guesses at other accounts directly, which saves the time for hashing their passwords.
    for (let used = 2; used < limit; used++)
      await consumeRateLimit(api.store, { key, limit, windowMs: 15 * 60_000, now: api.clock.now() });

    expect((await attempt('203.0.113.5', charlie.password)).status).toBe(200);
    expect((await attempt('203.0.113.5', 'wrong horse')).status).toBe(401);
    expect((await attempt('203.0.113.5', charlie.password)).status).toBe(200);
    expect((await attempt('203.0.113.5', 'wrong horse')).status).toBe(401);
    expect((await attempt('203.0.113.5', charlie.password)).status).toBe(429);
    expect((await attempt('203.0.114.5', charlie.password)).status).toBe(200);
    promise('guessing');
  });

  it('limits checks of passwords, right or wrong, per client address, network and account', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const address = '203.0.113.5';
    const account = createHash('sha256').update(alice.email).digest('base64url');
    const { id: subject } = await api.store.db
      .selectFrom('user')
      .select('id')
      .where('email', '=', alice.email)
      .executeTakeFirstOrThrow();
    const byClient = [
      [`address:${address}`, 40, MINUTE_MS],
      ['prefix:203.0.113', 120, MINUTE_MS],
    ] as const;
    const provider = await signInAtProvider(api.sendFrom(address), alice);
    const body = { email: alice.email, password: alice.password };
    const token = 'A'.repeat(43);
    const checks = [
      [CALLS.signIn, { body }, [...byClient, [`account:${account}`, 30, 15 * MINUTE_MS]]],
      [CALLS.enableTotp, { body }, [...byClient, [`account:${subject}`, 30, 15 * MINUTE_MS]]],
      [CALLS.resetPassword, { body: { token, password: PASSWORD } }, byClient],
    ] as const;
    for (const [call, input, limits] of checks)
      for (const [key, limit, windowMs] of limits) {
        await api.store.db.deleteFrom('rate_limits').execute();
        const used = { key: `password-check:${key}`, limit, windowMs, now: api.clock.now() };
        await consumeRateLimit(api.store, { ...used, weight: limit - 1 });
        const { status } = await provider.ask(call, input);
        expect([key, status]).toEqual([key, call === CALLS.resetPassword ? 401 : 200]);
        const { problem } = await provider.ask(call, input);
        expect([key, problem]).toEqual([key, expect.objectContaining({ code: 'too_many_requests' })]);
        expect(problem.retry_after).toBeLessThanOrEqual(windowMs / 1_000);
      }
    promise('floods');
    promise('6.3.1');
  });

  it('limits sign-ups per client address and per network, by hour and by day', async () => {
    const limits = {
      ...STANDARD_LIMITS,
      signUpsPerHour: 2,
      signUpsPerDay: 3,
      networkSignUpsPerHour: 3,
      networkSignUpsPerDay: 5,
    };
    const metrics = createMetrics();
    const api = await startApi(open, { config: { limits }, telemetry: { metrics, tracer: null } });
    let people = 0;
    const from = async (address: string): Promise<string> => {
      people += 1;
      const body = { name: 'Dora', email: `dora-${people}@example.test`, password: PASSWORD };
      const answer = await createClient(api.sendFrom(address)).ask(CALLS.signUp, { body });
      return answer.status === 200 ? 'ok' : answer.problem.detail.replace(/ Try again.*/, '');
    };
    expect([await from('203.0.113.5'), await from('203.0.113.5')]).toEqual(['ok', 'ok']);
    const hour = 'The limit of 2 sign-ups an hour from one address is reached.';
    expect(await from('203.0.113.5')).toBe(hour);
    expect(await from('203.0.113.6')).toBe('ok');
    expect(await from('203.0.113.7')).toBe('The limit of 3 sign-ups an hour from one network is reached.');
    expect(await from('203.0.114.5')).toBe('ok');
    api.clock.advance(HOUR_MS);
    expect(await from('203.0.113.5')).toBe('ok');
    expect(await from('203.0.113.5')).toBe('The limit of 3 sign-ups a day from one address is reached.');
    expect(await from('203.0.113.8')).toBe('ok');
    api.clock.advance(HOUR_MS);
    expect(await from('203.0.113.9')).toBe('The limit of 5 sign-ups a day from one network is reached.');

    // With IPv6 everybody has a /64, and most people with more have a /48.
    expect([await from('2001:db8:7:1::1'), await from('2001:db8:7:1:ffff::2')]).toEqual(['ok', 'ok']);
    expect(await from('2001:db8:7:1::3')).toBe(hour);
    expect(await from('2001:db8:7:2::1')).toBe('ok');
    expect(await from('2001:db8:8:1::1')).toBe('ok');

    const counted = await metrics.registry.metrics();
    for (const name of [
      'signUpsPerHour',
      'signUpsPerDay',
      'networkSignUpsPerHour',
      'networkSignUpsPerDay',
    ] as const)
      expect(counted).toContain(`certlantern_limit_reached_total{limit="${LIMITS[name].setting}"}`);
  });

  it('needs a valid invitation for the same address where sign-up is by invitation', async () => {
    const api = await startApi(open, { config: { signups: 'invite' } });
    const person = { name: 'Charlie', email: 'charlie@example.test', password: PASSWORD };
    const invite = await createInvite('Charlie@example.test', SECRETS.invite, api.clock.now());
    const ask = (more: object, headers = {}) =>
      createClient(api.send).ask(CALLS.signUp, { body: { ...person, ...more }, headers });

    const forged = await createInvite(person.email, 'another secret', api.clock.now());
    const stale = await createInvite(person.email, SECRETS.invite, api.clock.now() - 15 * 86_400_000);
    for (const more of [
      {},
      { invite: 'x' },
      { invite: forged },
      { invite: stale },
      { invite, email: 'other@example.test' },
    ])
      expect((await ask(more)).problem.code).toBe('signups_closed');
    expect((await ask({ email: 'CHARLIE@example.test' }, { 'x-invite': invite })).status).toBe(200);
    expect((await ask({ invite })).problem.code).toBe('email_taken');
    promise('6.4.1');
  });

  it('refuses sign-ups but not sign-ins where sign-up is closed', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    const closed = await startApi(async () => api.store, { config: { signups: 'closed' } });
    const client = createClient(closed.send);
    const person = { name: 'Dora', email: 'dora@example.test', password: PASSWORD };
    expect((await client.ask(CALLS.signUp, { body: person })).problem.code).toBe('signups_closed');
    const { email, password } = charlie;
    expect((await client.ask(CALLS.signIn, { body: { email, password } })).status).toBe(200);
  });
});
