import { expect, it } from 'vitest';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { isDownIncident } from '../../server/store/alerts/incidents.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { pruneHistory } from '../../server/store/checks/retention.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { insertRows } from '../kit/databases/insert-rows.ts';
import { certificate, check, DAY, NOW, person, watch } from './samples.ts';
import type { MonitorKey } from '../../server/store/schema/tables.ts';
import { presentedChain } from '../../server/store/checks/certificate-history.ts';

describeEachDatabase('the pruning of old checks', (open) => {
  it('keeps checks for the days of the plan plus a week, with their evidence and verdicts', async () => {
    const store = await open();
    const free = await watchedFor(store, 'free', 120);
    const premium = await watchedFor(store, 'premium', 120);
    const now = NOW + 120 * DAY;
    await grantPremium(store, premium.accountId, { grant: { endsAt: null }, now });
    await pruneHistory(store, now);
    expect(await rowsOf(store, free)).toEqual({ runs: 3, days: 2, outages: 3, evidence: 3, verdicts: 3 });
    expect(await rowsOf(store, premium)).toEqual({
      runs: 20,
      days: 19,
      outages: 20,
      evidence: 20,
      verdicts: 20,
    });
    expect(await presentedChain(store, free)).toHaveLength(1);
    expect(await pruneHistory(store, now)).toBe(0);
  });

  it('keeps the longer history of Premium until a week after Premium ends', async () => {
    const store = await open();
    const key = await watchedFor(store, 'alice', 60);
    const end = NOW + 60 * DAY;
    await grantPremium(store, key.accountId, { grant: { endsAt: end }, now: end - DAY });
    await pruneHistory(store, end + 6 * DAY);
    expect(await rowsOf(store, key)).toMatchObject({ runs: 13 });
    await pruneHistory(store, end + 8 * DAY);
    expect(await rowsOf(store, key)).toMatchObject({ runs: 2 });
  });

  it('keeps the longer history of Premium on a deployment where everyone has Premium', async () => {
    const store = await open({ everyonePremium: true });
    const key = await watchedFor(store, 'alice', 60);
    expect(await pruneHistory(store, NOW + 60 * DAY)).toBe(0);
    expect(await rowsOf(store, key)).toMatchObject({ runs: 13 });
  });

  it('prunes every monitor that has old checks, among 450 others', async () => {
    const store = await open();
    const { id: accountId } = await person(store, 'alice');
    const keys: MonitorKey[] = [];
    for (let index = 0; index < 3; index++)
      keys.push({ accountId, monitorId: (await watch(store, accountId, `host${index}.example`)).id });
    await store.db
      .insertInto('monitors')
      .values(
        Array.from({ length: 450 }, (_, index) => ({
          account_id: accountId,
          id: `${index}`,
          host: `other${index}.example`,
          port: 443,
          revoked: 0,
          check_every_minutes: 1440,
          created_at: NOW,
          next_check_at: NOW + 9 * DAY,
        })),
      )
      .execute();
    for (const day of [0, 1]) for (const _ of keys) await check(store, NOW + day * DAY, [certificate()]);
    expect(await pruneHistory(store, NOW + 30 * DAY)).toBe(6);
    for (const key of keys) expect(await rowsOf(store, key)).toMatchObject({ runs: 1, evidence: 1 });
  });
});

describeEachDatabase('the history of one domain', (open) => {
  it('keeps the newest 20,000 runs, 5,000 incidents and 5,000 certificates, and rows still in use such as an open incident', async () => {
    const store = await open();
    const busy = await watchedFor(store, 'busy', 0);
    const quiet = await watchedFor(store, 'quiet', 0);
    await addTooMuch(store, busy);
    expect(await pruneHistory(store, NOW + DAY)).toBe(50 + 41 + 31);
    const counts = async (key: MonitorKey) => {
      const { certificates, ...rows } = {
        ...(await rowsOf(store, key)),
        certificates: await historyOf(store, key),
      };
      return { runs: rows.runs, outages: rows.outages, certificates };
    };
    expect(await counts(busy)).toEqual({ runs: 20_001, outages: 5_001, certificates: 5_000 });
    expect(await counts(quiet)).toEqual({ runs: 1, outages: 1, certificates: 1 });
    expect(await pruneHistory(store, NOW + DAY)).toBe(0);
    const oldest = await store.db
      .selectFrom('incident_members')
      .select('id')
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    expect(oldest).toEqual({ id: 'still open' });
  });
});

async function historyOf(store: Store, { accountId, monitorId }: MonitorKey): Promise<number> {
  const { count } = await store.db
    .selectFrom('monitor_certificates')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Gives a monitor with one check and one incident more history than is kept. */
async function addTooMuch(store: Store, { accountId, monitorId }: MonitorKey): Promise<void> {
  const of = { account_id: accountId, monitor_id: monitorId };
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 2);
  const [run] = await store.db
    .selectFrom('check_runs')
    .selectAll()
    .where('monitor_id', '=', monitorId)
    .execute();
  if (!run) throw new Error('Nothing was checked');
  await insertRows(
    store,
    'check_runs',
    numbers(20_050).map((number) => ({ ...run, number, last_at: NOW })),
  );
  const incident = {
    ...of,
    problem: 'down' as const,
    fingerprint: '',
    recovered: 1,
    facts: '{}',
    cause: '',
    message: '',
    confirmed_at: NOW,
    ended_at: NOW,
  };
  await insertIncidents(store.db, [
    ...numbers(5_040).map((number) => ({ ...incident, id: `${number}`, started_at: NOW + number })),

    { ...incident, ended_at: null, id: 'still open', started_at: NOW - 9 * DAY },
  ]);
  const seen = numbers(5_030).map((number) => ({ fingerprint: `${number}`, number }));
  await insertRows(
    store,
    'certificates',
    seen.map(({ fingerprint }) => ({
      fingerprint,
      der: new Uint8Array([1]),
      facts: null,
      first_seen_at: NOW,
    })),
  );
  await insertRows(
    store,
    'monitor_certificates',
    seen.map(({ fingerprint, number }) => ({
      ...of,
      id: fingerprint,
      fingerprint,
      role: 'chain' as const,
      kept: 0,
      shown: 0,
      first_seen_at: NOW - 1,
      last_seen_at: NOW - number,
    })),
  );
}

const EVERY_DAYS = 5;

/** Creates a monitor whose every check shows a new certificate, and which was down a day before each check. */
async function watchedFor(store: Store, name: string, days: number): Promise<MonitorKey> {
  const { id: accountId } = await person(store, name);
  const { id: monitorId } = await watch(store, accountId, `${name}.example`);
  for (let day = 0; day <= days; day += EVERY_DAYS) {
    await check(store, NOW + day * DAY, [certificate()]);
    await insertIncidents(store.db, [
      {
        account_id: accountId,
        monitor_id: monitorId,
        id: `${name} ${day}`,
        problem: 'down',
        fingerprint: '',
        recovered: 1,
        facts: '{}',
        cause: '',
        message: '',
        started_at: NOW + (day - 1) * DAY,
        confirmed_at: NOW,
        ended_at: NOW + (day - 1) * DAY + 1,
      },
    ]);
  }
  return { accountId, monitorId };
}

async function rowsOf(store: Store, { accountId, monitorId }: MonitorKey) {
  const count = async (
    table: 'check_runs' | 'monitor_days' | 'incident_members' | 'evidence' | 'verdicts',
  ) => {
    const of = store.db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'));
    const row = await (table === 'incident_members' ? of.where(isDownIncident) : of)
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .executeTakeFirstOrThrow();
    return row.count;
  };
  return {
    runs: await count('check_runs'),
    days: await count('monitor_days'),
    outages: await count('incident_members'),
    evidence: await count('evidence'),
    verdicts: await count('verdicts'),
  };
}
