import { describe, expect, it } from 'vitest';
import { findMonitor, removeMonitor, requestCheck } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase, freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  checkOf,
  claimOne,
  DAY,
  endingSoon,
  NOW,
  person,
  recordSample,
  watch,
} from './samples.ts';
import { claimDue, releaseClaim } from '../../server/store/monitors/monitor-claims.ts';

const LEASE = 30_000;
const claim = { now: NOW, limit: 100, leaseMs: LEASE, claimedBy: 'a worker' };

describeEachDatabase('claims of monitors', (open) => {
  it('take the monitor that has been due the longest, and none that is not due yet', async () => {
    const store = await open();
    await withMonitors(store, 3);
    const first = await claimDue(store, { ...claim, now: NOW + 1, limit: 1 });
    expect(first.map(({ host }) => host)).toEqual(['host0.example']);
    const second = await claimDue(store, { ...claim, now: NOW + 1 });
    expect(second.map(({ host }) => host)).toEqual(['host1.example']);
    expect(first[0]?.leaseToken).not.toBe(second[0]?.leaseToken);
  });

  it('are exclusive until the lease expires', async () => {
    const store = await open();
    await withMonitors(store, 1);
    await claimOne(store, NOW);
    expect(await claimDue(store, { ...claim, now: NOW + LEASE - 1 })).toEqual([]);
    expect(await claimDue(store, { ...claim, now: NOW + LEASE })).toHaveLength(1);
  });

  it('include the plan, the last verdict and the certificate', async () => {
    const store = await open();
    await withMonitors(store, 1);
    const served = certificate();
    await check(store, NOW, [served]);
    expect(await claimOne(store, NOW + DAY)).toMatchObject({
      plan: 'free',
      checking: true,
      verdict: { leafFingerprint: served.facts.fingerprint },
      certificate: served.facts,
    });
  });

  it('are released at once, but only with the right lease token', async () => {
    const store = await open();
    await withMonitors(store, 1);
    const claimed = await claimOne(store, NOW);
    await releaseClaim(store, { ...claimed, leaseToken: 'of another' });
    expect(await claimDue(store, claim)).toEqual([]);
    await releaseClaim(store, claimed);
    expect(await claimDue(store, claim)).toHaveLength(1);
  });

  it('keep the request for a check after a release or an expired lease', async () => {
    const store = await open();
    await withMonitors(store, 1);
    const { accountId, id: monitorId } = await check(store, NOW, [certificate()]);
    await requestCheck(store, { accountId, monitorId, now: NOW + 1 });
    const claimed = await claimOne(store, NOW + 1);
    expect(claimed.isRequested).toBe(true);
    await releaseClaim(store, claimed);
    expect(await findMonitor(store, { accountId, monitorId })).toMatchObject({ checking: true });
    expect(await claimOne(store, NOW + 2)).toMatchObject({ isRequested: true });
    const takenOver = await claimOne(store, NOW + 2 + LEASE);
    expect(takenOver.isRequested).toBe(true);
    await recordSample(store, checkOf(takenOver, NOW + 3 + LEASE, [certificate()]));
    expect(await claimOne(store, NOW + 2 * DAY)).toMatchObject({ isRequested: false });
  });

  it('reject every result of a worker whose lease another worker has taken over', async () => {
    const store = await open();
    await withMonitors(store, 1);
    const late = await claimOne(store, NOW);
    const taken = await claimOne(store, NOW + LEASE);
    const key = { accountId: taken.accountId, monitorId: taken.id };
    const [old, current] = [endingSoon(), certificate()];

    expect(await recordSample(store, checkOf(late, NOW + LEASE + 1, [old]))).toBe(false);
    expect(await recordSample(store, checkOf(taken, NOW + LEASE + 2, [current]))).toBe(true);
    expect(await recordSample(store, checkOf(late, NOW + LEASE + 3, [old]))).toBe(false);
    expect(await recordSample(store, checkOf(taken, NOW + LEASE + 4, [old]))).toBe(false);
    expect(await findMonitor(store, key)).toMatchObject({
      certificate: { fingerprint: current.facts.fingerprint },
      lastCheckedAt: NOW + LEASE + 2,
    });
    const rows = async (table: 'alerts' | 'deliveries' | 'check_runs' | 'certificates') =>
      (await store.db.selectFrom(table).selectAll().execute()).length;
    expect([await rows('alerts'), await rows('deliveries')]).toEqual([0, 0]);
    expect([await rows('check_runs'), await rows('certificates')]).toEqual([1, 1]);
  });

  it('are void after their monitor is removed', async () => {
    const store = await open();
    await withMonitors(store, 1);
    const claimed = await claimOne(store, NOW);
    await removeMonitor(store, { accountId: claimed.accountId, monitorId: claimed.id, now: NOW });
    expect(await recordSample(store, checkOf(claimed, NOW + 1, [certificate()]))).toBe(false);
  });
});

describe.skipIf(!hasDatabase('postgres'))('workers on several machines (postgres)', () => {
  it('never claim the same monitor twice', async () => {
    const database = await freshDatabase('postgres');
    try {
      const stores = await Promise.all(Array.from({ length: 4 }, () => database.open()));
      const store = stores[0] as Store;
      await withMonitors(store, 120);
      const taken: string[] = [];
      await Promise.all(
        stores.flatMap((one) =>
          [1, 2].map(async () => {
            for (;;) {
              const batch = await claimDue(one, { ...claim, now: NOW + 1_000, limit: 7 });
              if (batch.length === 0) return;
              expect(batch.length).toBeLessThanOrEqual(7);
              taken.push(...batch.map(({ id }) => id));
            }
          }),
        ),
      );
      expect(taken).toHaveLength(120);
      expect(new Set(taken).size).toBe(120);
    } finally {
      await database.remove();
    }
  });

  it('skip monitors that another worker is claiming, without waiting for it', async () => {
    const database = await freshDatabase('postgres');
    try {
      const [one, other] = [await database.open(), await database.open()];
      await withMonitors(one, 2);
      await one.db.transaction().execute(async (trx) => {
        const first = await claimDue({ ...one, db: trx }, { ...claim, now: NOW + 1, limit: 1 });
        expect(first.map(({ host }) => host)).toEqual(['host0.example']);
        const second = await claimDue(other, { ...claim, now: NOW + 1 });
        expect(second.map(({ host }) => host)).toEqual(['host1.example']);
      });
    } finally {
      await database.remove();
    }
  });

  it('judge leases by the database clock, so a worker with a fast clock takes over no lease', async () => {
    const database = await freshDatabase('postgres');
    try {
      const store = await database.open({ leaseClock: 'database' });
      await withMonitors(store, 1);
      await claimOne(store, NOW);
      expect(await claimDue(store, { ...claim, now: NOW + 365 * DAY })).toEqual([]);
      expect(await claimDue(store, { ...claim, leaseMs: 0 })).toEqual([]);
    } finally {
      await database.remove();
    }
  });

  it('can record the same new certificates at the same time', async () => {
    const database = await freshDatabase('postgres');
    try {
      const stores = [await database.open(), await database.open()] as const;
      const [store] = stores;
      await withMonitors(store, 24);
      const chain = [certificate(), certificate(), certificate()];
      const claimed = await claimDue(store, { ...claim, now: NOW + 1_000 });
      const kept = await Promise.all(
        claimed.map((monitor, index) =>
          recordSample(
            stores[index % 2] as Store,
            checkOf(monitor, NOW + 1_000, index % 3 === 0 ? chain.toReversed() : chain),
          ),
        ),
      );
      expect(kept).toEqual(Array<boolean>(24).fill(true));
      expect(await store.db.selectFrom('certificates').selectAll().execute()).toHaveLength(3);
    } finally {
      await database.remove();
    }
  });
});

/** Adds monitors: host0 is due at NOW, host1 a millisecond later, and so on. */
async function withMonitors(store: Store, count: number): Promise<void> {
  const alice = await person(store, 'alice');
  for (let index = 0; index < count; index++)
    await watch(store, alice.id, `host${index}.example`, { now: NOW + index });
}
