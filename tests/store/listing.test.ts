import { CompiledQuery, type Kysely, type Selectable, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import type { CertificateFacts } from '../../server/core/facts.ts';
import { addCertificates } from '../../server/store/checks/certificates.ts';
import { inTransaction } from '../../server/store/db/transaction.ts';
import { addServedCertificates } from '../../server/store/schema/migrations/0023-served-certificates.ts';
import { addIssuers } from '../../server/store/schema/migrations/0033-certificate-issuers.ts';
import { removeMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import type { Tables } from '../../server/store/schema/tables.ts';
import { describeEachDatabase, freshDatabase } from '../kit/databases/database.ts';
import { fillStore } from '../kit/databases/large-store.ts';
import { certificate, check, DAY, NOW, person, watch } from './samples.ts';
import { SORT_DIRECTIONS } from '../../contract/calls/list-order.ts';
import { issuerLine, UNKNOWN_ISSUER } from '../../contract/check-words.ts';
import { expiryState } from '../../contract/state/badge.ts';
import { DOMAIN_SORTS, DOMAIN_STATES } from '../../contract/words.ts';
import { updateDescription } from '../../server/store/monitors/monitor-change.ts';
import { eachMonitor, listMonitors, matchingMonitorIds } from '../../server/store/monitors/monitor-list.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { pauseMonitor, resumeMonitor } from '../../server/store/monitors/monitor-pauses.ts';

const FIVE_PAGES = 90;

describeEachDatabase('the tables behind the domain list', (open, name) => {
  it('match the monitors after every kind of change', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const { id: monitorId } = await watch(store, accountId, 'one.example');
    await watch(store, accountId, 'two.example', { now: NOW + 1 });
    const key = { accountId, monitorId, now: NOW };
    const shortLived = certificate({ notBefore: NOW - DAY, notAfter: NOW + 6 * DAY });
    const changes: (() => Promise<unknown>)[] = [
      () => check(store, NOW, [certificate()], { trusted: false }),
      () => check(store, NOW + 1, []),
      () =>
        updateDescription(store, {
          ...key,
          describe: () => ({ tags: ['prod'], notes: 'n'.repeat(2_000) }),
        }),
      () => pauseMonitor(store, key),
      () => resumeMonitor(store, { ...key, mayResume: () => true }),
      () => check(store, NOW + DAY, [certificate({ notAfter: NOW })]),
      () => check(store, NOW + 2 * DAY, [shortLived]),
      () => check(store, NOW + 2 * DAY, [shortLived], { trusted: false }),
      () => removeMonitor(store, { ...key, now: NOW }),
    ];
    const match = async () => {
      expect(await readListing(store)).toEqual(await computeListing(store));
      expect(await served(store)).toEqual(await expectedServed(store));
    };
    await match();
    for (const change of changes) {
      await change();
      await match();
    }
  });

  it('have correct counts of monitors per account after single, bulk and parallel changes', async () => {
    const store = await open();
    const people = await Promise.all(['alice', 'bob'].map((who) => person(store, who)));
    const names = Array.from({ length: 12 }, (_, index) => `host-${index}.example`);
    const watched = await Promise.all(
      people.flatMap(({ id }) => names.map(async (host) => [id, (await watch(store, id, host)).id] as const)),
    );
    await Promise.all(
      watched
        .slice(0, 5)
        .map(([accountId, monitorId]) => removeMonitor(store, { accountId, monitorId, now: NOW })),
    );
    expect(await totals(store)).toEqual(await counted(store));
    const rest = watched.slice(5, 20).map(([, monitorId]) => monitorId);
    await store.db.deleteFrom('monitors').where('id', 'in', rest).execute();
    expect(await totals(store)).toEqual(await counted(store));
    await store.db
      .deleteFrom('accounts')
      .where('id', '=', people[1]?.id ?? '')
      .execute();
    expect(await totals(store)).toEqual([{ account_id: people[0]?.id, total: 0 }]);
  });

  it('count the domains of each certificate correctly when renewals and removals run concurrently', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const [before, after] = [certificate(), certificate({ subject: '', sans: ['*.Shop.example'] })];
    const ids: string[] = [];
    for (let index = 0; index < 8; index++) {
      ids.push((await watch(store, accountId, `host-${index}.example`)).id);
      await check(store, NOW, [before], { nextCheckAt: NOW + DAY });
    }
    expect(await served(store)).toMatchObject([{ domains: 8, name: 'www.example.org' }]);
    await inTransaction(store, (trx) =>
      addCertificates(trx, [{ fingerprint: after.facts.fingerprint, ...after }], NOW),
    );
    await Promise.all([
      ...ids.slice(0, 3).map((monitorId) => removeMonitor(store, { accountId, monitorId, now: NOW })),
      ...ids.slice(3, 7).map((id) => {
        const changed = store.db.updateTable('monitors').where('id', '=', id);
        return changed.set({ certificate_fingerprint: after.facts.fingerprint }).execute();
      }),
    ]);
    expect(await served(store)).toEqual(await expectedServed(store));
    const counts = (await served(store)).map(({ domains }) => domains);
    expect(counts.toSorted((a, b) => a - b)).toEqual([1, 4]);
    await store.db.deleteFrom('monitors').where('id', 'in', ids.slice(3)).execute();
    expect(await served(store)).toEqual([]);
  });

  it('list a certificate whose name has a NUL character, which PostgreSQL cannot store as text', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    await watch(store, accountId, 'one.example');
    const odd = certificate({ subject: 'one.example\u0000.evil.example' });
    await check(store, NOW, [odd]);
    expect(await served(store)).toMatchObject([
      { fingerprint: odd.facts.fingerprint, not_after: odd.facts.notAfter, domains: 1 },
    ]);
  });

  it('are filled by a migration with the certificates that were stored before', async () => {
    const database = await freshDatabase(name);
    onTestFinished(() => database.remove());
    const store = await database.open();
    const { largest } = await fillStore(store, { largest: 60, teams: 0, total: 80, now: NOW });
    const before = await served(store);
    expect(before.filter(({ account_id: id }) => id === largest)).toHaveLength(60);
    for (const name of ['monitor_served', 'monitor_unserved'])
      await sql
        .raw(`drop trigger ${name}${store.dialect === 'postgres' ? ' on monitors' : ''}`)
        .execute(store.db);
    if (store.dialect === 'postgres')
      await sql`drop function monitor_served, monitor_unserved, other_leaf_served cascade`.execute(store.db);
    // SQLite cannot drop a column that a trigger names.
    else await sql`drop trigger other_leaf_served`.execute(store.db);
    await store.db.schema.dropTable('served_certificates').execute();
    await store.db.transaction().execute(async (trx) => {
      const older = trx as unknown as Kysely<unknown>;
      await addServedCertificates(older, store.dialect);
      await older.schema.alterTable('certificates').dropColumn('issuer_line').execute();
      await addIssuers(older, store.dialect);
    });
    expect(await served(store)).toEqual(before);
  });

  it('return the same monitors page by page as in a single read', async () => {
    const store = await open();
    const { largest: accountId } = await fillStore(store, { largest: 203, teams: 0, total: 240, now: NOW });
    const filters = [
      {},
      { q: 'shop' },
      { tag: 'prod' },
      { status: 'ok' },
      { status: 'critical', q: 'moss' },
    ] as const;
    for (const sort of DOMAIN_SORTS)
      for (const direction of SORT_DIRECTIONS)
        for (const filter of filters) {
          const query = { accountId, now: NOW, sort, direction, ...filter };
          const all = await Array.fromAsync(eachMonitor(store, query));
          const pages: string[] = [];
          for (let page = 1; page <= FIVE_PAGES; page++) {
            const { monitors, total } = await listMonitors(store, { ...query, page, pageSize: 7 });
            expect(total).toBe(all.length);
            pages.push(...monitors.map(({ id }) => id));
            if (monitors.length === 0) break;
          }
          expect(pages).toEqual(all.map(({ id }) => id));
        }
  });

  it('are read without waiting for a writer', async () => {
    const store = await open();
    const { largest: accountId } = await fillStore(store, { largest: 20, teams: 0, total: 20, now: NOW });
    const filters = [
      {},
      { q: 'shop' },
      { tag: 'prod' },
      ...([...DOMAIN_STATES, 'problem', 'unreached', 'attention'] as const).map((status) => ({ status })),
    ];
    await store.db.transaction().execute(async (trx) => {
      await trx.updateTable('monitors').set({ last_checked_at: NOW }).execute();
      for (const filter of filters) {
        const query = { accountId, now: NOW, sort: 'newest' as const, ...filter };
        await listMonitors(store, { ...query, page: 1, pageSize: 10 });
        await matchingMonitorIds(store, { ...query, limit: 5 });
      }
      await dashboardSummary(store, { accountId, now: NOW });
    });
  });

  it('give a summary whose states add up to the total and whose expiries add up to all but paused domains', async () => {
    const store = await open();
    const { largest: accountId } = await fillStore(store, {
      largest: 1_000,
      teams: 0,
      total: 1_000,
      now: NOW,
    });
    const { total, counts, expiries } = await dashboardSummary(store, { accountId, now: NOW });
    expect(total).toBe(1_000);
    expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(total);
    expect(expiries.reduce((sum, { count }) => sum + count, 0)).toBe(total - counts.paused);
  });

  it('give a summary with an entry for each day and state, and one for each domain that is down', async () => {
    const store = await open();
    const size = 1_000;
    const { largest } = await fillStore(store, { largest: size, teams: 0, total: size, now: NOW });
    const all = await store.db
      .selectFrom('monitors')
      .select(['id', 'uptime', (eb) => eb.ref('not_after').$notNull().as('end')])
      .where('account_id', '=', largest)
      .where('not_after', 'is not', null)
      .where('paused_by', 'is', null)
      .orderBy('id')
      .execute();
    const everyThird = all.filter((_, index) => index % 3 === 0).map(({ id }) => id);
    await store.db.updateTable('monitors').set({ revoked: 1 }).where('id', 'in', everyThird).execute();
    const groups = Map.groupBy(all, ({ id, uptime, end }) => {
      const state = everyThird.includes(id) ? 'revoked' : expiryState(end, NOW);
      return uptime === 'down' ? id : `${Math.floor(end / DAY)} ${state}`;
    });
    expect(all.filter(({ uptime }) => uptime === 'down').length).toBeGreaterThan(1);
    const inOrder = (entries: number[][]) =>
      entries.toSorted(([at = 0, count = 0], [after = 0, more = 0]) => at - after || count - more);
    const { expiries } = await dashboardSummary(store, { accountId: largest, now: NOW });
    expect(inOrder(expiries.map(({ notAfter, count }) => [notAfter, count]))).toEqual(
      inOrder([...groups.values()].map((group) => [Math.min(...group.map(({ end }) => end)), group.length])),
    );
  });

  it('count by text and by state with an index-only scan', async () => {
    const database = await freshDatabase(name);
    onTestFinished(() => database.remove());
    const store = await database.open();
    const { largest } = await fillStore(store, { largest: 3_000, teams: 0, total: 6_000, now: NOW });
    if (name === 'postgres') await sql`vacuum analyze monitor_listing`.execute(store.db);
    const wheres = {
      monitor_listing_texts: `length(search_text) <= 200 and ${
        name === 'postgres' ? `strpos(search_text, 'zebra') > 0` : `search_text like '%zebra%'`
      }`,
      monitor_listing_phases: `phase = 4 and not_after < ${NOW}`,
    };
    for (const [index, where] of Object.entries(wheres)) {
      const plan = await planOf(
        store,
        `select count(*) from monitor_listing where account_id = '${largest}' and ${where}`,
      );
      expect(plan).toContain(index);
      expect(plan).toMatch(/Index Only Scan|COVERING INDEX/);
    }
  });
});

async function planOf(store: Store, query: string): Promise<string> {
  const explain = store.dialect === 'postgres' ? 'explain' : 'explain query plan';
  const { rows } = await store.db.executeQuery(CompiledQuery.raw(`${explain} ${query}`));
  return JSON.stringify(rows);
}

const totals = ({ db }: Store) => db.selectFrom('monitor_totals').selectAll().orderBy('account_id').execute();

const counted = ({ db }: Store) =>
  db
    .selectFrom('accounts')
    .leftJoin('monitors', 'monitors.account_id', 'accounts.id')
    .select((eb) => ['accounts.id as account_id', eb.fn.count<number>('monitors.id').as('total')])
    .groupBy('accounts.id')
    .orderBy('accounts.id')
    .execute();

async function readListing(store: Store): Promise<unknown[]> {
  return store.db.selectFrom('monitor_listing').selectAll().orderBy('monitor_id').execute();
}

const served = ({ db }: Store) =>
  db.selectFrom('served_certificates').selectAll().orderBy('account_id').orderBy('fingerprint').execute();

/** Computes from `monitors` the rows that the table must have. */
async function expectedServed({ db }: Store): Promise<unknown[]> {
  const rows = await db
    .selectFrom('monitors')
    .innerJoin('certificates', 'certificates.fingerprint', 'monitors.certificate_fingerprint')
    .select((eb) => ['account_id', 'fingerprint', 'facts', eb.fn.countAll<number>().as('domains')])
    .groupBy(['account_id', 'fingerprint', 'facts'])
    .orderBy('account_id')
    .orderBy('fingerprint')
    .execute();
  return rows.map(({ facts, ...row }) => {
    const { subject, sans, notAfter, ...issued } = JSON.parse(facts ?? '') as CertificateFacts;
    const issuer = (issuerLine(issued.authorityName, issued.issuer) ?? UNKNOWN_ISSUER).toLowerCase();
    const name = (subject || (sans[0] ?? '')).toLowerCase();
    return { ...row, not_after: notAfter, name, issuer, names: [subject, ...sans].join(' ').toLowerCase() };
  });
}

/** Computes from `monitors` the rows that the table must have. */
async function computeListing({ db }: Store): Promise<unknown[]> {
  const rows = await db.selectFrom('monitors').selectAll().orderBy('id').execute();
  return rows.map((row) => ({
    account_id: row.account_id,
    monitor_id: row.id,
    created_at: row.created_at,
    host: row.host,
    sort_name: row.sort_name ?? row.host,
    port: row.port,
    phase: row.paused_by !== null ? 0 : row.not_after !== null ? (row.revoked ? 3 : 4) : row.checked ? 2 : 1,
    not_after: row.not_after,
    on_schedule_until: row.on_schedule_until,
    certificate_fingerprint: row.certificate_fingerprint,
    fault: faultOf(row),
    trouble:
      row.paused_by !== null
        ? 0
        : row.uptime === 'down' || row.problem === 'unreachable'
          ? 2
          : row.problem === 'overdue'
            ? 3
            : Number(row.problem !== null),
    tags: row.tags,
    search_text: row.search_text,
  }));
}

function faultOf(row: Selectable<Tables['monitors']>): number {
  if (row.paused_by !== null) return 0;
  if (row.revoked && row.not_after !== null) return 1;
  if (row.problem === 'untrusted') return 2;
  if (row.uptime === 'down') return 3;
  if (row.problem === 'refused') return 5;
  if (row.problem === 'overdue') return 6;
  if (row.problem === 'flawed') return 7;
  return row.problem === 'unreachable' || (row.not_after === null && row.checked) ? 4 : 0;
}
