import { expect, it } from 'vitest';
import { mayAdd, mayResume } from '../../server/core/plan.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { oldestDueTimes } from '../../server/store/alerts/deliveries.ts';
import { findMonitor, requestCheck, setFrequency } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  checkOf,
  claimOne,
  DAY,
  endingSoon,
  MINUTE,
  NOW,
  person,
  recordSample,
  watch,
} from './samples.ts';
import { addMonitor } from '../../server/store/monitors/monitor-adding.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';
import { listMonitors } from '../../server/store/monitors/monitor-list.ts';
import { dashboardSummary } from '../../server/store/monitors/monitor-summary.ts';
import { countPaused, pauseMonitor, resumeMonitor } from '../../server/store/monitors/monitor-pauses.ts';
import { correctCheckTimes } from '../../server/store/monitors/check-due.ts';

const LATER = NOW + 2 * DAY;
const claim = { limit: 9, leaseMs: MINUTE, claimedBy: 'test' };

describeEachDatabase('a paused monitor', (open) => {
  it('is not checked, even when due or requested, until it is resumed', async () => {
    const store = await open();
    const [accountId, monitorId = ''] = await withMonitors(store, 1);
    const key = { accountId, monitorId };
    await check(store, NOW, [certificate()]);
    expect(await pauseMonitor(store, { ...key, now: NOW })).toMatchObject({ pausedBy: 'user' });

    expect(await requestCheck(store, { ...key, now: LATER })).toMatchObject({
      pausedBy: 'user',
      checkRequestedAt: null,
    });
    await setFrequency(store, { ...key, minutes: 1440, now: LATER, mayUse: () => true });
    await correctCheckTimes(store, NOW - 10 * DAY);
    expect(await claimDue(store, { ...claim, now: LATER })).toEqual([]);
    expect(await oldestDueTimes(store, LATER)).toMatchObject({ checkAt: null });

    expect(await resumeMonitor(store, { ...key, now: LATER, mayResume })).toMatchObject({
      ok: true,
      monitor: { pausedBy: null, nextCheckAt: LATER, checking: true },
    });
    expect(await claimDue(store, { ...claim, now: LATER })).toMatchObject([{ id: monitorId }]);
  });

  it('stays paused when a running check ends; the result is recorded without an alert', async () => {
    const store = await open();
    const [accountId, monitorId = ''] = await withMonitors(store, 1);
    const key = { accountId, monitorId };
    const running = await claimOne(store, NOW);
    await requestCheck(store, { ...key, now: NOW + 1 });
    await pauseMonitor(store, { ...key, now: NOW + 2 });
    const seen = endingSoon();
    expect(await recordSample(store, checkOf(running, NOW + 3, [seen]))).toBe(true);

    expect(await findMonitor(store, key)).toMatchObject({
      pausedBy: 'user',
      lastCheckedAt: NOW + 3,
      certificate: { fingerprint: seen.facts.fingerprint },
      checking: false,
    });
    expect(await claimDue(store, { ...claim, now: LATER })).toEqual([]);
    expect(await store.db.selectFrom('alerts').selectAll().execute()).toEqual([]);
    // The alert is sent when the monitor is checked again.
    await resumeMonitor(store, { ...key, now: LATER, mayResume });
    await check(store, LATER, [seen]);
    expect(await store.db.selectFrom('deliveries').selectAll().execute()).toHaveLength(1);
  });

  it('counts as paused in the list and the summary, not as an expiry or a problem', async () => {
    const store = await open();
    const [accountId, ...ids] = await withMonitors(store, 3);
    for (let done = 0; done < 3; done++) await check(store, NOW + 9, done === 1 ? [] : [certificate()]);
    for (const monitorId of ids.slice(1)) await pauseMonitor(store, { accountId, monitorId, now: NOW });
    const query = { accountId, page: 1, pageSize: 50, sort: 'newest' as const, now: NOW };
    const paused = await listMonitors(store, { ...query, status: 'paused' });
    expect(paused.monitors.map(({ id }) => id).toSorted()).toEqual(ids.slice(1).toSorted());
    expect((await listMonitors(store, { ...query, status: 'unread' })).total).toBe(0);
    const { counts, expiries, problems } = await dashboardSummary(store, { accountId, now: NOW });
    expect(counts).toMatchObject({ paused: 2, ok: 1, unread: 0 });
    expect(expiries.map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect(problems).toEqual([]);
  });

  it('ignores a second pause and a second resume', async () => {
    const store = await open();
    const [accountId, monitorId = ''] = await withMonitors(store, 1);
    const key = { accountId, monitorId };
    const first = await pauseMonitor(store, { ...key, now: NOW });
    expect(await pauseMonitor(store, { ...key, now: LATER })).toEqual(first);
    await resumeMonitor(store, { ...key, now: LATER, mayResume });
    await check(store, LATER, [certificate()]);
    expect(await resumeMonitor(store, { ...key, now: LATER + 1, mayResume })).toMatchObject({
      ok: true,
      monitor: { nextCheckAt: LATER + DAY, checking: false },
    });
  });

  it('cannot be paused, resumed or swapped by another account', async () => {
    const store = await open();
    const [accountId, monitorId = ''] = await withMonitors(store, 3);
    const charlie = await person(store, 'charlie');
    const theirs = { accountId: charlie.id, monitorId };
    expect(await pauseMonitor(store, { ...theirs, now: NOW })).toBeNull();
    const missing = { ok: false, code: 'not_found' };
    expect(await resumeMonitor(store, { ...theirs, now: NOW, mayResume })).toEqual(missing);

    const own = await watch(store, charlie.id, 'own.example');
    await pauseMonitor(store, { accountId: charlie.id, monitorId: own.id, now: NOW });
    const swap = { accountId: charlie.id, monitorId: own.id, insteadOf: monitorId, now: NOW };
    expect(await resumeMonitor(store, { ...swap, mayResume: () => false })).toEqual(missing);
    expect(await findMonitor(store, { accountId, monitorId })).toMatchObject({ pausedBy: null });
  });

  it('counts towards the three domains of Free', async () => {
    const store = await open();
    const [accountId, monitorId = ''] = await withMonitors(store, 3);
    await pauseMonitor(store, { accountId, monitorId, now: NOW });
    const fourth = {
      accountId,
      host: 'x.example',
      port: 443,
      protocol: 'https' as const,
      checkEveryMinutes: 1440,
      now: NOW,
      mayAdd,
    };
    expect(await addMonitor(store, fourth)).toEqual({ ok: false, code: 'limit_reached' });
  });
});

describeEachDatabase('resuming on a full plan', (open) => {
  it('can swap two monitors: a running one is paused and the paused one is resumed', async () => {
    const store = await open();
    const { accountId, active, paused } = await afterPremium(store);
    const key = { accountId, monitorId: paused[0] ?? '', now: LATER };
    expect(await resumeMonitor(store, { ...key, mayResume })).toEqual({ ok: false, code: 'limit_reached' });
    const signals: unknown[] = [];
    store.signals.subscribe((signal) => signals.push(signal));
    expect(await resumeMonitor(store, { ...key, insteadOf: active[2], mayResume })).toMatchObject({
      ok: true,
    });
    expect(await runningOf(store, accountId)).toEqual([active[0], active[1], paused[0]]);
    expect(signals).toEqual([
      { topic: 'domain', accountId, monitorId: active[2], change: 'changed' },
      { topic: 'due' },
      { topic: 'domain', accountId, monitorId: paused[0], change: 'changed' },
    ]);
    // Premium also resumes the monitor that was paused in exchange for another.
    expect(await countPaused(store, accountId)).toEqual({ user: 0, plan: 2, unconfirmed: 0 });
    await grantPremium(store, accountId, { grant: { endsAt: null }, now: LATER });
    expect(await runningOf(store, accountId)).toHaveLength(5);
  });

  it('refuses a swap with a monitor that does not run or belongs to another account', async () => {
    const store = await open();
    const { accountId, active, paused } = await afterPremium(store);
    const stranger = await person(store, 'stranger');
    const { id: theirs } = await watch(store, stranger.id, 'theirs.example');
    const [first = '', second = ''] = paused;
    const swap = (insteadOf: string) =>
      resumeMonitor(store, { accountId, monitorId: first, insteadOf, now: LATER, mayResume });
    for (const insteadOf of [first, second])
      expect(await swap(insteadOf)).toEqual({ ok: false, code: 'limit_reached' });
    expect(await swap(theirs)).toEqual({ ok: false, code: 'not_found' });
    expect(await runningOf(store, accountId)).toEqual(active);
  });

  it('uses a free place without pausing the monitor named for the swap', async () => {
    const store = await open();
    const { accountId, active, paused } = await afterPremium(store);
    await pauseMonitor(store, { accountId, monitorId: active[0] ?? '', now: LATER });
    const [monitorId = ''] = paused;
    await resumeMonitor(store, { accountId, monitorId, insteadOf: active[1], now: LATER, mayResume });
    expect(await runningOf(store, accountId)).toEqual([active[1], active[2], monitorId]);
  });

  it('never exceeds the limit with parallel requests', async () => {
    const store = await open();
    const { accountId, active, paused } = await afterPremium(store);
    await pauseMonitor(store, { accountId, monitorId: active[0] ?? '', now: LATER });
    const resumed = await Promise.all([
      ...[...paused, active[0] ?? ''].map((monitorId) =>
        resumeMonitor(store, { accountId, monitorId, now: LATER, mayResume }),
      ),
      ...paused.map((monitorId) =>
        resumeMonitor(store, { accountId, monitorId, insteadOf: active[1], now: LATER, mayResume }),
      ),
    ]);
    expect(resumed.filter(({ ok }) => ok).length).toBeGreaterThan(0);
    expect(await runningOf(store, accountId)).toHaveLength(3);
  });
});

/** Returns the id of Alice's account and the ids of her monitors, oldest first. */
async function withMonitors(store: Store, count: number): Promise<[string, ...string[]]> {
  const { id: accountId } = await person(store, 'alice');
  const ids: string[] = [];
  for (let index = 0; index < count; index++)
    ids.push((await watch(store, accountId, `host${index}.example`, { now: NOW + index })).id);
  return [accountId, ...ids];
}

/** Creates an account whose Premium ended: of its five domains, three still run. */
async function afterPremium(store: Store) {
  const [accountId, ...ids] = await withMonitors(store, 5);
  await grantPremium(store, accountId, { grant: { endsAt: null }, now: NOW });
  await grantPremium(store, accountId, { grant: null, now: NOW + DAY });
  return { accountId, active: ids.slice(0, 3), paused: ids.slice(3) };
}

async function runningOf(store: Store, accountId: string): Promise<string[]> {
  const rows = await store.db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .where('active', '=', 1)
    .orderBy('created_at')
    .execute();
  return rows.map(({ id }) => id);
}
