import { countSignUp } from '../../server/api/auth/identity-limits.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { OIDC_FAILURES } from '../../contract/oidc-failure.ts';
import { createInvite } from '../../server/providers/identity/invite.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import {
  OIDC_CLIENT,
  type OidcServer,
  type OidcServerOptions,
  startOidcServer,
} from '../kit/providers/oidc-server.ts';
import { createClient, identityToken, type Person, signIn, signUp } from '../kit/product/people.ts';
import { SECRETS, startApi, type TestApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

const PUBLIC_URL = 'http://localhost:8080';
const DONE = `${PUBLIC_URL}/signed-in`;
const CALLBACK = '/api/identity/oauth2/callback';
const CHARLIE = { email: 'Charlie@Example.test', email_verified: true, name: 'Charlie OpenID' };

type Signups = 'open' | 'invite' | 'closed';

interface World {
  api: TestApi;
  server: OidcServer;
  warnings: string[];
  /** The facts of each log line. */
  facts: unknown[];
}

async function startServer(more: Partial<OidcServerOptions> = {}): Promise<OidcServer> {
  const redirectUris = ['acme', 'google'].map((id) => `${PUBLIC_URL}${CALLBACK}/${id}`);
  const server = await startOidcServer({ redirectUris, ...more });
  onTestFinished(() => server.stop());
  server.users.set('charlie', CHARLIE);
  return server;
}

const providerAt = (server: OidcServer, id = 'acme') => ({
  id,
  name: 'Acme',
  issuer: server.issuer,
  ...OIDC_CLIENT,
});

async function startWorld(
  open: () => Promise<Store>,
  { signups = 'open', ...more }: Partial<OidcServerOptions> & { signups?: Signups } = {},
): Promise<World> {
  const server = await startServer(more);
  const warnings: string[] = [];
  const facts: unknown[] = [];
  const note = (entry: unknown, message?: string) => {
    warnings.push(message ?? '');
    facts.push(entry);
  };
  const errors: unknown[] = [];
  onTestFinished(() => expect(errors).toEqual([]));
  const error = (entry: unknown) => void errors.push(entry);
  const api = await startApi(open, {
    openId: [providerAt(server)],
    config: { signups },
    log: { info: note, warn: note, error },
  });
  return { api, server, warnings, facts };
}

/** Signs in through the provider's pages. `end` is the address of the popup at the end. */
async function comeBy(
  { api, server }: Pick<World, 'api' | 'server'>,
  { as = 'charlie', ...choice }: { as?: string | null; invite?: string; trial?: boolean } = {},
) {
  const client = createClient(api.send);
  const started = await client.ask(CALLS.oidcStart, {
    body: { provider: 'acme', ...choice },
  });
  const back = await server.logIn(started.ok.url, as);
  return { client, back, end: await follow(client, back) };
}

async function follow(client: ReturnType<typeof createClient>, back: URL): Promise<string | null> {
  const response = await client.send(`${back.pathname}${back.search}`);
  expect(response.status).toBe(302);
  return response.headers.get('location');
}

async function openSession(client: ReturnType<typeof createClient>) {
  return client.ask(CALLS.openSession, { body: { token: await identityToken(client) } });
}

const failed = (code: keyof typeof OIDC_FAILURES) => `${DONE}?error=${code}`;
const usersOf = (api: TestApi) => api.store.db.selectFrom('user').selectAll().execute();

describeAnyDatabase('Sign-in with an OpenID provider', (open) => {
  it('opens an account for a verified address, and the same account at the next sign-in', async () => {
    const world = await startWorld(open);
    const { client, end } = await comeBy(world);
    expect(end).toBe(DONE);
    const first = (await openSession(client)).ok.data;
    expect(first).toMatchObject({ email: 'charlie@example.test', full_name: 'Charlie OpenID' });
    const methods = (await client.ask(CALLS.identityMethods)).ok.data;
    expect(methods).toMatchObject({ password: false, oidc: ['acme'] });

    const again = await comeBy(world);
    expect((await openSession(again.client)).ok.data).toEqual(first);
    const links = await world.api.store.db.selectFrom('account').selectAll().execute();
    expect(links).toHaveLength(1);
    expect(links[0]).toMatchObject({ accessToken: null, refreshToken: null, idToken: null });
    expect(world.warnings).toEqual([]);
    promise('10.1.1');
    promise('10.5.2');
  });

  it('grants the trial requested at a first sign-in even if only the second sign-in creates the account', async () => {
    const world = await startWorld(open);
    await comeBy(world, { trial: true });
    const { client } = await comeBy(world);
    await openSession(client);
    expect((await client.ask(CALLS.standing)).ok.data.status).toBe('trialing');
  });

  it('counts toward the sign-up limit of the client’s address when it opens an account', async () => {
    const world = await startWorld(open);
    const { store, clock } = world.api;
    const client = { shown: '198.51.100.7', network: '198.51.100.7', prefix: '198.51.100' };
    for (let count = 0; count < STANDARD_LIMITS.signUpsPerHour; count++)
      expect(await countSignUp(store, { client, limits: STANDARD_LIMITS, now: clock.now() })).toBeNull();
    const { problem } = await openSession((await comeBy(world)).client);
    expect(problem.status).toBe(429);
    expect(problem.detail).toMatch(/^The limit of 20 sign-ups an hour from one address is reached/);
  });

  it('works with claims from the userinfo endpoint and client_secret_basic', async () => {
    const world = await startWorld(open, { claimsIn: 'userinfo', authMethod: 'client_secret_basic' });
    const { client, end } = await comeBy(world);
    expect(end).toBe(DONE);
    expect((await openSession(client)).ok.data.full_name).toBe('Charlie OpenID');
  });

  it('fails without an address that the provider has verified', async () => {
    const world = await startWorld(open);
    for (const [user, code] of [
      [{ ...CHARLIE, email_verified: false }, 'email_not_verified'],
      [{ email: CHARLIE.email }, 'email_not_verified'],
      [{ name: 'Nobody' }, 'email_missing'],
    ] as const) {
      world.server.users.set('charlie', user);
      const { client, end } = await comeBy(world);
      expect(end).toBe(failed(code));
      expect((await client.ask(CALLS.identityToken)).problem.code).toBe('not_authenticated');
    }
    expect(await usersOf(world.api)).toEqual([]);
  });

  it('reports that the person cancelled', async () => {
    const world = await startWorld(open);
    expect((await comeBy(world, { as: null })).end).toBe(failed('cancelled'));
    expect(world.warnings).toEqual([]);
  });

  it('logs a provider’s error cleaned and cut to 300 characters', async () => {
    const world = await startWorld(open);
    const client = createClient(world.api.send);
    for (const said of [`a\nb\u001b[2J\u202e${'x'.repeat(4_000)}`, 'server_error']) {
      const started = await client.ask(CALLS.oidcStart, { body: { provider: 'acme' } });
      const state = new URL(started.ok.url).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ state, error: said, error_description: said });
      expect(await follow(client, new URL(`${CALLBACK}/acme?${query}`, PUBLIC_URL))).toBe(failed('failed'));
    }
    expect(world.facts).toEqual([
      { provider: 'acme', error: `a?b?[2J?${'x'.repeat(292)}` },
      { provider: 'acme', error: 'server_error' },
    ]);
  });

  it('accepts a callback once, and only in the browser that started the sign-in', async () => {
    const world = await startWorld(open);
    const { client, back, end } = await comeBy(world);
    expect(end).toBe(DONE);
    expect(await follow(client, back)).toBe(failed('expired'));

    const asking = createClient(world.api.send);
    const { url } = (await asking.ask(CALLS.oidcStart, { body: { provider: 'acme' } })).ok;
    const answer = await world.server.logIn(url, 'charlie');
    // The victim's browser did not start this sign-in. If it were accepted, the victim would be signed in as the attacker.
    const lured = createClient(world.api.send);
    expect(await follow(lured, answer)).toBe(failed('expired'));
    const forged = new URL(answer);
    forged.searchParams.set('state', 'x'.repeat(32));
    expect(await follow(asking, forged)).toBe(failed('expired'));
    const stateless = new URL(answer);
    stateless.searchParams.delete('state');
    expect(await follow(asking, stateless)).toBe(failed('expired'));
    expect(await follow(asking, answer)).toBe(DONE);
    promise('7.6.2');
    promise('10.1.2');
  });

  it('rejects an authorization code of another sign-in', async () => {
    const world = await startWorld(open);
    const stolen = (await comeBy(world)).back.searchParams.get('code') ?? '';
    const start = async () => {
      const client = createClient(world.api.send);
      const { url } = (await client.ask(CALLS.oidcStart, { body: { provider: 'acme' } })).ok;
      return { client, back: await world.server.logIn(url, 'charlie') };
    };
    const replayed = await start();
    replayed.back.searchParams.set('code', stolen);
    expect(await follow(replayed.client, replayed.back)).toBe(failed('failed'));
    // The attacker uses a fresh code of the victim, which is bound to the proof key of the victim's sign-in (RFC 7636).
    const [victim, attacker] = [await start(), await start()];
    attacker.back.searchParams.set('code', victim.back.searchParams.get('code') ?? '');
    expect(await follow(attacker.client, attacker.back)).toBe(failed('failed'));
    promise('10.2.1');
  });

  it('rejects a callback with the wrong issuer or of another provider', async () => {
    const world = await startWorld(open);
    for (const change of [
      (back: URL) => back.searchParams.set('iss', 'https://accounts.google.com'),
      (back: URL) => back.searchParams.delete('iss'),
    ]) {
      const client = createClient(world.api.send);
      const { url } = (await client.ask(CALLS.oidcStart, { body: { provider: 'acme' } })).ok;
      const back = await world.server.logIn(url, 'charlie');
      change(back);
      expect(await follow(client, back)).toBe(failed('failed'));
    }

    const other = await startServer();
    const two = await startApi(async () => world.api.store, {
      openId: [providerAt(world.server), providerAt(other, 'google')],
    });
    const client = createClient(two.send);
    const { url } = (await client.ask(CALLS.oidcStart, { body: { provider: 'acme' } })).ok;
    const back = await world.server.logIn(url, 'charlie');
    back.pathname = `${CALLBACK}/google`;
    expect(await follow(client, back)).toBe(failed('expired'));
    promise('10.2.2');
  });

  it('ends at the product’s own page, whatever addresses the request names', async () => {
    const world = await startWorld(open);
    const elsewhere = 'https://evil.example/';
    const client = createClient(world.api.send);
    const body = {
      provider: 'acme',
      callbackURL: elsewhere,
      errorCallbackURL: elsewhere,
      newUserCallbackURL: elsewhere,
      redirectTo: elsewhere,
    };
    const { url } = (await client.ask(CALLS.oidcStart, { body })).ok;
    expect(url).not.toContain('evil');
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}${CALLBACK}/acme`);
    const back = await world.server.logIn(url, 'charlie');
    for (const name of ['callbackURL', 'errorURL', 'redirect_uri', 'next'])
      back.searchParams.set(name, elsewhere);
    expect(await follow(client, back)).toBe(DONE);
    for (const query of [`?error=${elsewhere}`, `?error=x&error_description=${elsewhere}`, ''])
      expect(await follow(client, new URL(`${CALLBACK}/acme${query}`, PUBLIC_URL))).toBe(failed('expired'));
    expect(await follow(client, new URL(`${CALLBACK}/acme?state=a&state=b`, PUBLIC_URL))).toBe(
      failed('failed'),
    );
  });

  it('works only for configured providers', async () => {
    const world = await startWorld(open);
    const client = createClient(world.api.send);
    for (const provider of ['google', 'constructor', '__proto__'])
      expect((await client.ask(CALLS.oidcStart, { body: { provider } })).problem.code).toBe('not_found');
    expect((await client.send(`${CALLBACK}/google?code=x&state=y`)).status).toBe(404);
    for (const path of ['sign-in/social', 'callback/acme', 'link-social', 'error'])
      expect((await client.send(`/api/identity/${path}`, { method: 'POST' })).status).toBe(404);
  });

  it('answers 503 while the provider is down, and recovers', async () => {
    const world = await startWorld(open);
    await world.server.down();
    const client = createClient(world.api.send);
    const { problem } = await client.ask(CALLS.oidcStart, { body: { provider: 'acme' } });
    expect(problem).toMatchObject({ status: 503, code: 'identity_unavailable' });
    expect(problem.detail).toBe(OIDC_FAILURES.unavailable);
    expect(world.warnings).toHaveLength(1);
    expect(await world.api.store.db.selectFrom('verification').selectAll().execute()).toEqual([]);

    await world.server.up();
    const { url } = (await client.ask(CALLS.oidcStart, { body: { provider: 'acme' } })).ok;
    const back = await world.server.logIn(url, 'charlie');
    await world.server.down();
    expect(await follow(client, back)).toBe(failed('unavailable'));
    await world.server.up();
    expect((await comeBy(world)).end).toBe(DONE);
  });

  it('joins an existing account whose address is verified', async () => {
    const world = await startWorld(open);
    const charlie = await signUp(world.api.send, { name: 'Charlie' });
    await verify(world.api, charlie);
    world.server.users.set('charlie', { ...CHARLIE, email: charlie.email.toUpperCase() });
    const { client } = await comeBy(world);
    expect((await openSession(client)).ok.data.id).toBe(charlie.id);
    expect((await client.ask(CALLS.identityMethods)).ok.data).toMatchObject({
      password: true,
      oidc: ['acme'],
    });
    expect((await charlie.ask(CALLS.currentUser)).status).toBe(200);
    expect((await signIn(world.api.send, charlie)).id).toBe(charlie.id);
  });

  it('locks out whoever had signed up with the same address but never verified it', async () => {
    const world = await startWorld(open);
    const attacker = await signUp(world.api.send, { name: 'Mallory' });
    // A session and an ID token of the provider in reserve, not yet exchanged.
    const reserve = createClient(world.api.send);
    const { email, password } = attacker;
    await reserve.ask(CALLS.signIn, { body: { email, password } });
    const token = await identityToken(reserve);

    world.server.users.set('charlie', { ...CHARLIE, email });
    const { client } = await comeBy(world);
    const owner = (await openSession(client)).ok.data;
    expect(owner.email).toBe(email);
    expect((await client.ask(CALLS.identityMethods)).ok.data).toMatchObject({
      password: false,
      oidc: ['acme'],
    });

    expect((await attacker.ask(CALLS.currentUser)).status).toBe(401);
    expect((await attacker.ask(CALLS.refreshSession)).status).toBe(401);
    const anew = createClient(world.api.send);
    expect((await anew.ask(CALLS.signIn, { body: { email, password } })).problem.code).toBe(
      'invalid_credentials',
    );
    expect((await reserve.ask(CALLS.identityToken)).problem.code).toBe('not_authenticated');
    expect((await anew.ask(CALLS.openSession, { body: { token } })).problem.code).toBe('invalid_token');
    expect((await client.ask(CALLS.currentUser)).ok.data).toEqual(owner);
    promise('6.8.1');
  });

  it.each([
    ['new', async () => 'charlie@example.test'],
    ['unverified', async (api: TestApi) => (await signUp(api.send, { name: 'Charlie' })).email],
  ])('creates one account for three concurrent sign-ins with an address that is %s', async (_, addressAt) => {
    const world = await startWorld(open);
    world.server.users.set('charlie', { ...CHARLIE, email: await addressAt(world.api) });
    const arrivals = await Promise.all(
      [1, 2, 3].map(async () => {
        const client = createClient(world.api.send);
        const { url } = (await client.ask(CALLS.oidcStart, { body: { provider: 'acme' } })).ok;
        return { client, back: await world.server.logIn(url, 'charlie') };
      }),
    );
    const ends = await Promise.all(arrivals.map(({ client, back }) => follow(client, back)));
    expect(ends).toEqual([DONE, DONE, DONE]);
    expect(await usersOf(world.api)).toHaveLength(1);
    const links = await world.api.store.db.selectFrom('account').selectAll().execute();
    expect(links.map(({ providerId }) => providerId)).toEqual(['acme']);
    expect((await comeBy(world)).end).toBe(DONE);
  });

  it('creates no account if sign-up is closed, but works for existing accounts', async () => {
    const world = await startWorld(open, { signups: 'closed' });
    expect((await comeBy(world)).end).toBe(failed('signups_closed'));
    expect(await usersOf(world.api)).toEqual([]);
    const opened = await startApi(async () => world.api.store, { openId: [providerAt(world.server)] });
    expect((await comeBy({ api: opened, server: world.server })).end).toBe(DONE);
    const { client, end } = await comeBy(world);
    expect(end).toBe(DONE);
    expect((await openSession(client)).status).toBe(200);
  });

  it('creates an account only with an invitation for its address if sign-up is by invitation', async () => {
    const world = await startWorld(open, { signups: 'invite' });
    const inviteFor = (email: string) => createInvite(email, SECRETS.invite, world.api.clock.now());
    for (const invite of [undefined, 'x', await inviteFor('somebody@else.test')])
      expect((await comeBy(world, { invite })).end).toBe(failed('invitation_needed'));
    expect(await usersOf(world.api)).toEqual([]);
    const { client, end } = await comeBy(world, { invite: await inviteFor('charlie@example.test') });
    expect(end).toBe(DONE);
    expect((await openSession(client)).status).toBe(200);
  });
});

/** Verifies the address as the mailed link does. */
async function verify(api: TestApi, person: Person): Promise<void> {
  await person.ask(CALLS.sendVerification);
  const mails = await api.store.db
    .selectFrom('mails')
    .selectAll()
    .where('recipient', '=', person.email)
    .execute();
  const token = /verify#([\w.-]+)/.exec(mails.map((mail) => JSON.stringify(mail)).join())?.[1] ?? '';
  expect((await person.ask(CALLS.verifyEmail, { body: { token } })).status).toBe(200);
}
