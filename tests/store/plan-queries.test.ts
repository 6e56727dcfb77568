import { CompiledQuery, type InsertObject } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { claimDueDeliveries, oldestDueTimes, settleDelivery } from '../../server/store/alerts/deliveries.ts';
import { openIncident, othersHaveProblem } from '../../server/store/alerts/shared-incidents.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { findExpiredPlans, nextPlanEnd } from '../../server/store/billing/plan-expiry.ts';
import { checksAreLate } from '../../server/store/accounts/account-health.ts';
import { CERTIFICATE_SORTS, SORT_DIRECTIONS } from '../../contract/calls/list-order.ts';
import { addCertificates } from '../../server/store/checks/certificates.ts';
import { listServedCertificates } from '../../server/store/monitors/certificate-list.ts';
import { certificateStory } from '../../server/store/checks/certificate-story.ts';
import { uptimePercents } from '../../server/store/checks/downtime.ts';
import { uptimeHistory } from '../../server/store/checks/uptime.ts';
import { type Database, describeEachDatabase, freshDatabase } from '../kit/databases/database.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { writeHistory } from '../kit/product/write-history.ts';
import { DOMAIN_SORTS } from '../../contract/words.ts';
import { plansOf } from './plans.ts';
import { certificate, check, DAY, NOW, person, watch } from './samples.ts';
import type { Tables } from '../../server/store/schema/tables.ts';
import { trackedEndpoints } from '../../server/store/monitors/monitor-adding.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { eachMonitor, listMonitors, matchingMonitorIds } from '../../server/store/monitors/monitor-list.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { countPaused } from '../../server/store/monitors/monitor-pauses.ts';

const HOUR = 3_600_000;
const MONITORS = 4_000;
const EVERY_ACTIVE = 40;

describeEachDatabase('queries among thousands of paused monitors', (_, name) => {
  let filled: Database;
  beforeAll(async () => {
    filled = await freshDatabase(name);
    const store = await filled.open();
    await addManyPaused(store);
    await store.close();
  });
  afterAll(() => filled.remove());

  /** Opens a new database: in a used one, rows that earlier tests deleted would change the query plans. */
  const open = async (copyOf?: Database): Promise<Store> => {
    const database = await freshDatabase(name, { ...(copyOf && { copyOf }) });
    onTestFinished(() => database.remove());
    return database.open();
  };
  const openWithManyPaused = () => open(filled);

  it('find due monitors through the index of active ones', async () => {
    const store = await openWithManyPaused();
    const claim = { now: NOW, limit: 20, leaseMs: 1, claimedBy: 'test' };
    const plans = await plansOf(store, (watched) => claimDue(watched, claim));
    expect(plans[0]).toContain('monitors_due');
    // The claim found due monitors, so it also read their details.
    expect(plans.length).toBeGreaterThan(1);
    expect((await plansOf(store, (watched) => oldestDueTimes(watched, NOW))).at(-1)).toContain(
      'monitors_due',
    );
  });

  it('count the monitors of an account through an index', async () => {
    const store = await openWithManyPaused();
    const { id: accountId } = await person(store, 'alice');
    const counting = await plansOf(store, (watched) => dashboardSummary(watched, { accountId, now: NOW }));
    // The queries: domains that are not well, those of them that are on schedule, and both together with the domains that end
    // on each day.
    const [unwell, onSchedule, all] = counting;
    for (const plan of [unwell, all]) expect(plan).toMatch(/monitor_listing_(?:phases|worst)/);
    for (const plan of [onSchedule, all]) expect(plan).toContain('monitor_listing_on_schedule');
    expect((await plansOf(store, (watched) => countPaused(watched, accountId)))[0]).toContain('monitors_');
  });

  it('list the monitors of an account without a full scan, for every filter and order', async () => {
    const store = await openWithManyPaused();
    const accountId = await withFew(store);
    const filter = { accountId, now: NOW };
    const everyFilter = { ...filter, q: 'example', tag: 'prod', status: 'paused' as const };
    for (const sort of DOMAIN_SORTS)
      for (const direction of SORT_DIRECTIONS)
        for (const query of [filter, everyFilter]) {
          const page = { ...query, sort, direction, page: 1, pageSize: 20 };
          const plans = [
            ...(await plansOf(store, (watched) => listMonitors(watched, page))),
            ...(await plansOf(store, (watched) => matchingMonitorIds(watched, { ...page, limit: 5 }))),
            ...(await plansOf(store, (watched) => Array.fromAsync(eachMonitor(watched, page)))),
          ];
          expect(plans.length).toBeGreaterThanOrEqual(7);
          for (const plan of plans) expect(plan).not.toMatch(WHOLE_TABLE);
        }
  });

  it('list the certificates of an account, and the domains that serve a certificate, without a full scan', async () => {
    const store = await openWithManyPaused();
    const accountId = await withFew(store);
    const leaf = certificate();
    const { fingerprint, notAfter } = leaf.facts;
    await store.db.transaction().execute((trx) => addCertificates(trx, [{ ...leaf, fingerprint }], NOW));
    await store.db
      .updateTable('monitors')
      .set({ certificate_fingerprint: fingerprint, not_after: notAfter })
      .where('account_id', '=', accountId)
      .execute();
    const list = { accountId, after: null, limit: 5, now: NOW };
    for (const filter of [{}, { q: 'few', tag: 'prod', status: 'ok' as const }])
      for (const sort of CERTIFICATE_SORTS)
        for (const direction of SORT_DIRECTIONS) {
          const query = { ...list, ...filter, sort, direction };
          const plans = await plansOf(store, (watched) => listServedCertificates(watched, query));
          expect(plans.length).toBeGreaterThan(1);
          for (const plan of plans) expect(plan).not.toMatch(WHOLE_TABLE);
        }
  });

  it('find domains that need attention without a full scan', async () => {
    const store = await openWithManyPaused();
    const filter = { accountId: await withFew(store), now: NOW, status: 'attention' as const };
    const plans = await plansOf(store, (watched) =>
      matchingMonitorIds(watched, { ...filter, sort: 'soonest', limit: 5 }),
    );
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) expect(plan).not.toMatch(WHOLE_TABLE);
  });

  it('summarise an account and find its endpoints without a full scan', async () => {
    const store = await openWithManyPaused();
    const accountId = await withFew(store);
    const endpoints = [{ host: 'few1.example', port: 443 }];
    const plans = [
      ...(await plansOf(store, (watched) => dashboardSummary(watched, { accountId, now: NOW }))),
      ...(await plansOf(store, (watched) => trackedEndpoints(watched, { accountId, endpoints }))),
    ];
    expect(plans.length).toBeGreaterThanOrEqual(6);
    for (const plan of plans) expect(plan).not.toMatch(WHOLE_TABLE);
  });

  if (name === 'sqlite')
    it('find the incidents of a certificate, and the alert about their end, through indexes without sorting', async () => {
      const store = await open();
      const { id: accountId } = await person(store, 'alice');
      const about = { accountId, problem: 'expiry' as const, fingerprint: 'any', now: NOW };
      const searches = await plansOf(store, (watched) =>
        watched.db.transaction().execute(async (trx) => {
          await openIncident(trx, about);
          await othersHaveProblem(trx, { accountId, monitorId: 'any' }, about);
        }),
      );
      expect(searches.length).toBeGreaterThan(1);
      for (const plan of searches) {
        expect(plan).toContain('incidents_subject');
        expect(plan).not.toContain('TEMP B-TREE');
      }
      expect(searches[0]).toContain('incident_id=? AND step=?');
    });

  if (name === 'sqlite')
    it('find the certificates with the same names as a given one through a covering index, even before the first ANALYZE', async () => {
      const store = await open();
      const { id: accountId } = await person(store, 'alice');
      await watch(store, accountId, 'www.example.org');
      const leaf = certificate();
      await check(store, NOW, [leaf]);
      const story = { accountId, fingerprint: leaf.facts.fingerprint, after: null, limit: 5 };
      const plans = await plansOf(store, (watched) => certificateStory(watched, story));
      const searches = plans.filter((plan) => plan.includes('CO-ROUTINE seen'));
      expect(searches.length).toBeGreaterThan(0);
      for (const plan of searches) expect(plan).toContain('COVERING INDEX certificates_names');
    });

  it('decide through an index whether the checks of an account are late', async () => {
    const store = await openWithManyPaused();
    const { id: accountId } = await person(store, 'alice');
    const asking = await plansOf(store, (watched) => checksAreLate(watched, { accountId, now: NOW }));
    expect(asking[0]).toContain('monitors_');
  });

  it('read the uptime of a monitor and of a list without a full scan', async () => {
    const store = await openWithManyPaused();
    const accountId = await withFew(store);
    await withManyChecks(store);
    const page = await listMonitors(store, { accountId, now: NOW, page: 1, pageSize: 50, sort: 'newest' });
    const plans = [
      ...(await plansOf(store, (watched) =>
        uptimeHistory(watched, { accountId, monitorId: 'few1.example', now: NOW }),
      )),
      ...(await plansOf(store, (watched) => uptimePercents(watched, page.monitors, NOW))),
    ];
    // Seven queries. For the history: monitor with last checks, plan, downtime, incidents, response times. For the list:
    // plan, downtime.
    expect(plans).toHaveLength(7);
    for (const plan of plans)
      expect(plan).not.toMatch(/(?:Seq Scan on|SCAN) (?:monitors|monitor_states|monitor_days|incidents)\b/);
    expect(plans[4]).toMatch(/monitor_days_key|PRIMARY KEY/);
  });

  it('claim, merge and settle deliveries through the indexes on lane, key, lease and incident', async () => {
    const store = await open();
    await withManyDeliveries(store);
    const claim = { now: NOW, limit: 4, leaseMs: 1, claimedBy: 'test' };
    let leaseToken = '';
    const plans = await plansOf(store, async (watched) => {
      const claimed = await claimDueDeliveries(watched, claim);
      leaseToken = claimed[0]?.leaseToken ?? '';
    });
    const ofIncident = plans.filter((plan) => /\b(?:earlier|later)\b/.test(plan));
    // The claim and the merge keep messages in order, and the read of a delivery looks for later ones.
    expect(ofIncident.length).toBeGreaterThanOrEqual(3);
    for (const plan of ofIncident)
      expect(plan).toMatch(/deliveries_incident (?:on deliveries (?:earlier|later)|\(account_id=\?)/);
    for (const index of ['deliveries_lane', 'deliveries_merging'])
      expect(ofIncident.filter((plan) => plan.includes(index))).not.toEqual([]);
    const settled = { leaseToken, outcome: 'delivered', detail: null, now: NOW } as const;
    const settling = await plansOf(store, (watched) => settleDelivery(watched, settled));
    for (const plan of [...plans, ...settling]) expect(plan).not.toMatch(/(?:Seq Scan on|SCAN) deliveries\b/);
  });

  it('use an index to find plans that have ended', async () => {
    const store = await openWithManyPaused();
    for (const look of [nextPlanEnd, (watched: Store) => findExpiredPlans(watched, NOW)])
      expect((await plansOf(store, look))[0]).toContain('accounts_plan_end');
  });
});

const WHOLE_TABLE = /(?:Seq Scan on|SCAN) (?:monitors|monitor_listing)\b(?! USING)/;

/** Creates an account with ten monitors, about as many as most people have. */
async function withFew(store: Store): Promise<string> {
  const { id } = await person(store, 'alice');
  const row = { account_id: id, port: 443, check_every_minutes: 1440, created_at: NOW, next_check_at: NOW };
  const hosts = Array.from({ length: 10 }, (_, index) => `few${index}.example`);
  await store.db
    .insertInto('monitors')
    .values(
      hosts.map((host) => ({
        ...row,
        id: host,
        host,
        revoked: 0,
        active: 0,
        paused_by: 'user' as const,
        tags: '["prod"]',
        search_text: `${host}:443`,
      })),
    )
    .execute();
  await store.db.executeQuery(CompiledQuery.raw('analyze'));
  return id;
}

/** Stores checks and incidents of hundreds of other monitors and of one in the small account. */
async function withManyChecks(store: Store): Promise<void> {
  await store.db
    .updateTable('monitors')
    .set({ uptime_since: NOW - 20 * DAY })
    .execute();
  const monitors = await store.db.selectFrom('monitors').select(['account_id', 'id']).orderBy('id').execute();
  const chosen = monitors.filter(({ id }, index) => index < 300 || id === 'few1.example');
  const samples = Array.from({ length: 300 }, (_, hours) => ({
    at: NOW - (300 - hours) * HOUR,
    state: 'up' as const,
    responseMs: 20,
    message: null,
  }));
  for (const { account_id: accountId, id: monitorId } of chosen)
    await writeHistory(store, { accountId, monitorId }, samples);
  const incidents = chosen.flatMap(({ account_id, id: monitor_id }) =>
    Array.from({ length: 10 }, (_, place) => ({
      account_id,
      monitor_id,
      id: `${monitor_id} ${place}`,
      problem: 'down' as const,
      fingerprint: '',
      recovered: 1,
      facts: '{}',
      started_at: NOW - DAY,
      confirmed_at: NOW - DAY,
      ended_at: NOW,
      cause: '',
      message: '',
    })),
  );
  await insertIncidents(store.db, incidents);
  await store.db.executeQuery(CompiledQuery.raw('analyze'));
}

/** Stores thousands of delivered alerts of an account, two per incident, and ten that are due and may be merged. */
async function withManyDeliveries(store: Store): Promise<void> {
  const { id: account_id } = await person(store, 'alice');
  const { id: monitor_id } = await watch(store, account_id, 'www.example.org');
  const ids = Array.from({ length: 4_000 }, (_, index) => index);
  const incidentOf = (index: number) => `incident ${Math.floor(index / 2)}`;
  const common = { account_id, created_at: NOW - DAY };
  const insertAll = async <T extends 'alerts' | 'deliveries'>(
    table: T,
    rows: readonly InsertObject<Tables, T>[],
  ) => {
    for (let from = 0; from < rows.length; from += 500)
      await store.db
        .insertInto(table)
        .values(rows.slice(from, from + 500))
        .execute();
  };
  await insertIncidents(
    store.db,
    [...new Set(ids.map(incidentOf))].map((id) => ({
      account_id,
      monitor_id,
      id,
      problem: 'down' as const,
      fingerprint: '',
      recovered: 1,
      facts: '{}',
      started_at: NOW - DAY,
      ended_at: NOW,
      cause: '',
      message: '',
    })),
  );
  await insertAll(
    'alerts',
    ids.map((index) => ({
      ...common,
      monitor_id,
      id: `alert ${index}`,
      incident_id: incidentOf(index),
      kind: 'down' as const,
      step: index % 2 === 0 ? ('opened' as const) : ('resolved' as const),
      fingerprint: '',
      severity: 'critical' as const,
      facts: '{}',
    })),
  );
  await insertAll(
    'deliveries',
    ids.map((index) => ({
      ...common,
      id: `delivery ${index}`,
      alert_id: `alert ${index}`,
      incident_id: incidentOf(index),
      channel: 'email' as const,
      channel_key: 'email',
      dedupe_key: `${index}`,
      merge_key: index % 400 === 0 ? 'email:opened' : null,
      message_id: `${index}`,
      state: index % 400 === 0 ? ('waiting' as const) : ('delivered' as const),
      attempts: 0,
      unanswered: 0,
      next_attempt_at: NOW - DAY,
    })),
  );
  await store.db.executeQuery(CompiledQuery.raw('analyze'));
}

async function addManyPaused(store: Store): Promise<void> {
  const people = await Promise.all(['bob', 'charlie'].map((name) => person(store, name)));
  const rows = Array.from({ length: MONITORS }, (_, index) => {
    const isActive = index % EVERY_ACTIVE === 0;
    return {
      id: `monitor ${index}`,
      account_id: people[index % 2]?.id ?? '',
      host: `host${index}.example`,
      port: 443,
      check_every_minutes: 1440,
      created_at: NOW,
      next_check_at: isActive && index % (EVERY_ACTIVE * 10) > 0 ? NOW + DAY : NOW - DAY,
      revoked: 0,
      active: Number(isActive),
      paused_by: isActive ? null : ('plan' as const),
    };
  });
  for (let from = 0; from < rows.length; from += 1_000)
    await store.db
      .insertInto('monitors')
      .values(rows.slice(from, from + 1_000))
      .execute();
  const accounts = Array.from({ length: 2_000 }, (_, index) => ({
    id: `account ${index}`,
    email: `${index}@example.com`,
    email_verified: 0,
    full_name: '',
    paddle_id: '',
    company_name: '',
    plan: 'free' as const,
    plan_ends_at: index % 500 === 0 ? NOW : null,
    created_at: NOW,
  }));
  await store.db.insertInto('accounts').values(accounts).execute();
  await store.db.executeQuery(CompiledQuery.raw('analyze'));
}
