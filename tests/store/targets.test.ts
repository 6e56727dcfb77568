import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { displayName } from '../../server/core/endpoint.ts';
import { STANDARD_LIMITS } from '../../server/core/limits.ts';
import { exportAccountData } from '../../server/store/accounts/export.ts';
import { expectCertificate } from '../../server/store/alerts/deployments.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { addMonitor, findByEndpoint, trackedEndpoints } from '../../server/store/monitors/monitor-adding.ts';
import { claimDue, claimSameEndpoints } from '../../server/store/monitors/monitor-claims.ts';
import { listMonitors, matchingEndpoints } from '../../server/store/monitors/monitor-list.ts';
import type { MonitorCursor } from '../../server/store/monitors/monitor-filter.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { migrate } from '../../server/store/schema/migrate.ts';
import { DATABASES, describeEachDatabase, hasDatabase } from '../kit/databases/database.ts';
import { everyRow } from '../kit/databases/every-row.ts';
import { formerDatabase } from '../kit/databases/former-database.ts';
import { rawDatabase } from '../kit/databases/raw-database.ts';
import { certificate, checkOf, DAY, NOW, person, recordCheck, watch } from './samples.ts';

const HOST = 'www.example.org';
const connectTo = (last: number) => `{"connect_to":"192.0.2.${last}"}`;
const first = { host: HOST, port: 443, target: connectTo(1) };

async function twoBackends(store: Store) {
  const alice = await person(store, 'alice');
  const plain = await watch(store, alice.id, HOST);
  const one = await watch(store, alice.id, HOST, { target: connectTo(1) });
  const two = await watch(store, alice.id, HOST, { target: connectTo(2) });
  return { accountId: alice.id, plain, one, two };
}

describeEachDatabase('Domains of one host with different targets', (open) => {
  it('are stored side by side, and each only once', async () => {
    const store = await open();
    const { accountId, plain, one } = await twoBackends(store);
    expect(plain).not.toHaveProperty('target');
    expect(one).toMatchObject(first);
    const again = { accountId, ...first, protocol: 'tls' as const, checkEveryMinutes: 60, now: NOW };
    expect(await addMonitor(store, { ...again, mayAdd: () => true })).toEqual({
      ok: false,
      code: 'exists',
      existing: first,
    });
    const find = async (endpoint: { target?: string }) =>
      findByEndpoint(store, { accountId, endpoint: { host: HOST, port: 443, ...endpoint } });
    expect(await find({})).toBe(plain.id);
    expect(await find({ target: connectTo(1) })).toBe(one.id);
    expect(await find({ target: connectTo(3) })).toBeNull();
    const tracked = await trackedEndpoints(store, { accountId, endpoints: [first] });
    expect([tracked.has(first), tracked.has({ ...first, target: connectTo(3) })]).toEqual([true, false]);
  });

  it('are on different pages of a list by name, none twice and none left out', async () => {
    const store = await open();
    const { accountId } = await twoBackends(store);
    const seen: string[] = [];
    const list = { accountId, page: 1, pageSize: 1, sort: 'name' as const, now: NOW };
    for (let after: MonitorCursor | null = null; seen.length < 3;) {
      const { monitors, next } = await listMonitors(store, { ...list, after });
      const [monitor] = monitors;
      if (monitor === undefined) throw new Error(`The list ends after ${seen.join(', ')}.`);
      seen.push(displayName(monitor));
      after = next;
    }
    expect(seen.toSorted()).toEqual([HOST, `${HOST} via 192.0.2.1`, `${HOST} via 192.0.2.2`]);
    expect((await listMonitors(store, { ...list, q: 'via 192.0.2.2' })).total).toBe(1);
    const endpoints = await matchingEndpoints(store, { accountId, sort: 'name', now: NOW });
    expect(endpoints.map(displayName).toSorted()).toEqual(seen.toSorted());
  });

  it('share a probe only with monitors of the same target', async () => {
    const store = await open();
    const { one } = await twoBackends(store);
    const bob = await person(store, 'bob');
    const later = await watch(store, bob.id, HOST, { target: connectTo(1), now: NOW + 1 });
    await watch(store, bob.id, HOST, { now: NOW + 1 });
    const claim = { now: NOW + 10, leaseMs: 1_000, claimedBy: 'test' };
    const due = await claimDue(store, { ...claim, limit: 3 });
    const of = due.filter(({ id }) => id === one.id);
    expect(of).toMatchObject([first]);
    expect(await claimSameEndpoints(store, { ...claim, of })).toMatchObject([
      { id: later.id, target: connectTo(1) },
    ]);
  });

  it('have their names in summaries and expectations', async () => {
    const store = await open();
    const { accountId, plain, one } = await twoBackends(store);
    const leaf = certificate({ notAfter: NOW + 3 * DAY });
    for (const { id } of [plain, one])
      await recordCheck(store, checkOf(await claimMonitor(store, id), NOW, [leaf]));
    const { expiries, attention } = await dashboardSummary(store, { accountId, now: NOW });
    expect(expiries.map(({ count }) => count)).toEqual([2]);
    expect(attention.first.map(displayName).toSorted()).toEqual([HOST, `${HOST} via 192.0.2.1`]);

    const verified = await watch(store, accountId, 'intern.example.org', {
      target: `{"verify_name":"${HOST}"}`,
    });
    const renewed = certificate({ notBefore: NOW });
    const { lagging } = await expectCertificate(store, {
      accountId,
      certificate: { ...renewed, names: (name) => name === HOST },
      hosts: null,
      dueAt: NOW + DAY,
      now: NOW,
    });
    expect(lagging.map(({ id }) => id)).toContain(verified.id);
  });

  it('register no icon if they connect elsewhere', async () => {
    const store = await open();
    const { one, plain } = await twoBackends(store);
    const sites = async () => store.db.selectFrom('favicons').select('host').execute();
    await recordCheck(store, checkOf(await claimMonitor(store, one.id), NOW, [certificate()]));
    expect(await sites()).toEqual([]);
    await recordCheck(store, checkOf(await claimMonitor(store, plain.id), NOW, [certificate()]));
    expect(await sites()).toEqual([{ host: HOST }]);
  });

  it('port limits count the port and host that are connected to', async () => {
    const store = await open();
    const alice = await person(store, 'alice', { emailVerified: false });
    const add = async (target: string, port = 443) => {
      const added = await addMonitor(store, {
        accountId: alice.id,
        host: HOST,
        port,
        protocol: 'tls',
        target,
        checkEveryMinutes: 1440,
        now: NOW,
        mayAdd: () => true,
        misuse: { limits: { ...STANDARD_LIMITS, portsPerHost: 2 }, guardsPorts: true },
      });
      return added.ok ? 'ok' : added.code === 'email_not_verified' ? added.needs : added.code;
    };
    const to = (place: string) => `{"connect_to":"${place}"}`;
    expect(await add(to('backend.example:22'))).toBe('port');
    expect(await add('', 22)).toBe('port');
    expect(await add(to('192.0.2.1'), 22)).toBe('port');
    expect(await add(to('backend.example:8443'))).toBe('ok');
    expect(await add(to('other.backend.example:8444'))).toBe('ok');
    expect(await add(to('backend.example:8445'))).toBe('too_many_ports');
    expect(await add(to('elsewhere.example:8445'))).toBe('ok');
  });

  it('are exported with their targets', async () => {
    const store = await open();
    const { accountId } = await twoBackends(store);
    const account = { id: accountId, email: 'alice@example.com' };
    const { domains } = exportAccountData(store, account, { now: NOW, targetOf: () => '' });
    const exported = (await Array.fromAsync(domains ?? [])) as { target: { connect_to: string } | null }[];
    expect(new Set(exported.map(({ target }) => target?.connect_to))).toEqual(
      new Set(['192.0.2.1', '192.0.2.2', undefined]),
    );
  });
});

it.each(DATABASES.filter(hasDatabase))('The migration to targets keeps every row (%s)', async (name) => {
  const database = await formerDatabase(name);
  const db = rawDatabase(database);
  onTestFinished(() => db.destroy());
  await migrate(db, { dialect: name, name: 'The database', upTo: 23 });
  const before = await everyRow(db);
  await migrate(db, { dialect: name, name: 'The database', upTo: 24 });
  const after = await everyRow(db);
  const withoutTarget = (rows: string[]) => rows.map((row) => row.replace(/,?"target":""/, ''));
  expect(after['monitors']?.every((row) => row.includes('"target":""'))).toBe(true);
  expect(sorted(withoutTarget(after['monitors'] ?? []))).toEqual(sorted(before['monitors'] ?? []));
  for (const [table, rows] of Object.entries(before))
    if (!['monitors', 'kysely_migration', 'oldest_program'].includes(table))
      expect(after[table], table).toEqual(rows);
  // After the migration, rows that refer to a monitor are still deleted with it, and triggers still run.
  await sql`delete from monitors`.execute(db);
  const { monitor_listing, incidents, monitor_totals } = await everyRow(db);
  expect([monitor_listing, incidents]).toEqual([[], []]);
  expect(monitor_totals?.every((row) => row.includes('"total":0'))).toBe(true);
});

const sorted = (rows: string[]) =>
  rows.map((row) => JSON.stringify(Object.entries(JSON.parse(row) as object).flat())).toSorted();

/** Claims all due monitors, and returns one of them. */
async function claimMonitor(store: Store, id: string) {
  const claimed = await claimDue(store, { now: NOW, limit: 10, leaseMs: 0, claimedBy: 'test' });
  const monitor = claimed.find((one) => one.id === id);
  if (monitor === undefined) throw new Error('The monitor is not due.');
  return monitor;
}
