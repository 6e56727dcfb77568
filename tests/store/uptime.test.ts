import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { HttpObservation } from '../../server/core/observation.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { dailyDowntimes, uptimePercents } from '../../server/store/checks/downtime.ts';
import { uptimeHistory } from '../../server/store/checks/uptime.ts';
import { insertIncidents } from '../kit/databases/incidents.ts';
import { checksMade } from '../kit/product/checks-made.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  checkOf,
  claimOne,
  DAY,
  MINUTE,
  NOW,
  person,
  recordCheck,
  type SampleCertificate,
  watch,
} from './samples.ts';
import type { MonitorKey } from '../../server/store/schema/tables.ts';
import { pauseMonitor, resumeMonitor } from '../../server/store/monitors/monitor-pauses.ts';

const HALF_MINUTE = MINUTE / 2;
const HOUR = 60 * MINUTE;
const leaf = certificate();

describeEachDatabase('the uptime of a monitor', (open) => {
  it('is null before the first check and up after a successful one', async () => {
    const { store, key } = await createMonitor(await open());
    expect(await findMonitor(store, key)).toMatchObject({
      uptime: null,
      uptimeSince: null,
      recentChecks: '',
    });
    await look(store, NOW, 200);
    expect(await findMonitor(store, key)).toMatchObject({
      uptime: 'up',
      uptimeSince: NOW,
      recentChecks: 'u',
      responseMs: 45,
      downSince: null,
    });
    expect(await checksMade(store)).toMatchObject([{ state: 'up', responseMs: 45, message: null }]);
  });

  it('is read with one constant statement, which is prepared only once', async () => {
    const texts = new Set<string>();
    const { store, key } = await createMonitor(await open({ onQuery: ({ text }) => texts.add(text) }));
    await look(store, NOW, 200);
    const monitor = await findMonitor(store, key);
    if (monitor === null) throw new Error('It was removed');
    texts.clear();
    await uptimePercents(store, [monitor], NOW + DAY);
    const first = new Set(texts);
    await uptimePercents(store, [monitor], NOW + 2 * DAY);
    expect(texts).toEqual(first);
  });

  it('is down from the first of two failed checks until the first successful one', async () => {
    const { store, key } = await createMonitor(await open());
    const changes: string[] = [];
    store.signals.subscribe((signal) => signal.topic === 'domain' && changes.push(signal.change));
    await look(store, NOW, 200);
    await look(store, NOW + DAY, 503);
    expect(await findMonitor(store, key)).toMatchObject({
      uptime: 'up',
      suspectedSince: NOW + DAY,
      downSince: null,
      recentChecks: 'ud',
    });
    expect(await incidents(store)).toEqual([]);
    await look(store, NOW + DAY + HALF_MINUTE, 503);
    expect(await findMonitor(store, key)).toMatchObject({
      uptime: 'down',
      suspectedSince: null,
      downSince: NOW + DAY,
      recentChecks: 'udd',
    });
    await look(store, NOW + DAY + 2 * MINUTE, 503);
    expect(await incidents(store)).toMatchObject([
      {
        monitor_id: key.monitorId,
        started_at: NOW + DAY,
        confirmed_at: NOW + DAY + HALF_MINUTE,
        ended_at: null,
        cause: 'server_error',
        message: 'www.example.org answered with the error 503.',
      },
    ]);
    await look(store, NOW + DAY + 3 * MINUTE, 200);
    expect(await findMonitor(store, key)).toMatchObject({
      uptime: 'up',
      downSince: null,
      recentChecks: 'udddu',
    });
    expect(await incidents(store)).toMatchObject([{ ended_at: NOW + DAY + 3 * MINUTE }]);
    expect(changes).toEqual(['changed', 'checked', 'changed', 'checked', 'changed']);
  });

  it('is null while the monitor is paused, and the pause ends a downtime', async () => {
    const { store, key } = await createMonitor(await open());
    await look(store, NOW, null);
    await look(store, NOW + HALF_MINUTE, null);
    const paused = await pauseMonitor(store, { ...key, now: NOW + DAY });
    expect(paused).toMatchObject({ uptime: null, downSince: null, recentChecks: 'dd' });
    expect(await incidents(store)).toMatchObject([{ started_at: NOW, ended_at: NOW + DAY }]);
    await resumeMonitor(store, { ...key, now: NOW + 30 * DAY, mayResume: () => true });
    await look(store, NOW + 30 * DAY, 200);
    expect(await findMonitor(store, key)).toMatchObject({ uptime: 'up', recentChecks: 'ddu' });
    expect(await incidents(store)).toHaveLength(1);
  });

  it('excludes the time of a pause and everything before it', async () => {
    const { store, key } = await createMonitor(await open());
    await look(store, NOW, null);
    await look(store, NOW + HALF_MINUTE, null);
    const at = { ...key, now: NOW + DAY };
    await pauseMonitor(store, at);
    expect(await uptimeHistory(store, at)).toMatchObject({ since: null, percent: null });
    const resumed = NOW + 2 * DAY;
    await resumeMonitor(store, { ...key, now: resumed, mayResume: () => true });
    await look(store, resumed, 200);
    await look(store, resumed + DAY, null);
    await look(store, resumed + DAY + HALF_MINUTE, null);
    const later = { ...key, now: resumed + 2 * DAY };
    expect(await uptimeHistory(store, later)).toMatchObject({
      since: resumed,
      percent: 50,
      incidents: [{ startedAt: resumed + DAY }, { startedAt: NOW }],
    });
    const monitor = await findMonitor(store, key);
    if (monitor === null) throw new Error('the monitor is gone');
    expect([...(await uptimePercents(store, [monitor], later.now)).values()]).toEqual([50]);
  });

  it('includes the minutes of downtime per day since the first check, split at midnight UTC and rounded up', async () => {
    const { store, key } = await createMonitor(await open());
    await look(store, NOW + 2 * HOUR, 200);
    const incident = (startedAt: number, endedAt: number | null) => ({
      account_id: key.accountId,
      id: randomUUID(),
      monitor_id: key.monitorId,
      problem: 'down' as const,
      fingerprint: '',
      recovered: 1 as const,
      cause: 'server_error',
      message: '',
      facts: '{}',
      started_at: startedAt,
      ended_at: endedAt,
    });
    const at = (day: number, hour: number) => NOW + day * DAY + hour * HOUR;
    await insertIncidents(store.db, [
      incident(at(0, 3), at(0, 3) + 1.5 * MINUTE),
      incident(at(0, 5), at(0, 5) + 10 * MINUTE),
      incident(at(0, 23), at(2, 1)),
      incident(at(3, 11), null),
    ]);
    const monitor = await findMonitor(store, key);
    if (monitor === null) throw new Error('the monitor is gone');
    const window = { days: 7, now: at(3, 12) };
    const days = [null, null, null, 72, 1_440, 60, 60];
    expect(await dailyDowntimes(store, [monitor], window)).toEqual(new Map([[key.monitorId, days]]));
    const last = { days: 2, now: at(3, 12) };
    expect(await dailyDowntimes(store, [monitor], last)).toEqual(new Map([[key.monitorId, [60, 60]]]));
  });

  it('stays null if the monitor is paused during its check', async () => {
    const { store, key } = await createMonitor(await open());
    const claimed = await claimOne(store, NOW);
    await pauseMonitor(store, { ...key, now: NOW });
    await record(store, claimed, NOW, 200);
    expect(await findMonitor(store, key)).toMatchObject({
      uptime: null,
      uptimeSince: null,
      recentChecks: '',
    });
    expect(await checksMade(store)).toMatchObject([{ state: 'up', responseMs: 45 }]);
  });

  it('counts a downtime only until the last check that saw it', async () => {
    const { store, key } = await createMonitor(await open());
    await look(store, NOW, null);
    await look(store, NOW + HALF_MINUTE, null);
    await look(store, NOW + 60 * MINUTE, null);
    await look(store, NOW + 5 * DAY, 200);
    expect(await incidents(store)).toMatchObject([{ started_at: NOW, ended_at: NOW + 60 * MINUTE }]);
    expect(await findMonitor(store, key)).toMatchObject({ uptime: 'up', downSince: null, downSeenAt: null });
  });

  it('stores the reason of each failed check', async () => {
    const { store } = await createMonitor(await open());
    await look(store, NOW, null);
    expect(await checksMade(store)).toMatchObject([
      { state: 'down', responseMs: null, message: 'www.example.org refused the connection.' },
    ]);
  });
});

async function createMonitor(store: Store): Promise<{ store: Store; key: MonitorKey }> {
  const { id: accountId } = await person(store, 'alice');
  const { id: monitorId } = await watch(store, accountId, 'www.example.org');
  return { store, key: { accountId, monitorId } };
}

/** Records a check that got this status, or no connection (null). The next check may come at any time. */
async function look(store: Store, now: number, status: number | null): Promise<void> {
  await record(store, await claimOne(store, now), now, status);
}

async function record(
  store: Store,
  claimed: Awaited<ReturnType<typeof claimOne>>,
  now: number,
  status: number | null,
): Promise<void> {
  const chain: SampleCertificate[] = status === null ? [] : [leaf];
  const check = checkOf(claimed, now, chain, { nextCheckAt: now });
  const http: HttpObservation | null =
    status === null
      ? null
      : { outcome: 'answered', address: '192.0.2.1', method: 'HEAD', status, durationMs: 25 };
  return recordCheck(store, { ...check, observation: { ...check.observation, http } });
}

const incidents = (store: Store) => store.db.selectFrom('incident_members').selectAll().execute();
