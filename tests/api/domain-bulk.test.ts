import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import type { Signal } from '../../server/store/db/signals.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

const authority = mintAuthority();
const leaf = authority.issue({ dnsNames: ['shop.example.com'] });

/** Adds domains and records a first check with a certificate for each; returns ids in the order of their names. */
async function addChecked(api: TestApi, person: Person, hosts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const host of hosts) {
    api.clock.advance(1);
    ids.push((await person.ask(CALLS.addDomain, { body: { host } })).ok.data.id);
  }
  await finishChecks(api, authority, answeredWith(leaf));
  return ids;
}
const act = async (person: Person, ids: string[], action: string, more = {}) =>
  (await person.ask(CALLS.actOnDomains, { body: { action, ids, ...more } })).ok.data;
const HOSTS = ['a.example.com', 'b.example.com', 'c.example.com'];
const problems = (results: { problem: string | null }[]) => results.map(({ problem }) => problem);

describeEachDatabase('A bulk action on domains', (open) => {
  it('returns one result per id in request order, and not_found for domains of other accounts', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const [a = '', b = '', c = ''] = await addChecked(api, alice, HOSTS);
    const nobodys = randomUUID();
    const results = await act(alice, [c, nobodys, a, c], 'pause');
    expect(results.map(({ id, problem }) => [id, problem])).toEqual([
      [c, null],
      [nobodys, 'not_found'],
      [a, null],
      [c, null],
    ]);
    expect(results.map(({ domain }) => domain?.paused ?? null)).toEqual(['user', null, 'user', 'user']);
    expect(results[1]?.message).toBe('There is no such domain.');

    for (const action of ['check', 'pause', 'resume', 'remove'])
      expect(problems(await act(charlie, [a, b], action))).toEqual(['not_found', 'not_found']);
    const states = (await alice.ask(CALLS.listDomains)).ok.data.map(({ paused }) => paused);
    expect(states).toEqual(['user', null, 'user']);
  });

  it('publishes one change event per domain, even if the request lists its id twice', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const [a = '', b = '', c = ''] = await addChecked(api, alice, HOSTS);
    const signals: Signal[] = [];
    api.store.signals.subscribe((signal) => void (signal.topic === 'domain' && signals.push(signal)));
    await act(alice, [a, a], 'pause');
    await act(alice, [b], 'remove');
    await act(alice, [c], 'tag', { add: ['prod'], remove: [] });
    expect(signals.map((signal) => 'change' in signal && [signal.monitorId, signal.change])).toEqual([
      [a, 'changed'],
      [b, 'removed'],
      [c, 'changed'],
    ]);
  });

  it('schedules checks, at most once a minute per domain, and none for paused domains', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const [a = '', b = '', c = ''] = await addChecked(api, alice, HOSTS);
    await act(alice, [c], 'pause');
    // A request of another account does not use up the owner's limit.
    await act(charlie, [a, b], 'check');
    const asked = await act(alice, [a, b, c], 'check');
    expect(problems(asked)).toEqual([null, null, 'domain_paused']);
    expect(asked.map(({ domain }) => domain?.checking)).toEqual([true, true, false]);
    expect(await finishChecks(api, authority, answeredWith(leaf))).toBe(2);

    expect(problems(await act(alice, [a, b], 'check'))).toEqual([null, null]);
    expect(await finishChecks(api, authority, answeredWith(leaf))).toBe(0);
    api.clock.advance(60_000);
    await act(alice, [a, b], 'check');
    expect(await finishChecks(api, authority, answeredWith(leaf))).toBe(2);
  });

  it('can be repeated at once after the database failed on the first request', async () => {
    const errors: unknown[][] = [];
    const log = { info() {}, warn() {}, error: (...entry: unknown[]) => void errors.push(entry) };
    const api = await startApi(open, { log });
    const { alice } = await api.cast();
    const [id = ''] = await addChecked(api, alice, HOSTS.slice(0, 1));
    const { db } = api.store;
    await sql`alter table monitors rename column check_requested_at to elsewhere`.execute(db);
    try {
      const { status } = await alice.ask(CALLS.actOnDomains, { body: { action: 'check', ids: [id] } });
      expect(status).toBe(500);
    } finally {
      // Other test files of this worker use the same database.
      await sql`alter table monitors rename column elsewhere to check_requested_at`.execute(db);
    }
    // The library for sign-in may log that it could not validate the changed schema.
    expect(errors.filter(([, message]) => message === 'A request failed')).toHaveLength(1);
    expect(problems(await act(alice, [id], 'check'))).toEqual([null]);
    const { check_requested_at: requestedAt } = await db
      .selectFrom('monitors')
      .select('check_requested_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(requestedAt).not.toBeNull();
  });

  it('resumes only as many domains as the plan allows, even with concurrent requests', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { store, clock } = api;
    const ids = await addChecked(api, alice, HOSTS);
    await act(alice, ids, 'pause');
    // The account kept these domains when Premium ended: more than the Free plan allows.
    const more = Array.from({ length: 4 }, () => randomUUID());
    const paused = { active: 0, paused_by: 'user' as const, paused_at: clock.now() };
    const times = { created_at: clock.now(), next_check_at: clock.now(), check_every_minutes: 1440 };
    await store.db
      .insertInto('monitors')
      .values(
        more.map((id) => ({
          id,
          account_id: alice.id,
          host: id,
          port: 443,
          revoked: 0,
          ...paused,
          ...times,
        })),
      )
      .execute();
    const results = await Promise.all(
      [ids.toReversed(), more, [...more.toReversed(), ...ids]].map((some) => act(alice, some, 'resume')),
    );
    const running = (await alice.ask(CALLS.listDomains)).ok.data.filter(({ paused: by }) => by === null);
    expect(running).toHaveLength(3);
    const refused = results.flat().filter(({ problem }) => problem !== null);
    expect(new Set(problems(refused))).toEqual(new Set(['limit_reached']));
    expect(refused[0]).toMatchObject({
      message: 'The Free plan checks up to 3 domains.',
      domain: { paused: 'user' },
    });
    expect(await claimDue(store, { now: clock.now(), limit: 9, leaseMs: 1, claimedBy: 'test' })).toHaveLength(
      3,
    );
  });

  it('sets ten-minute intervals on Premium only', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const often = { check_frequency: 10 };
    const refused = await act(alice, await addChecked(api, alice, HOSTS), 'frequency', often);
    expect(problems(refused)).toEqual(Array(3).fill('premium_required'));
    expect(refused[0]?.domain).toMatchObject({ check_every_minutes: 1440 });
    const done = await act(bob, await addChecked(api, bob, HOSTS), 'frequency', often);
    expect(done.map(({ domain }) => domain?.check_every_minutes)).toEqual([10, 10, 10]);
  });

  it('changes the interval only of domains whose interval equals `instead_of`', async () => {
    const api = await startApi(open);
    const { bob } = await api.cast();
    const [a = '', b = '', c = ''] = await addChecked(api, bob, HOSTS);
    await act(bob, [b], 'frequency', { check_frequency: 60 });
    const done = await act(bob, [a, b, c], 'frequency', { check_frequency: 10, instead_of: 1440 });
    expect(problems(done)).toEqual([null, null, null]);
    expect(done.map(({ domain }) => domain?.check_every_minutes)).toEqual([10, 60, 10]);
  });

  it('adds and removes tags, at most 20 per domain', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const [a = '', b = ''] = await addChecked(api, alice, HOSTS);
    const many = Array.from({ length: 19 }, (_, index) => `tag ${index}`);
    await alice.ask(CALLS.describeDomain, { params: { id: b }, body: { notes: 'Kept.', tags: many } });
    const results = await act(alice, [a, b], 'tag', { add: ['Prod', 'eu'], remove: ['dev'] });
    expect(results).toMatchObject([
      { problem: null, domain: { tags: ['prod', 'eu'] } },
      { problem: 'invalid_request', message: 'A domain can have at most 20 tags.', domain: { tags: many } },
    ]);
    const swapped = await act(alice, [a, b], 'tag', { add: ['eu'], remove: ['prod', 'tag 0', 'tag 1'] });
    expect(swapped).toMatchObject([
      { problem: null, domain: { tags: ['eu'] } },
      { problem: null, domain: { notes: 'Kept.', tags: [...many.slice(2), 'eu'] } },
    ]);
    const { tags } = (await alice.ask(CALLS.domainSummary)).ok.data;
    expect(tags[0]).toEqual({ tag: 'eu', count: 2 });
    expect((await alice.ask(CALLS.listDomains, { query: { tag: 'eu' } })).ok.total).toBe(2);
  });

  it('removes all data of the domains and answers not_found when it is repeated', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const [a = '', b = '', c = ''] = await addChecked(api, alice, HOSTS);
    const results = await act(alice, [a, b, a], 'remove');
    expect(results).toEqual([a, b, a].map((id) => ({ id, problem: null, message: null, domain: null })));
    expect(problems(await act(alice, [a], 'remove'))).toEqual(['not_found']);
    for (const table of ['monitors', 'check_runs', 'verdicts', 'evidence', 'monitor_certificates'] as const)
      expect([table, await api.store.db.selectFrom(table).select('account_id').execute()]).toEqual([
        table,
        [expect.anything()],
      ]);
    expect((await alice.ask(CALLS.listDomains)).ok.data).toMatchObject([{ id: c }]);
  });

  it('rejects an invalid body', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const ids = [randomUUID()];
    for (const body of [
      {},
      { action: 'check', ids: [] },
      { action: 'check', ids: ['1'] },
      { action: 'check', ids: Array.from({ length: 201 }, () => randomUUID()) },
      { action: 'check all', ids },
      { action: 'frequency', ids },
      { action: 'frequency', ids, check_frequency: 11 },
      { action: 'tag', ids, add: [], remove: [] },
      { action: 'tag', ids, add: ['a,b'], remove: [] },
    ])
      expect([body, (await alice.ask(CALLS.actOnDomains, { body })).status]).toEqual([body, 400]);
  });

  it('bulk checks are limited to 60 calls a minute and 100 calls in ten minutes', async () => {
    const api = await startApi(open);
    const { bob, charlie } = await api.cast();
    const ids = Array.from({ length: 200 }, () => randomUUID());
    const check = async (person: Person) =>
      (await person.ask(CALLS.actOnDomains, { body: { action: 'check', ids } })).status;
    const askedInAMinute = async () => {
      const statuses: number[] = [];
      for (let call = 0; call < 60; call++) statuses.push(await check(bob));
      return statuses.filter((status) => status === 200).length;
    };
    expect(await askedInAMinute()).toBe(60);
    expect(await check(bob)).toBe(429);
    expect(await check(charlie)).toBe(200);
    api.clock.advance(60_000);
    // 20,000 domains in ten minutes.
    expect(await askedInAMinute()).toBe(40);
    api.clock.advance(9 * 60_000);
    expect(await check(bob)).toBe(200);
  });
});
