import type { KyselyPlugin, RootOperationNode } from 'kysely';
import { expect, it } from 'vitest';
import { checkRunsOf } from '../../server/store/checks/check-runs.ts';
import { saveCheck } from '../../server/store/checks/checks.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { uptimeHistory } from '../../server/store/checks/uptime.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  checkOf,
  claimOne,
  leaseOf,
  MINUTE,
  NOW,
  person,
  recordCheck,
  watch,
} from './samples.ts';
import { certificateHistory, presentedChain } from '../../server/store/checks/certificate-history.ts';
import type { MonitorKey } from '../../server/store/schema/tables.ts';

const HOUR = 60 * MINUTE;

describeEachDatabase('check runs', (open) => {
  it('merge consecutive checks with the same result and store first time, last time and count', async () => {
    const { store, key } = await createMonitor(await open());
    const leaf = certificate();
    for (const minutes of [0, 15, 30]) await check(store, NOW + minutes * MINUTE, [leaf], every15(minutes));
    for (const minutes of [45, 60]) await check(store, NOW + minutes * MINUTE, [], every15(minutes));
    await check(store, NOW + 75 * MINUTE, [leaf], every15(75));
    expect(await checkRunsOf(store.db, key)).toMatchObject([
      { firstAt: NOW + 75 * MINUTE, lastAt: NOW + 75 * MINUTE, checks: 1, reached: true },
      {
        firstAt: NOW + 45 * MINUTE,
        lastAt: NOW + 60 * MINUTE,
        checks: 2,
        reached: false,
        uptime: 'down',
        downMessage: 'www.example.org refused the connection.',
      },
      { firstAt: NOW, lastAt: NOW + 30 * MINUTE, checks: 3, reached: true, uptime: 'up', downMessage: null },
    ]);
    expect(await checkRunsOf(store.db, { ...key, since: NOW + 30 * MINUTE })).toHaveLength(2);
  });

  it('are extended by updating two rows, without an insert', async () => {
    const { store, key } = await createMonitor(await open());
    const leaf = certificate();
    await check(store, NOW, [leaf], every15(0));
    await check(store, NOW + 15 * MINUTE, [leaf], every15(15));
    const claimed = await claimOne(store, NOW + 30 * MINUTE);
    const written = await writesOf(store, (watching) =>
      saveCheck(watching, leaseOf(claimed), checkOf(claimed, NOW + 30 * MINUTE, [leaf])),
    );
    expect(written.toSorted()).toEqual(['update monitor_states', 'update monitors']);
    // Reading a monitor nevertheless returns the time of the last check.
    expect(await findMonitor(store, key)).toMatchObject({
      lastCheckedAt: NOW + 30 * MINUTE,
      verdict: {
        judgedAt: NOW + 30 * MINUTE,
        observedAt: NOW + 30 * MINUTE,
        lastSeen: { at: NOW + 30 * MINUTE },
      },
    });
    expect(await certificateHistory(store, key)).toMatchObject([
      { firstSeenAt: NOW, lastSeenAt: NOW + 30 * MINUTE },
    ]);
  });

  it('go on if an address agrees on another protocol by ALPN, and the last one is shown', async () => {
    const { store, key } = await createMonitor(await open());
    const leaf = certificate();
    await check(store, NOW, [leaf], every15(0));
    const claimed = await claimOne(store, NOW + 15 * MINUTE);
    const made = checkOf(claimed, NOW + 15 * MINUTE, [leaf], every15(15));
    const addresses = made.verdict.addresses.map((one) => ({ ...one, alpn: 'http/1.1' }));
    await recordCheck(store, { ...made, verdict: { ...made.verdict, addresses } });
    expect(await checkRunsOf(store.db, key)).toMatchObject([{ firstAt: NOW, checks: 2 }]);
    expect((await findMonitor(store, key))?.verdict?.addresses).toMatchObject([{ alpn: 'http/1.1' }]);
  });

  it('store alternating certificates once each, with one history entry each', async () => {
    const { store, key } = await createMonitor(await open());
    const [one, other] = [certificate(), certificate()];
    for (let turn = 0; turn < 6; turn++)
      await check(store, NOW + turn * HOUR, [turn % 2 === 0 ? one : other], { nextCheckAt: NOW });
    for (const table of ['evidence', 'verdicts'] as const)
      expect(await store.db.selectFrom(table).selectAll().execute()).toHaveLength(2);
    expect(await presentedChain(store, key)).toEqual([other.der]);
    expect(await certificateHistory(store, key)).toMatchObject([
      { fingerprint: other.facts.fingerprint, firstSeenAt: NOW + HOUR, lastSeenAt: NOW + 5 * HOUR },
      { fingerprint: one.facts.fingerprint, firstSeenAt: NOW, lastSeenAt: NOW + 4 * HOUR },
    ]);
  });

  it('keep the last 90 checks and average older response times per hour', async () => {
    const { store, key } = await createMonitor(await open());
    const leaf = certificate();
    const at = (hour: number, minutes = 0) => Math.ceil(NOW / HOUR) * HOUR + hour * HOUR + minutes * MINUTE;
    for (let hour = 0; hour < 50; hour++)
      for (const minutes of [0, 30]) await check(store, at(hour, minutes), [leaf], { nextCheckAt: NOW });
    const young = await uptimeHistory(store, { ...key, now: at(44, 31) });
    expect(young?.checks).toHaveLength(90);
    const old = await uptimeHistory(store, { ...key, now: at(49, 31) });
    expect(old?.responseTimes).toHaveLength(50);
    expect(old?.responseTimes.map((span) => span.at)).toEqual(
      Array.from({ length: 50 }, (_, hour) => at(hour)),
    );
    expect(new Set(old?.responseTimes.map(({ averageMs }) => averageMs))).toEqual(new Set([20]));
    expect(await store.db.selectFrom('monitor_days').select('checks').orderBy('day_at').execute()).toEqual([
      { checks: 48 },
      { checks: 48 },
      { checks: 2 },
    ]);
  });
});

const every15 = (minutes: number) => ({ nextCheckAt: NOW + (minutes + 15) * MINUTE });

async function createMonitor(store: Store): Promise<{ store: Store; key: MonitorKey }> {
  const { id: accountId } = await person(store, 'alice');
  const { id: monitorId } = await watch(store, accountId, 'www.example.org');
  return { store, key: { accountId, monitorId } };
}

/** Returns the verb and table of each write of `work`. */
async function writesOf(store: Store, work: (watched: Store) => Promise<unknown>): Promise<string[]> {
  const nodes: RootOperationNode[] = [];
  const watching: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work({ ...store, db: store.db.withPlugin(watching) });
  return nodes
    .map((node) => store.db.getExecutor().compileQuery(node, { queryId: '' }).sql)
    .filter((text) => /^(?:insert|update|delete)/.test(text))
    .map((text) => text.replaceAll('"', '').replace(/^(\w+(?: into| from)? \w+).*$/s, '$1'));
}
