import { describe, expect, it } from 'vitest';
import { addAuthorities } from '../../server/store/accounts/authorities.ts';
import {
  claimDue,
  type ClaimedMonitor,
  claimSameEndpoints,
} from '../../server/store/monitors/monitor-claims.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { describeEachDatabase, freshDatabase, hasDatabase } from '../kit/databases/database.ts';
import {
  certificate,
  check,
  checkOf,
  claimOne,
  DAY,
  MINUTE,
  NOW,
  person,
  recordSample,
  watch,
} from './samples.ts';
import type { Protocol } from '../../contract/protocols.ts';
import { addMonitor, addMonitors } from '../../server/store/monitors/monitor-adding.ts';

const HOUR = 60 * MINUTE;
const LATER = NOW + HOUR;
const claim = { now: LATER, leaseMs: 30_000, claimedBy: 'a worker' };
const hostsOf = (claimed: readonly ClaimedMonitor[]) => claimed.map(({ host }) => host);

describeEachDatabase('claim batches', (open) => {
  it('include new monitors of small accounts while thousands of a large one wait longer', async () => {
    const store = await open();
    await withMany(store, 'hog', 400, NOW);
    await withMany(store, 'small', 3, LATER);
    await withMany(store, 'team', 40, LATER);
    const claimed = await claimDue(store, { ...claim, limit: 64 });
    expect(claimed).toHaveLength(64);
    expect(hostsOf(claimed).filter((host) => host.startsWith('small'))).toHaveLength(3);
    let missing = 40 - hostsOf(claimed).filter((host) => host.startsWith('team')).length;
    let batches = 1;
    for (; missing > 0; batches++)
      missing -= hostsOf(await claimDue(store, { ...claim, limit: 64, taken: batches * 64 })).filter((host) =>
        host.startsWith('team'),
      ).length;
    // Each lane of a large account gets at most four times as many monitors per claim as a small account.
    expect(batches).toBeLessThanOrEqual(5);
  });

  it('include a small account within eight claims of one monitor each, beside an account with 300 due monitors', async () => {
    const store = await open();
    await withMany(store, 'hog', 300, NOW);
    await withMany(store, 'small', 1, LATER);
    const claimed: string[] = [];
    for (let taken = 0; taken < 8; taken++)
      claimed.push(...hostsOf(await claimDue(store, { ...claim, limit: 1, taken })));
    expect(claimed).toHaveLength(8);
    expect(claimed).toContain('small0.example');
  });

  it('include monitors of every queue lane, however many first checks are waiting', async () => {
    const store = await open();
    await withMany(store, 'hog', 70, LATER);
    for (let index = 0; index < 45; index++) await withMany(store, `person${index}x`, 1, NOW);
    const hosts = hostsOf(await claimDue(store, { ...claim, limit: 64 }));
    // First checks get half of the claim, and what the other lanes of the large account leave unused.
    expect(hosts.filter((host) => host.startsWith('person'))).toHaveLength(40);
    expect(hosts.filter((host) => host.startsWith('hog'))).toHaveLength(24);
  });

  it('are filled from a single account if no other has due monitors', async () => {
    const store = await open();
    await withMany(store, 'only', 130, NOW);
    expect(await claimDue(store, { ...claim, limit: 128 })).toHaveLength(128);
    expect(await claimDue(store, { ...claim, limit: 128 })).toHaveLength(2);
  });
});

describeEachDatabase('monitors that share a probe', (open) => {
  it('watch the same endpoint and are due themselves', async () => {
    const store = await open();
    const due = NOW + DAY;
    // Of monitors that have been due equally long, any may be claimed.
    await createCheckedMonitor(store, 'first', { nextCheckAt: due - 1 });
    await createCheckedMonitor(store, 'due too', { nextCheckAt: due });
    await createCheckedMonitor(store, 'due soon', { nextCheckAt: due + 1 });
    await createCheckedMonitor(store, 'by another protocol', { nextCheckAt: due, protocol: 'tls' });
    await createCheckedMonitor(store, 'at another port', { nextCheckAt: due, port: 8443 });
    await createCheckedMonitor(store, 'with its own authorities', { nextCheckAt: due, authorities: true });
    expect(await namesOf(store, await alongAt(store, due))).toEqual(['due too']);
  });

  it('are recorded separately, each under its own lease', async () => {
    const store = await open();
    const [first, along] = [
      await createCheckedMonitor(store, 'first', {}),
      await createCheckedMonitor(store, 'along', {}),
    ];
    const [primary] = await claimDue(store, { ...claim, now: first.nextCheckAt, limit: 1 });
    const [companion] = await claimSameEndpoints(store, { ...claim, now: first.nextCheckAt, of: [primary!] });
    const ended = first.nextCheckAt + 1_000;
    for (const one of [primary!, companion!])
      expect(await recordSample(store, checkOf(one, ended, [certificate()]))).toBe(true);
    for (const { accountId, id } of [first, along])
      expect(await findMonitor(store, { accountId, monitorId: id })).toMatchObject({ lastCheckedAt: ended });
  });

  it('are at most 200 per claim, so that all are recorded within the lease', async () => {
    const store = await open();
    const { id } = await person(store, 'alice');
    // The limit counts monitors of one account like those of many. One account is easier to set up.
    const rows = Array.from({ length: 260 }, (_, index) => ({
      host: `host${index}.example`,
      port: 443,
      protocol: 'https' as const,
    }));
    await addMonitors(store, {
      accountId: id,
      checkEveryMinutes: 15,
      now: NOW,
      mayAdd: () => true,
      endpoints: rows,
    });
    const claimed = await claimDue(store, { ...claim, now: NOW, limit: 1 });
    const everywhere = rows.map(({ host }) => ({ ...claimed[0]!, host }));
    expect(await claimSameEndpoints(store, { ...claim, now: NOW, of: everywhere })).toHaveLength(200);
  });
});

describe.skipIf(!hasDatabase('postgres'))(
  'monitors that share a probe among several workers (postgres)',
  () => {
    it('are each claimed by one worker', async () => {
      const database = await freshDatabase('postgres');
      try {
        const stores = await Promise.all([1, 2, 3].map(() => database.open()));
        const store = stores[0] as Store;
        for (let index = 0; index < 30; index++)
          await watch(store, (await person(store, `person${index}`)).id, 'www.example');
        const first = await claimOne(store, NOW);
        const along = await Promise.all(
          stores.map((one) => claimSameEndpoints(one, { ...claim, now: NOW, of: [first] })),
        );
        const ids = along.flat().map(({ id }) => id);
        expect(ids).toHaveLength(29);
        expect(new Set(ids).size).toBe(29);
      } finally {
        await database.remove();
      }
    });
  },
);

/** Adds `count` monitors of one account, named after it and due at `now`. */
async function withMany(store: Store, name: string, count: number, now: number): Promise<void> {
  const { id } = await person(store, name);
  const endpoints = Array.from({ length: count }, (_, index) => ({
    host: `${name}${index}.example`,
    port: 443,
    protocol: 'https' as const,
  }));
  for (let from = 0; from < count; from += 500)
    await addMonitors(store, {
      accountId: id,
      checkEveryMinutes: 15,
      now,
      mayAdd: () => true,
      endpoints: endpoints.slice(from, from + 500),
    });
}

interface Watched {
  nextCheckAt?: number;
  port?: number;
  protocol?: Protocol;
  authorities?: boolean;
}

/** Creates an account with a monitor of www.example that was checked at NOW. */
async function createCheckedMonitor(
  store: Store,
  name: string,
  { nextCheckAt = NOW + DAY, port = 443, protocol = 'https', authorities = false }: Watched,
) {
  const { id: accountId } = await person(store, name.replaceAll(/\W/g, '-'));
  const { der, facts } = certificate();
  const authority = { der, facts: { ...facts, subjectFullDn: 'CN=Own' } };
  if (authorities) await addAuthorities(store, { accountId, authorities: [authority], max: 1, now: NOW });
  const endpoint = { host: 'www.example', port, protocol };
  const added = await addMonitor(store, {
    accountId,
    ...endpoint,
    checkEveryMinutes: 1440,
    now: NOW,
    mayAdd: () => true,
  });
  if (!added.ok) throw new Error(added.code);
  await check(store, NOW, [certificate()], { nextCheckAt });
  return { ...added.monitor, nextCheckAt };
}

async function alongAt(store: Store, now: number): Promise<ClaimedMonitor[]> {
  const first = await claimOne(store, now);
  return claimSameEndpoints(store, { ...claim, now, of: [first] });
}

async function namesOf(store: Store, monitors: readonly ClaimedMonitor[]): Promise<string[]> {
  const accounts = await store.db.selectFrom('accounts').select(['id', 'full_name']).execute();
  const names = new Map(accounts.map(({ id, full_name }) => [id, full_name]));
  return monitors.map(({ accountId }) => (names.get(accountId) ?? '').replaceAll('-', ' ')).toSorted();
}
