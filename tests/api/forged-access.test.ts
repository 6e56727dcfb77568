import { MINUTE_MS } from '../../contract/durations.ts';
import { SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../contract/words.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient, type Input } from '../kit/product/people.ts';
import { INPUTS } from './access-inputs.ts';
import { ask, comparable, type Route, routesOf } from './access-routes.ts';
import {
  type Caller,
  createWorld,
  newSession,
  nobodysThings,
  type Things,
  thingsFor,
  type World,
} from './access-world.ts';
import { promise } from '../security/promise.ts';

/** `..` alone is missing: URL parsing removes it together with the segment before it, so that another call would run. */
const ODD_IDS = ['1', "'; drop table monitors; --", '%00', '../', 'ünï', '{}', 'x'.repeat(1_500)];

/**
 * Calls that mail programs post for their reader from any site (RFC 8058). They use only the token of the mail, and answer
 * the same whoever is signed in.
 */
const FROM_ANYWHERE: Route['operation']['operationId'][] = ['unsubscribeAtOnce'];

const inputFor = (world: World, caller: Caller, { operation }: Route, things?: Things): Input =>
  INPUTS[operation.operationId]({ caller, things: things ?? thingsFor(world, caller) });
const codeOf = (text: string) => (JSON.parse(text) as { code: string }).code;
const needSession = (routes: Route[]) => routes.filter(({ operation }) => operation.security !== undefined);

const ROUTES_A_MINUTE = 40;

describeAnyDatabase('The API', (open) => {
  it('rejects session cookies that are altered, mixed or forged', async () => {
    const world = await createWorld(open, ['stranger']);
    const { api, cookieName } = world;
    const owner = world.caller('owner');
    const own = [...(await owner.arrive()).cookies.values()].map(({ value }) => value);
    const [access = '', refresh = ''] = own;
    const strangers = (await world.caller('stranger').arrive()).cookies.get(cookieName)?.value ?? '';
    const [id = '', secret = ''] = access.split('.');
    const [otherId = '', otherSecret = ''] = strangers.split('.');
    const forged = [
      access.slice(0, -1) + (access.endsWith('A') ? 'B' : 'A'),
      access.slice(0, -1),
      `${access}A`,
      access.toUpperCase(),
      refresh,
      `${id}.${otherSecret}`,
      `${otherId}.${secret}`,
      `${id}.${'A'.repeat(43)}`,
      `${id}.`,
      id,
      `${access}, ${strangers}`,
      "' or 1=1 --",
      '%00',
      'x'.repeat(5_000),
    ];
    const before = await world.rows();
    for (const [index, route] of needSession(await routesOf(api)).entries()) {
      // An address may send 1,200 requests a minute.
      if (index % ROUTES_A_MINUTE === 0) api.clock.advance(MINUTE_MS);
      for (const value of forged) {
        const client = createClient(api.send, new Map([[cookieName, { value, path: '/' }]]));
        const { status, text } = await ask(client, route, inputFor(world, owner, route));
        expect([route.path, value, status, codeOf(text)]).toEqual([
          route.path,
          value,
          401,
          'not_authenticated',
        ]);
      }
    }
    expect(await world.rows()).toEqual(before);
    promise('7.2.1');
  });

  it('answers ids of other accounts like ids that do not exist', async () => {
    const world = await createWorld(open, ['stranger', 'free']);
    const { api } = world;
    const { things } = world.caller('owner');
    const stranger = world.caller('stranger');
    const ofOwner = async () =>
      (await world.rows()).filter((row) => world.secrets().some((secret) => row.includes(secret)));
    const before = await ofOwner();
    for (const route of needSession(await routesOf(api))) {
      if (!route.path.includes('{')) continue;
      const client = await stranger.arrive();
      const askAbout = (which: Things) => ask(client, route, inputFor(world, stranger, route, which));
      const existing = comparable(await askAbout(things));
      expect([route.path, existing.status]).toEqual([route.path, 404]);
      expect(existing).toEqual(comparable(await askAbout(nobodysThings())));
      for (const odd of ODD_IDS) {
        const [id, key] = [encodeURIComponent(odd), encodeURIComponent(odd)];
        const input = { ...inputFor(world, stranger, route), params: { id, key } };
        const { status, text } = await ask(client, route, input);
        expect([route.path, odd, status, codeOf(text)]).toEqual([route.path, odd, 404, 'not_found']);
      }
    }

    // Ids in bodies: of a bulk action, of the domain to pause in exchange, and of the checkout to pay.
    const requester = await stranger.arrive();
    const bulk = async ({ domain }: Things, action: Record<string, unknown>) => {
      const { data } = (await requester.ask(CALLS.actOnDomains, { body: { ...action, ids: [domain] } })).ok;
      return data.map((result) => ({ ...result, id: '' }));
    };
    for (const action of [
      ...['check', 'pause', 'resume', 'remove'].map((name) => ({ action: name })),
      { action: 'frequency', check_frequency: 10 },
      { action: 'tag', add: ['mine'], remove: [] },
    ]) {
      const results = await bulk(things, action);
      expect(results).toMatchObject([{ problem: 'not_found', domain: null }]);
      expect(results).toEqual(await bulk(nobodysThings(), action));
    }
    const free = world.caller('free');
    const client = await free.arrive();
    const resume = async (insteadOf: string) => {
      const params = { id: free.things.pausedDomain };
      const { problem } = await client.ask(CALLS.resumeDomain, { params, body: { instead_of: insteadOf } });
      return { ...problem, request_id: '' };
    };
    expect(await resume(things.domain)).toEqual(await resume(crypto.randomUUID()));
    const pay = async (which: Things) => {
      const input = INPUTS.testPay({ caller: free, things: which });
      return { ...(await client.ask(CALLS.testPay, input)).problem, request_id: '' };
    };
    expect(await pay(things)).toEqual(await pay(nobodysThings()));
    expect(await ofOwner()).toEqual(before);
    promise('tenants');
    promise('8.2.2');
  });

  it('refuses unsafe calls from other sites, even with a valid session', async () => {
    const world = await createWorld(open, []);
    const owner = world.caller('owner');
    const client = await owner.arrive();
    const before = await world.rows();
    for (const route of await routesOf(world.api)) {
      if (route.method === 'get') continue;
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ] as Record<string, string>[]) {
        const input = inputFor(world, owner, route);
        const { status, text } = await ask(client, route, {
          ...input,
          headers: { ...input.headers, ...headers },
        });
        const refusal = FROM_ANYWHERE.includes(route.operation.operationId)
          ? [401, 'invalid_token']
          : [403, 'origin_refused'];
        expect([route.path, headers, status, codeOf(text)]).toEqual([route.path, headers, ...refusal]);
      }
    }
    expect(await world.rows()).toEqual(before);
    promise('cross-site');
    promise('7.6.2');
  });

  it('grants no Premium features and no session for a forged subscription token', async () => {
    const world = await createWorld(open, ['free']);
    const { api, cookieName } = world;
    const free = world.caller('free');
    const client = await free.arrive();
    const { domain, pausedDomain } = free.things;
    const id = free.person?.id ?? '';
    const token = await new SignJWT({ status: 'active' })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(id)
      .setExpirationTime('1d')
      .sign(new TextEncoder().encode(`${SUBSCRIPTION_SECRET_PREFIX}${id}`));
    const headers = { authorization: `Bearer ${token}`, 'x-subscription': token };
    const query = { token, check_frequency: '10' };
    const body = { host: 'new.example.com', token };
    client.cookies.set('subscription', { value: token, path: '/' });

    const added = await client.ask(CALLS.addDomain, { headers, query, body });
    expect(added.problem).toMatchObject({ status: 402, code: 'limit_reached' });
    const often = await client.ask(CALLS.setFrequency, { headers, query, params: { id: domain } });
    expect(often.problem).toMatchObject({ status: 402, code: 'premium_required' });
    const resumed = await client.ask(CALLS.resumeDomain, { headers, body, params: { id: pausedDomain } });
    expect(resumed.problem).toMatchObject({ status: 402, code: 'limit_reached' });
    expect((await client.ask(CALLS.premium, { headers, query })).ok.data).toBe(false);

    // The token is no session, and cannot be exchanged for a session.
    const holder = createClient(api.send, new Map([[cookieName, { value: token, path: '/' }]]));
    expect((await holder.ask(CALLS.currentUser, { headers })).status).toBe(401);
    expect((await holder.ask(CALLS.openSession, { body: { token } })).problem.code).toBe('invalid_token');
    promise('8.3.1');
    promise('9.2.2');
  });

  it('rejects a session that was opened while its account was being disabled', async () => {
    const world = await createWorld(open, ['disabled']);
    const { api, cookieName } = world;
    const disabled = world.caller('disabled');
    const now = api.clock.now();
    const { cookies } = await newSession(api.store, {
      accountId: disabled.person?.id ?? '',
      cookieName,
      now,
    });
    const before = await world.rows();
    for (const route of needSession(await routesOf(api))) {
      const client = createClient(api.send, new Map(cookies));
      const { status } = await ask(client, route, inputFor(world, disabled, route));
      expect([route.path, status]).toEqual([route.path, 401]);
    }
    expect(await world.rows()).toEqual(before);
    expect((await createClient(api.send, new Map(cookies)).ask(CALLS.refreshSession)).status).toBe(401);
    promise('sessions');
    promise('7.4.2');
  });

  it('answers sign-in and password reset alike for known and unknown addresses', async () => {
    const world = await createWorld(open, []);
    const known = world.caller('owner').person?.email ?? '';
    const routes = (await routesOf(world.api)).filter(({ operation: { operationId } }) =>
      ['signIn', 'requestPasswordReset'].includes(operationId),
    );
    expect(routes).toHaveLength(2);
    for (const route of routes) {
      const answer = async (email: string) =>
        comparable(
          await ask(createClient(world.api.send), route, { body: { email, password: 'wrong horse' } }),
        );
      expect(await answer(known)).toEqual(await answer('nobody@example.test'));
    }
    promise('account-existence');
  });
});
