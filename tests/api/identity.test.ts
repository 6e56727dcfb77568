import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { LIMITS, STANDARD_LIMITS } from '../../server/core/index.ts';
import { createInvite } from '../../server/providers/identity/index.ts';
import { consumeRateLimit } from '../../server/store/operations/rate-limits.ts';
import { createMetrics } from '../../server/telemetry/index.ts';
import { describeEachDatabase } from '../kit/database.ts';
import { createClient, identityToken, signUp } from '../kit/people.ts';
import { SECRETS, startApi } from './test-api.ts';
import { HOUR_MS } from '../../contract/durations.ts';

const PASSWORD = 'correct horse';

describeEachDatabase('Identity', (open) => {
  it('opens an account for an ID token, and the same one ever after', async () => {
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

    // What is sent at a later login never overwrites, and empty never erases.
    await client.ask(CALLS.signIn, { body: { email, password: PASSWORD } });
    const again = await identityToken(client);
    const more = { token: again, name: 'Mallory', company: '' };
    expect((await client.ask(CALLS.openSession, { body: more })).ok.data).toEqual(first);
    const charlie = await signUp(api.send, { name: 'Charlie' });
    expect(charlie.id).not.toBe(first.id);
  });

  it('ends the provider’s own session with the exchange', async () => {
    const api = await startApi(open);
    const charlie = await signUp(api.send, { name: 'Charlie' });
    expect((await charlie.ask(CALLS.identityToken)).problem.code).toBe('not_authenticated');
  });

  it('gives its session to the browser as a cookie that no script can read, and in no other way', async () => {
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

  it('refuses every token that the provider did not just sign for us', async () => {
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
    // The public key taken for a shared secret: the oldest trick with `alg`.
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

    api.clock.advance(5 * 60_000 + 1_000);
    expect((await client.ask(CALLS.openSession, { body: { token: good } })).problem.code).toBe(
      'invalid_token',
    );
    expect(await api.store.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
  });

  it.each([['issuer', new URL('http://localhost:9999')]])(
    'refuses a token of another %s',
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

  it('answers for unknown addresses as for wrong passwords', async () => {
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

  it('refuses to sign anybody up with less than a name, an address and a password', async () => {
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

  it('refuses passwords that others know or would guess', async () => {
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
        detail: 'This password is your own name or address, or ours. Please choose another one.',
      });
    expect(await api.store.db.selectFrom('user').select('id').execute()).toEqual([]);
    expect((await ask('charlie likes trams')).status).toBe(200);
  });

  it('takes nothing but name, address and password, and each address once', async () => {
    const api = await startApi(open);
    const client = createClient(api.send);
    const body = { name: 'Charlie', email: 'charlie@example.test', password: PASSWORD };
    const extra = { emailVerified: true, id: 'chosen', role: 'admin', image: 'https://example.test/x.png' };
    const signedUp = (await client.ask(CALLS.signUp, { body: { ...body, ...extra } })).ok.user;
    expect(signedUp).toMatchObject({ emailVerified: false, image: null });
    expect(signedUp.id).not.toBe('chosen');
    const twice = { ...body, email: 'CHARLIE@example.test' };
    expect((await client.ask(CALLS.signUp, { body: twice })).problem.code).toBe('email_taken');
  });

  it('serves no other route of the library', async () => {
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
  });

  it('counts failed sign-ins by account, from wherever they come', async () => {
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
    // The right password does not pass either, an unknown account has the same limit, others are untouched.
    expect((await guess('203.0.99.1', charlie.email, charlie.password)).status).toBe(429);
    expect((await guess('203.0.99.1', bob.email, bob.password)).status).toBe(200);
    api.clock.advance(15 * 60_000);
    expect((await guess('203.0.99.1', charlie.email, charlie.password)).status).toBe(200);
  });

  it.each([
    ['address', 'sign-in:address:203.0.113.5', 50],
    ['network', 'sign-in:prefix:203.0.113', 200],
  ])('counts failed sign-ins by %s, and only those', async (_, key, limit) => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    const attempt = (from: string, password: string) =>
      createClient(api.sendFrom(from)).ask(CALLS.signIn, { body: { email: charlie.email, password } });
    // Guesses at other accounts, without the time that judging their passwords takes.
    for (let used = 2; used < limit; used++)
      await consumeRateLimit(api.store, { key, limit, windowMs: 15 * 60_000, now: api.clock.now() });

    expect((await attempt('203.0.113.5', charlie.password)).status).toBe(200);
    expect((await attempt('203.0.113.5', 'wrong horse')).status).toBe(401);
    expect((await attempt('203.0.113.5', charlie.password)).status).toBe(200);
    expect((await attempt('203.0.113.5', 'wrong horse')).status).toBe(401);
    expect((await attempt('203.0.113.5', charlie.password)).status).toBe(429);
    expect((await attempt('203.0.114.5', charlie.password)).status).toBe(200);
  });

  it('limits the sign-ups of an address and of its network, by the hour and by the day', async () => {
    const limits = {
      ...STANDARD_LIMITS,
      signUpsPerHour: 2,
      signUpsPerDay: 3,
      networkSignUpsPerHour: 3,
      networkSignUpsPerDay: 5,
    };
    const meters = createMetrics();
    const api = await startApi(open, { config: { limits }, telemetry: { meters, tracer: null } });
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

    // Of IPv6 everybody has a /64, and who has more of them mostly has a /48.
    expect([await from('2001:db8:7:1::1'), await from('2001:db8:7:1:ffff::2')]).toEqual(['ok', 'ok']);
    expect(await from('2001:db8:7:1::3')).toBe(hour);
    expect(await from('2001:db8:7:2::1')).toBe('ok');
    expect(await from('2001:db8:8:1::1')).toBe('ok');

    const counted = await meters.registry.metrics();
    for (const name of [
      'signUpsPerHour',
      'signUpsPerDay',
      'networkSignUpsPerHour',
      'networkSignUpsPerDay',
    ] as const)
      expect(counted).toContain(`certlantern_limit_reached_total{limit="${LIMITS[name].setting}"}`);
  });

  it('signs up by invitation only, where the operator wants that', async () => {
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
    expect((await ask({}, { 'x-invite': invite })).status).toBe(200);
    expect((await ask({ invite })).problem.code).toBe('email_taken');
  });

  it('signs nobody up where that is closed, and lets everybody in who has an account', async () => {
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
