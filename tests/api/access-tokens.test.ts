import { expect, it } from 'vitest';
import { allows, TOKEN_SCOPES, type TokenScope } from '../../contract/token.ts';
import { revokeToken } from '../../server/store/accounts/api-tokens.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { createClient } from '../kit/product/people.ts';
import { INPUTS } from './access-inputs.ts';
import { ask, type Route, routesOf } from './access-routes.ts';
import { type Caller, createWorld, giveToken, type World } from './access-world.ts';

/**
 * The calls that a personal token may make, by the scope that they need. No token may make the other calls that need a
 * session: account, sessions, sign-in methods, tokens, other secrets that outlive a token, billing, the full export and
 * deletion.
 */
const SCOPES: Record<TokenScope, string> = {
  read: `
get    /api/user/me
get    /api/user/premium
get    /api/user/standing
get    /api/user/authorities
get    /api/domain/list
get    /api/domain/summary
get    /api/domain/ids
get    /api/domain/groups
get    /api/domain/lookup
get    /api/domain/export
get    /api/certificate/list
get    /api/certificate/export
get    /api/certificate/{fingerprint}
get    /api/deadline/list
get    /api/deadline/certificates
get    /api/deadline/export
get    /api/deadline/{rule}/calendar
post   /api/domain/import/preview
get    /api/domain/{id}
get    /api/domain/{id}/favicon
get    /api/domain/{id}/history
get    /api/domain/{id}/chain
get    /api/domain/{id}/report
get    /api/domain/{id}/history/diff
get    /api/domain/{id}/uptime
get    /api/channels
get    /api/channels/{key}/deliveries
get    /api/deliveries/{id}
get    /api/alerts
post   /api/alerts/preview
get    /api/maintenance
get    /api/domain/{id}/alerts
get    /api/status-page
post   /api/status-page/preview
get    /api/status-page/address
get    /api/domain/{id}/badge`,
  write: `
post   /api/user/authorities
delete /api/user/authorities/{id}
post   /api/user_feedback/create
post   /api/domain/bulk
post   /api/domain/import
post   /api/domain/add
post   /api/certificate/expect
patch  /api/domain/{id}
delete /api/domain/{id}
patch  /api/domain/{id}/frequency
post   /api/domain/{id}/check
post   /api/domain/{id}/pause
post   /api/domain/{id}/resume
post   /api/channels
patch  /api/channels/{key}
post   /api/channels/{key}/test
delete /api/channels/{key}
post   /api/deliveries/{id}/replay
patch  /api/alerts
post   /api/maintenance
delete /api/maintenance/{id}
patch  /api/domain/{id}/alerts
post   /api/domain/{id}/alerts/subscribe
post   /api/incidents/{id}/acknowledge
post   /api/incidents/{id}/snooze
patch  /api/status-page
post   /api/domain/{id}/badge
delete /api/domain/{id}/badge`,
  metrics: `
get    /api/account/metrics`,
};

const keyOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;
const scopeOf = new Map(
  TOKEN_SCOPES.flatMap((scope) =>
    SCOPES[scope]
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.replace(/ +/, ' '), scope] as const),
  ),
);
const inputFor = ({ operation }: Route, caller: Caller, things = caller.things) =>
  INPUTS[operation.operationId]({ caller, things });

/** Returns all rows, without the times at which tokens were last used. */
const rowsOf = async (world: World) =>
  (await world.rows()).map((row) => row.replace(/"last_used_at":\d+/, '"last_used_at":null'));

/** Sends only the token, without cookies, as a program does. */
function askWith(world: World, secret: string, route: Route, caller: Caller, things = caller.things) {
  const { headers, ...input } = inputFor(route, caller, things);
  return ask(createClient(world.api.sendFrom('203.0.113.1')), route, {
    ...input,
    headers: { ...headers, authorization: `Bearer ${secret}` },
  });
}

const codeOf = (text: string) => (JSON.parse(text) as { code: string }).code;

describeAnyDatabase('A personal token', (open) => {
  it('allows exactly the calls that its scope names', async () => {
    const world = await createWorld(open, []);
    const { api } = world;
    const owner = world.caller('owner');
    const faults: unknown[] = [];
    for (const route of await routesOf(api)) {
      if (route.operation.security === undefined) continue;
      const needed = scopeOf.get(keyOf(route));
      await owner.arrive();
      const accountId = owner.person?.id ?? '';
      const now = api.clock.now();
      const others = TOKEN_SCOPES.filter((scope) => needed === undefined || !allows([scope], needed));
      const right = await giveToken(api.store, {
        accountId,
        scopes: needed ? [needed] : [...TOKEN_SCOPES],
        now,
      });
      const wrong = await giveToken(api.store, { accountId, scopes: others, now });

      const before = await rowsOf(world);
      const refused = await askWith(world, wrong.secret, route, owner);
      if (refused.status !== 403 || codeOf(refused.text) !== 'insufficient_scope')
        faults.push([keyOf(route), others, refused.status]);
      if (needed === undefined) {
        const whole = await askWith(world, right.secret, route, owner);
        if (whole.status !== 403) faults.push([keyOf(route), 'any scope', whole.status]);
      }
      expect([keyOf(route), await rowsOf(world)]).toEqual([keyOf(route), before]);
      if (needed === undefined) continue;

      const allowed = await askWith(world, right.secret, route, owner);
      if ([401, 403].includes(allowed.status)) faults.push([keyOf(route), needed, allowed.status]);
      if (allowed.headers.get('ratelimit')?.includes('"token"') !== true)
        faults.push([keyOf(route), 'unlimited']);
      if (allowed.headers.getSetCookie().length > 0) faults.push([keyOf(route), 'cookies']);
      if (route.method !== 'get') owner.leave();
    }
    expect(faults).toEqual([]);
  });

  it('a personal token of another account gets 404 for the owner’s data and changes none of it', async () => {
    const world = await createWorld(open, ['stranger']);
    const { api } = world;
    const { things } = world.caller('owner');
    const stranger = world.caller('stranger');
    const accountId = stranger.person?.id ?? '';
    const { secret } = await giveToken(api.store, {
      accountId,
      scopes: [...TOKEN_SCOPES],
      now: api.clock.now(),
    });
    const ofOwner = async () =>
      (await rowsOf(world)).filter((row) => world.secrets().some((each) => row.includes(each)));
    const before = await ofOwner();
    for (const route of await routesOf(api)) {
      if (!scopeOf.has(keyOf(route)) || keyOf(route) === 'post /api/domain/bulk') continue;
      const { status, text } = await askWith(world, secret, route, stranger, things);
      if (route.path.includes('{')) expect([keyOf(route), status]).toEqual([keyOf(route), 404]);
      for (const each of world.secrets()) expect([keyOf(route), text]).not.toContain(each);
    }
    expect(await ofOwner()).toEqual(before);
  });

  it('gets the same 401 if it is revoked, expired, forged or of a disabled account', async () => {
    const world = await createWorld(open, ['disabled']);
    const { api } = world;
    const owner = world.caller('owner');
    await owner.arrive();
    const now = api.clock.now();
    const scopes = [...TOKEN_SCOPES];
    const idOf = (name: 'owner' | 'disabled') => world.caller(name).person?.id ?? '';
    const revoked = await giveToken(api.store, { accountId: idOf('owner'), scopes, now });
    await revokeToken(api.store, { accountId: idOf('owner'), tokenId: revoked.id });
    const ended = await giveToken(api.store, { accountId: idOf('owner'), scopes, now });
    await api.store.db
      .updateTable('api_tokens')
      .set({ expires_at: now })
      .where('id', '=', ended.id)
      .execute();
    const disabled = await giveToken(api.store, { accountId: idOf('disabled'), scopes, now });
    const good = await giveToken(api.store, { accountId: idOf('owner'), scopes, now });
    const altered = good.secret.slice(0, -1) + (good.secret.endsWith('A') ? 'E' : 'A');
    const odd = [
      altered,
      `${good.secret}A`,
      good.secret.slice(0, -1),
      'clt_',
      `clt_${'%00'.repeat(20)}`,
      `clt_${'x'.repeat(4_000)}`,
    ];
    const before = await rowsOf(world);
    for (const route of await routesOf(api)) {
      if (route.operation.security === undefined) continue;
      for (const secret of [revoked.secret, ended.secret, disabled.secret, ...odd]) {
        const { status, text, headers } = await askWith(world, secret, route, owner);
        const { request_id: _, ...said } = JSON.parse(text) as Record<string, unknown>;
        expect([keyOf(route), status, said['code'], said['detail']]).toEqual([
          keyOf(route),
          401,
          'invalid_token',
          'This token is not valid. Create a new one on your profile page.',
        ]);
        expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      }
    }
    expect(await rowsOf(world)).toEqual(before);
  });

  it('is refused if it is invalid, even if the request has a valid session cookie', async () => {
    const world = await createWorld(open, []);
    const owner = world.caller('owner');
    const client = await owner.arrive();
    for (const route of await routesOf(world.api)) {
      if (route.operation.security === undefined) continue;
      const input = inputFor(route, owner);
      const headers = { ...input.headers, authorization: `Bearer clt_${'A'.repeat(43)}` };
      const { status } = await ask(client, route, { ...input, headers });
      expect([keyOf(route), status]).toEqual([keyOf(route), 401]);
    }
  });
});
