import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../server/store/db/open-store.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { certificate, check, DAY, NOW, person, watch } from './samples.ts';
import type { MonitorCursor } from '../../server/store/monitors/monitor-filter.ts';
import { eachMonitor, listMonitors, matchingMonitorIds } from '../../server/store/monitors/monitor-list.ts';
import { periodBounds } from '../../contract/durations.ts';
import { pauseMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';

/** For each host, ms from NOW to the end of its certificate. The hosts are added in this order. */
const HOSTS = {
  'expired.example': -1,
  'today.example': 1,
  'seven.example': 8 * DAY - 1,
  'eight.example': 8 * DAY,
  'fourteen.example': 15 * DAY - 1,
  'fifteen.example': 15 * DAY,
};

describeEachDatabase('the list of monitors', (open) => {
  it('is sorted newest first and split into pages', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const page = async (page: number) =>
      listMonitors(store, { accountId, page, pageSize: 4, sort: 'newest', now: NOW });
    const hosts = Object.keys(HOSTS).toReversed();
    expect((await page(1)).monitors.map(({ host }) => host)).toEqual([
      'pending.example',
      'unread.example',
      ...hosts.slice(0, 2),
    ]);
    expect((await page(2)).monitors.map(({ host }) => host)).toEqual(hosts.slice(2));
    expect(await page(3)).toEqual({ monitors: [], total: 8, next: null });
  });

  it('can be sorted by expiry, with monitors without a certificate last', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const query = { accountId, page: 1, pageSize: 50, sort: 'soonest' as const, now: NOW };
    const { monitors } = await listMonitors(store, query);
    expect(monitors.slice(0, 6).map(({ host }) => host)).toEqual(Object.keys(HOSTS));
    expect(monitors.slice(6).map(({ certificate }) => certificate)).toEqual([null, null]);
  });

  it('can be sorted by name in code point order, international names without accents, whatever the collation of the database', async () => {
    const store = await open();
    await sortByLanguage(store);
    const alice = await person(store, 'alice');
    const names = [
      'a-b.example',
      'a.example',
      'a1.example',
      'ab.example',
      'b-.example',
      'xn--bcher-kva.example',
      'bucket.example',
    ];
    const hosts = ['10.0.0.1', '9.example', ...names, 'xy.example', 'z.example', 'xn--e1afmkfd.example'];
    for (const host of hosts.toReversed()) await watch(store, alice.id, host);
    const query = { accountId: alice.id, page: 1, pageSize: 50, sort: 'name' as const, now: NOW };
    const { monitors } = await listMonitors(store, query);
    expect(monitors.map(({ host }) => host)).toEqual(hosts);
    const each = await Array.fromAsync(eachMonitor(store, query));
    expect(each.map(({ host }) => host)).toEqual(hosts);
    const paged: string[] = [];
    for (let after: MonitorCursor | null = null; ;) {
      const { monitors: some, next }: Awaited<ReturnType<typeof listMonitors>> = await listMonitors(store, {
        ...query,
        pageSize: 4,
        after,
      });
      paged.push(...some.map(({ host }) => host));
      if (next === null) break;
      after = next;
    }
    expect(paged).toEqual(hosts);
  });

  it('can be filtered by state, whose days are rounded down', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const inState = async (
      status: 'pending' | 'unread' | 'expired' | 'critical' | 'soon' | 'ok' | 'revoked',
    ) => {
      const list = await listMonitors(store, {
        accountId,
        page: 1,
        pageSize: 50,
        sort: 'soonest',
        status,
        now: NOW,
      });
      expect(list.total).toBe(list.monitors.length);
      return list.monitors.map(({ host }) => host);
    };
    expect(await inState('pending')).toEqual(['pending.example']);
    expect(await inState('unread')).toEqual(['unread.example']);
    expect(await inState('expired')).toEqual(['expired.example']);
    expect(await inState('critical')).toEqual(['today.example', 'seven.example']);
    expect(await inState('soon')).toEqual(['eight.example', 'fourteen.example']);
    expect(await inState('ok')).toEqual(['fifteen.example']);
    expect(await inState('revoked')).toEqual([]);
  });

  it('can be filtered by the month or days (UTC) in which an active certificate expires', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const ends = {
      'before.example': '2027-02-28T23:59:59.999Z',
      'first.example': '2027-03-01T00:00:00.000Z',
      'last.example': '2027-03-31T23:59:59.999Z',
      'after.example': '2027-04-01T00:00:00.000Z',
      'december.example': '2027-12-31T23:59:59.999Z',
    };
    for (const [index, [host, end]] of Object.entries(ends).entries()) {
      await watch(store, accountId, host, { now: NOW + index });
      await check(store, NOW + index, [certificate({ notAfter: Date.parse(end) })]);
    }
    const { id: monitorId } = await watch(store, accountId, 'paused.example', { now: NOW + 9 });
    await check(store, NOW + 9, [certificate({ notAfter: Date.UTC(2027, 2, 9) })]);
    await pauseMonitor(store, { accountId, monitorId, now: NOW });
    const expiring = async (expires: string, filter: { q?: string; status?: 'ok' | 'expired' } = {}) => {
      const query = { accountId, sort: 'name' as const, expires: periodBounds(expires), now: NOW, ...filter };
      const list = await listMonitors(store, { ...query, page: 1, pageSize: 50 });
      const { ids, total } = await matchingMonitorIds(store, { ...query, limit: 9 });
      expect([list.total, total]).toEqual([list.monitors.length, ids.length]);
      return list.monitors.map(({ host }) => host);
    };
    expect(await expiring('2027-03')).toEqual(['first.example', 'last.example']);
    expect(await expiring('2027-03', { status: 'ok' })).toEqual(['first.example', 'last.example']);
    expect(await expiring('2027-03', { status: 'expired' })).toEqual([]);
    expect(await expiring('2027-03', { q: 'las' })).toEqual(['last.example']);
    expect(await expiring('2027-12')).toEqual(['december.example']);
    expect(await expiring('2027-05')).toEqual([]);
    expect(await expiring('2027-02-28..2027-03-01')).toEqual(['before.example', 'first.example']);
    expect(await expiring('2027-03-31..2027-03-31')).toEqual(['last.example']);
    expect(await expiring('2027-03-31..2027-03-30')).toEqual([]);
  });

  it('can be searched for a part of a host, with % and _ taken literally', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const found = async (q: string) =>
      (
        await listMonitors(store, { accountId, page: 1, pageSize: 50, sort: 'soonest', q, now: NOW })
      ).monitors.map(({ host }) => host);
    expect(await found('TEEN')).toEqual(['fourteen.example', 'fifteen.example']);
    for (const q of ['%', '_', '\\', "'; drop table monitors; --"]) expect(await found(q)).toEqual([]);
  });

  it('returns the ids of matching monitors with their tags and days of expiry', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    await store.db
      .updateTable('monitors')
      .set({ tags: '["shop","eu"]' })
      .where('host', 'in', ['seven.example', 'fifteen.example'])
      .execute();
    const query = { accountId, sort: 'soonest' as const, status: 'critical' as const, limit: 9, now: NOW };
    const { ids, ...found } = await matchingMonitorIds(store, query);
    const dayOf = (instant: number) => Math.floor(instant / DAY) * DAY;
    expect(ids).toHaveLength(2);
    expect(found).toEqual({
      total: 2,
      expiryDays: [dayOf(NOW), dayOf(NOW + 8 * DAY - 1)],
      tags: ['eu', 'shop'],
    });
  });

  it('contains no monitors of other accounts', async () => {
    const store = await open();
    await withHosts(store);
    const charlie = await person(store, 'charlie');
    const query = { accountId: charlie.id, page: 1, pageSize: 50, sort: 'newest' as const, now: NOW };
    expect(await listMonitors(store, query)).toEqual({ monitors: [], total: 0, next: null });
    expect(await dashboardSummary(store, query)).toMatchObject({ total: 0, expiries: [], problems: [] });
  });
});

describeEachDatabase('the summary of monitors', (open) => {
  it('counts monitors by state and lists when certificates expire', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const { total, counts, expiries } = await dashboardSummary(store, { accountId, now: NOW });
    expect(total).toBe(8);
    expect(counts).toEqual({
      paused: 0,
      pending: 1,
      unread: 1,
      revoked: 0,
      expired: 1,
      critical: 2,
      soon: 2,
      ok: 1,
    });
    expect(expiries.map(({ host, notAfter, count }) => [host, notAfter - NOW, count])).toEqual(
      Object.entries(HOSTS).map(([host, left]) => [host, left, 1]),
    );
    expect(expiries[1]).toMatchObject({ port: 443, state: 'critical' });
  });

  it('lists unreachable and untrusted hosts as problems, but not expired ones', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const finding = {
      code: 'name_mismatch' as const,
      severity: 'critical' as const,
      facts: { kind: 'other_names' as const, names: ['else.example'], total: 1 },
      addresses: [],
      fingerprint: null,
      keyType: null,
      attachment: null,
    };
    await watch(store, alice.id, 'down.example', { now: NOW - 3 });
    await check(store, NOW, []);
    await watch(store, alice.id, 'wrong.example', { now: NOW - 2 });
    await check(store, NOW, [certificate()], { trusted: false, findings: [finding] });
    await watch(store, alice.id, 'expired.example', { now: NOW - 1 });
    await check(store, NOW, [certificate({ notAfter: NOW - 1 })], { trusted: false, findings: [finding] });
    await watch(store, alice.id, 'fine.example');
    await check(store, NOW, [certificate()]);
    const { problems } = await dashboardSummary(store, { accountId: alice.id, now: NOW });
    expect(problems.map(({ host, kind, state, message }) => [host, kind, state, message])).toEqual([
      ['down.example', 'unreachable', 'unread', 'down.example refused the connection.'],
      [
        'wrong.example',
        'untrusted',
        'ok',
        'The certificate does not cover wrong.example. It is for else.example.',
      ],
    ]);
  });

  it('gives the reason for a downtime beside the problem of the certificate', async () => {
    const store = await open();
    const alice = await person(store, 'alice');
    const [broken, silent] = [
      await watch(store, alice.id, 'broken.example', { now: NOW - 2 }),
      await watch(store, alice.id, 'silent.example', { now: NOW - 1 }),
    ];
    await check(store, NOW, [certificate()], { trusted: false });
    await check(store, NOW, []);
    await watch(store, alice.id, 'fine.example');
    await check(store, NOW, [certificate()]);
    for (const { id } of [broken, silent])
      await store.db.updateTable('monitors').set({ uptime: 'down' }).where('id', '=', id).execute();
    const incident = {
      account_id: alice.id,
      problem: 'down' as const,
      fingerprint: '',
      recovered: 0,
      facts: '{}',
      started_at: NOW,
      confirmed_at: NOW,
      ended_at: null,
      cause: 'server_error',
    };
    const message = 'broken.example answered with the error 503.';
    await insertIncidents(store.db, [
      { ...incident, id: crypto.randomUUID(), monitor_id: broken.id, message },
      {
        ...incident,
        id: crypto.randomUUID(),
        monitor_id: broken.id,
        ended_at: NOW,
        message: 'An older one.',
      },
    ]);

    const { problems } = await dashboardSummary(store, { accountId: alice.id, now: NOW });
    expect(problems.map(({ host, kind, message: said }) => [host, kind, said])).toEqual([
      ['broken.example', 'untrusted', ''],
      ['broken.example', 'down', message],
      ['silent.example', 'down', 'silent.example refused the connection.'],
    ]);
    const { monitors } = await listMonitors(store, {
      accountId: alice.id,
      page: 1,
      pageSize: 50,
      sort: 'name',
      status: 'problem',
      now: NOW,
    });
    expect(monitors.map(({ host }) => host)).toEqual(['broken.example', 'silent.example']);
  });

  it('lists the three most urgent hosts: broken ones first, then the earliest expiry', async () => {
    const store = await open();
    const accountId = await withHosts(store);
    const first = async () =>
      (await dashboardSummary(store, { accountId, now: NOW })).attention.first.map(({ host, reason }) => [
        host,
        reason,
      ]);
    expect(await first()).toEqual([
      ['expired.example', 'expired'],
      ['today.example', 'critical'],
      ['seven.example', 'critical'],
    ]);
    await store.db
      .updateTable('monitors')
      .set({ problem: 'untrusted' })
      .where('host', 'in', ['seven.example', 'fifteen.example'])
      .execute();
    expect(await first()).toEqual([
      ['expired.example', 'expired'],
      ['seven.example', 'untrusted'],
      ['fifteen.example', 'untrusted'],
    ]);
  });
});

/** Makes PostgreSQL sort hosts by ICU rules, as the databases of most operators do: hyphens and dots come last. */
async function sortByLanguage({ db, dialect }: Store): Promise<void> {
  if (dialect !== 'postgres') return;
  const icu = await sql`select 1 from pg_collation where collname = 'en-x-icu'`.execute(db);
  if (icu.rows.length === 0) return;
  await sql`create collation words (provider = icu, locale = 'en-u-ka-shifted')`.execute(db);
  await sql`alter table monitors alter column host type text collate words`.execute(db);
  // Undo it, because later tests use the same database.
  onTestFinished(async () => {
    await sql`alter table monitors alter column host type text collate "default"`.execute(db);
    await sql`drop collation words`.execute(db);
  });
}

/** Creates Alice with a monitor for each host in HOSTS, one that was never checked and one that does not answer. */
async function withHosts(store: Store): Promise<string> {
  const { id: accountId } = await person(store, 'alice');
  let now = NOW - 100;
  for (const [host, left] of Object.entries(HOSTS)) {
    await watch(store, accountId, host, { now: now++ });
    await check(store, now, [certificate({ notAfter: NOW + left })]);
  }
  await watch(store, accountId, 'unread.example', { now: now++ });
  await check(store, now, []);
  await watch(store, accountId, 'pending.example', { now });
  return accountId;
}
