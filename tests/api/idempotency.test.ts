import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import type { Call } from '../../contract/calls/call.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import {
  ANSWER_RETENTION_MS,
  claimIdempotencyKey,
  IdempotencyLeaseLost,
  storeAnswer,
} from '../../server/store/accounts/idempotency.ts';
import { addMaintenance } from '../../server/store/alerts/maintenance.ts';
import { deleteExpired } from '../../server/store/operations/sweep.ts';
import { describeEachDatabase, freshDatabase, freshStore } from '../kit/databases/database.ts';
import { markVerified, type Person, signUp } from '../kit/product/people.ts';
import { INPUTS } from './access-inputs.ts';
import { ask, routesOf } from './access-routes.ts';
import { createWorld, thingsFor } from './access-world.ts';
import { startApi, type TestApi } from './test-api.ts';
import { HOUR_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const under = (key: string) => ({ headers: { 'idempotency-key': key } });

function windowOf(api: TestApi, note = 'Update') {
  const [from, to] = [api.clock.now() + HOUR_MS, api.clock.now() + 2 * HOUR_MS];
  const at = (instant: number) => new Date(Math.ceil(instant / HOUR_MS) * HOUR_MS).toISOString();
  return { domain_id: null, starts_at: at(from), ends_at: at(to), repeats: 'never', note };
}

async function premium(api: TestApi): Promise<Person> {
  const { bob } = await api.cast();
  await grantPremium(api.store, bob.id, { grant: { endsAt: null }, now: api.clock.now() });
  return bob;
}

/** Returns the strings of an answer that look random: at least 32 base64 characters, not all hexadecimal. */
function secretsIn(answer: unknown): string[] {
  if (typeof answer === 'object' && answer !== null) return Object.values(answer).flatMap(secretsIn);
  const isSecret = typeof answer === 'string' && /(?![\da-f-]+$)[\w+/-]{32,}/i.test(answer);
  return isSecret ? [answer] : [];
}

/** Calls that add a row each time and yet accept no key, each with the reason. */
const REPEATABLE: Partial<Record<keyof typeof CALLS, string>> = {
  resumeIdentity:
    'sets the cookie of a short session of the identity provider, and answers are stored without cookies',
  testEvent: 'test mode: simulates an event of the payment provider',
  sendVerification: 'sends one more mail to the address of the account, at most five an hour',
};

describeEachDatabase('A call with an Idempotency-Key', (open, name) => {
  it('runs once; the stored answer is replayed', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const body = windowOf(api);
    const first = await bob.ask(CALLS.addMaintenance, { ...under('a'), body });
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const again = await bob.ask(CALLS.addMaintenance, { ...under('a'), body });
    expect(again.ok).toEqual(first.ok);
    expect(again.status).toBe(first.status);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await bob.ask(CALLS.listMaintenance)).ok.data).toHaveLength(1);

    expect((await bob.ask(CALLS.addMaintenance, { ...under('b'), body })).status).toBe(200);
    expect((await bob.ask(CALLS.addMaintenance, { body })).status).toBe(200);
    expect((await bob.ask(CALLS.listMaintenance)).ok.data).toHaveLength(3);
  });

  it('gets a stored refusal with status 200, as the first answer had, if it asks for that', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const add = (headers: object = {}) =>
      bob.send('/api/domain/add', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...under('a').headers, ...headers },
        body: JSON.stringify({ host: 'not a host' }),
      });
    const lenient = { prefer: 'handling=lenient' };
    for (const replayed of [null, 'true']) {
      const answer = await add(lenient);
      expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, replayed]);
      expect(answer.headers.get('preference-applied')).toBe('handling=lenient');
    }
    expect((await add()).status).toBe(422);
  });

  it('is refused if the account’s stored answers of a day exceed the limit; replays still work', async () => {
    const limits = { ...STANDARD_LIMITS, keptAnswersMb: 0.001 };
    const api = await startApi(() => open({ limits }));
    const bob = await premium(api);
    const body = windowOf(api);
    const first = await bob.ask(CALLS.addMaintenance, { ...under('a'), body });
    const refused = await bob.ask(CALLS.addMaintenance, { ...under('b'), body });
    expect(refused.problem).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(refused.problem.detail).toMatch(/^The limit of 0\.001 MB of stored responses a day is reached\./);
    expect((await bob.ask(CALLS.addMaintenance, { ...under('a'), body })).ok).toEqual(first.ok);
    expect((await bob.ask(CALLS.addMaintenance, { body })).status).toBe(200);
    expect((await bob.ask(CALLS.listMaintenance)).ok.data).toHaveLength(2);
    const later = api.clock.now() + ANSWER_RETENTION_MS;
    const asked = { accountId: bob.id, key: 'b', request: 'the same', now: later };
    expect(await claimIdempotencyKey(api.store, asked)).toMatchObject({ isClaimed: true });
  });

  it('runs once for concurrent requests; the others get its answer or 409 with Retry-After', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const body = windowOf(api);
    const ask = () => bob.ask(CALLS.addMaintenance, { ...under('at once'), body });
    const answers = await Promise.all(Array.from({ length: 12 }, ask));
    const carriedOut = answers.filter(({ status }) => status === 200);
    expect(new Set(carriedOut.map(({ ok }) => ok.data.id)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer.problem).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect((await ask()).ok).toEqual(carriedOut[0]?.ok);
    expect((await bob.ask(CALLS.listMaintenance)).ok.data).toHaveLength(1);
  });

  it('is refused if the account used the key for another request; keys are separate per account', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const { charlie } = await api.cast();
    const body = windowOf(api);
    await bob.ask(CALLS.addMaintenance, { ...under('k'), body });
    const other = await bob.ask(CALLS.addMaintenance, { ...under('k'), body: windowOf(api, 'Another') });
    expect(other.problem).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    const elsewhere = await bob.ask(CALLS.addDomain, { ...under('k'), body: { host: 'example.com' } });
    expect(elsewhere.problem.code).toBe('idempotency_key_reused');
    expect((await charlie.ask(CALLS.addMaintenance, { ...under('k'), body })).status).toBe(200);
  });

  it('is answered with the stored refusal when it is repeated, but a 429 releases the key', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const add = (key: string, host = 'example.com') =>
      bob.ask(CALLS.addDomain, { ...under(key), body: { host } });
    const added = await add('one');
    const exists = await add('two');
    expect(exists.problem.code).toBe('domain_exists');
    await bob.ask(CALLS.removeDomain, { params: { id: added.ok.data.id } });
    expect((await add('two')).problem).toEqual(exists.problem);
    expect((await add('one')).ok).toEqual(added.ok);

    for (let count = 0; count < 60; count++) await bob.ask(CALLS.addDomain, { body: { host: 'no host' } });
    expect((await add('three')).status).toBe(429);
    api.clock.advance(60_000);
    expect((await add('three')).status).toBe(200);
  });

  it('runs again after a 403, so that it can succeed once the address is verified', async () => {
    const api = await startApi(open);
    const nora = await signUp(api.send, { name: 'Nora' });
    await grantPremium(api.store, nora.id, { grant: { endsAt: null }, now: api.clock.now() });
    const body = { config: { kind: 'webhook', url: 'https://hooks.example.com/' } };
    const add = () => nora.ask(CALLS.addChannel, { ...under('a'), body });
    expect((await add()).problem).toMatchObject({ status: 403, code: 'email_not_verified' });
    await markVerified(api.store, nora.id);
    expect((await add()).status).toBe(200);
  });

  it('is refused if the key is overlong or not ASCII; calls without idempotency ignore keys', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const body = windowOf(api);
    for (const key of ['x'.repeat(256), 'schl\u00fcssel'])
      expect((await bob.ask(CALLS.addMaintenance, { ...under(key), body })).problem.code).toBe(
        'invalid_request',
      );
    const { data } = (await bob.ask(CALLS.addDomain, { body: { host: 'example.com' } })).ok;
    const params = { id: data.id };
    for (const host of ['pause', 'resume'])
      expect(
        (
          await bob.ask(host === 'pause' ? CALLS.pauseDomain : CALLS.resumeDomain, {
            ...under('same'),
            params,
            body: {},
          })
        ).status,
      ).toBe(200);
    expect(await api.store.db.selectFrom('idempotency_keys').selectAll().execute()).toEqual([]);
  });

  it('does not run again after a crash following the commit, because the answer was committed with it', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const body = windowOf(api);
    const first = await bob.ask(CALLS.addMaintenance, { ...under('died'), body });
    const [kept] = await api.store.db.selectFrom('idempotency_keys').selectAll().execute();

    // Do what a process does up to its commit, and then stop.
    const now = api.clock.now();
    const claim = await claimIdempotencyKey(api.store, {
      accountId: bob.id,
      key: 'killed',
      request: 'r',
      now,
    });
    if (!claim.isClaimed) throw new Error('The key is new');
    const answer = { status: 200, contentType: 'application/json', body: kept?.body ?? '' };
    const add = (lease: typeof claim.lease) =>
      addMaintenance(api.store, {
        accountId: bob.id,
        monitorId: null,
        note: '',
        max: 50,
        now,
        window: { startsAt: now, endsAt: now + HOUR_MS, repeats: 'never' },
        alsoWrite: (trx) => storeAnswer(trx, lease, answer),
      });
    await add(claim.lease);
    const retried = await claimIdempotencyKey(api.store, {
      accountId: bob.id,
      key: 'killed',
      request: 'r',
      now: now + HOUR_MS,
    });
    expect(retried).toEqual({ isClaimed: false, answer });
    expect(JSON.parse(answer.body)).toEqual(first.ok);

    // A process that lost its lease, but continues, changes nothing.
    const slow = await claimIdempotencyKey(api.store, { accountId: bob.id, key: 'slow', request: 'r', now });
    const next = await claimIdempotencyKey(api.store, {
      accountId: bob.id,
      key: 'slow',
      request: 'r',
      now: now + HOUR_MS,
    });
    if (!slow.isClaimed || !next.isClaimed) throw new Error('The lease has ended');
    const before = (await bob.ask(CALLS.listMaintenance)).ok.data.length;
    await expect(add(slow.lease)).rejects.toThrow();
    expect((await bob.ask(CALLS.listMaintenance)).ok.data).toHaveLength(before);
  });

  it('commits its changes and its answer together, for every idempotent call', async () => {
    let isLost = false;
    const losing: KyselyPlugin = {
      transformQuery({ node }) {
        const keeps =
          node.kind === 'UpdateQueryNode' && JSON.stringify(node.table).includes('idempotency_keys');
        if (!keeps || !isLost) return node;
        isLost = false;
        throw new IdempotencyLeaseLost();
      },
      transformResult: async ({ result }) => result,
    };
    const world = await createWorld(async () => {
      const store = await open();
      return { ...store, db: store.db.withPlugin(losing) };
    }, ['premium']);
    const caller = world.caller('premium');
    const client = await caller.arrive();
    const done = async () => (await world.rows()).filter((row) => !row.startsWith('idempotency_keys '));
    for (const route of await routesOf(world.api)) {
      const { operationId } = route.operation;
      if (!('idempotent' in CALLS[operationId])) continue;
      const input = INPUTS[operationId]({ caller, things: thingsFor(world, caller) });
      const asked = (key: string) =>
        ask(client, route, { ...input, headers: { ...input.headers, 'idempotency-key': key } });
      const before = await done();
      isLost = true;
      expect([operationId, (await asked(`${operationId} lost`)).status]).toEqual([operationId, 409]);
      expect(await done(), operationId).toEqual(before);
      const { status } = await asked(operationId);
      expect([operationId, status]).toEqual([operationId, CALLS[operationId].status]);
      expect(await done(), operationId).not.toEqual(before);
    }
  });

  it('is replayed without the secrets of the first answer, for every idempotent call', async () => {
    const world = await createWorld(open, ['premium']);
    const caller = world.caller('premium');
    const client = await caller.arrive();
    const withSecrets: string[] = [];
    for (const route of await routesOf(world.api)) {
      const { operationId } = route.operation;
      const call: Call = CALLS[operationId];
      if (call.idempotent !== true) continue;
      const input = INPUTS[operationId]({ caller, things: thingsFor(world, caller) });
      const headers = { ...input.headers, 'idempotency-key': operationId };
      const answer = async () => {
        const { status, text } = await ask(client, route, { ...input, headers });
        return { status, body: JSON.parse(text) as { data: object } };
      };
      const first = await answer();
      const again = await answer();
      const withheld = Object.fromEntries((call.shownOnce ?? []).map((field) => [field, null]));
      const data = call.shownOnce === undefined ? first.body.data : { ...first.body.data, ...withheld };
      expect([operationId, again]).toEqual([operationId, { ...first, body: { ...first.body, data } }]);
      const kept = JSON.stringify(
        await world.api.store.db.selectFrom('idempotency_keys').selectAll().execute(),
      );
      for (const secret of secretsIn(first.body)) {
        withSecrets.push(operationId);
        expect([operationId, JSON.stringify(again).includes(secret)]).toEqual([operationId, false]);
        expect([operationId, kept.includes(secret)]).toEqual([operationId, false]);
      }
    }
    expect(withSecrets.toSorted()).toEqual(['addChannel', 'makeCalendar', 'makeToken', 'rotateSecret']);
    promise('secrets');
  });

  it('is replayed without a secret that an older version of the server stored', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const body = { config: { kind: 'webhook', url: 'https://new.example.com/' } };
    const first = await bob.ask(CALLS.addChannel, { ...under('old'), body });
    await api.store.db
      .updateTable('idempotency_keys')
      .set({ body: JSON.stringify(first.ok) })
      .execute();
    expect((await bob.ask(CALLS.addChannel, { ...under('old'), body })).ok).toEqual({
      data: { ...first.ok.data, secret: null },
    });
  });

  it('can run again with the same key after a day', async () => {
    const api = await startApi(open);
    const bob = await premium(api);
    const key = { accountId: bob.id, key: 'k', request: 'r' };
    const claim = await claimIdempotencyKey(api.store, { ...key, now: 0 });
    if (claim.isClaimed)
      await storeAnswer(api.store.db, claim.lease, { status: 200, contentType: 'a/b', body: '1' });
    expect((await claimIdempotencyKey(api.store, { ...key, now: ANSWER_RETENTION_MS - 1 })).isClaimed).toBe(
      false,
    );
    expect(await deleteExpired(api.store, 'idempotency_keys', ANSWER_RETENTION_MS - 1)).toBe(0);
    expect(
      (await claimIdempotencyKey(api.store, { ...key, request: 'another', now: ANSWER_RETENTION_MS }))
        .isClaimed,
    ).toBe(true);
    expect(await deleteExpired(api.store, 'idempotency_keys', 2 * ANSWER_RETENTION_MS)).toBe(1);
  });

  it('runs once even if two processes claim its key at the same time', async () => {
    const database = await freshDatabase(name);
    try {
      // The embedded database is used by one process.
      const one = await database.open();
      const other = name === 'postgres' ? await database.open() : one;
      const api = await startApi(() => Promise.resolve(one));
      const bob = await premium(api);
      const request = { accountId: bob.id, key: 'k', request: 'r', now: 0 };
      const tries = await Promise.all(
        Array.from({ length: 20 }, (_, index) => claimIdempotencyKey(index % 2 ? one : other, request)),
      );
      expect(tries.filter(({ isClaimed }) => isClaimed)).toHaveLength(1);
    } finally {
      await database.remove();
    }
  });
});

it('Every call that creates something takes an Idempotency-Key, and no other call creates anything when it is repeated', async () => {
  const world = await createWorld(() => freshStore('sqlite'), ['premium']);
  const caller = world.caller('premium');
  for (const route of await routesOf(world.api)) {
    const { operationId } = route.operation;
    const call: Call = CALLS[operationId];
    if (call.method === 'get' || call.access === 'public' || call.idempotent) continue;
    const client = await caller.arrive();
    const input = INPUTS[operationId]({ caller, things: thingsFor(world, caller) });
    const first = await ask(client, route, input);
    const before = await world.rows();
    const again = await ask(client, route, input);
    const isUnchanged = (await world.rows()).length <= before.length;
    expect([operationId, isUnchanged || operationId in REPEATABLE]).toEqual([operationId, true]);
    const known = secretsIn(JSON.parse(first.text));
    const added = secretsIn(JSON.parse(again.text)).filter((secret) => !known.includes(secret));
    expect([operationId, added]).toEqual([operationId, []]);
    caller.leave();
  }
});
