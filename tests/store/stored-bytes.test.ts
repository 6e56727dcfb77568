import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type LimitName, STANDARD_LIMITS } from '../../server/core/limits.ts';
import { certificateDers, pruneOrphanCertificates } from '../../server/store/checks/certificates.ts';
import { deleteAccount } from '../../server/store/accounts/account-deletion.ts';
import { findMonitor } from '../../server/store/monitors/monitors.ts';
import type { Store, StoreOptions } from '../../server/store/db/open-store.ts';
import { pruneHistory } from '../../server/store/checks/retention.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { certificate, check, DAY, MINUTE, NOW, person, type SampleCertificate, watch } from './samples.ts';
import {
  certificateHistory,
  certificatePair,
  lastStorageLimit,
  presentedChain,
} from '../../server/store/checks/certificate-history.ts';
import type { MonitorKey } from '../../server/store/schema/tables.ts';
import { promise } from '../security/promise.ts';

const fingerprints = (chain: readonly SampleCertificate[]) => chain.map(({ facts }) => facts.fingerprint);

/** Returns a chain of new certificates with this many bytes each. */
function freshChain(length: number, bytes = 64): SampleCertificate[] {
  return Array.from({ length }, () => {
    const { facts } = certificate();
    return { der: new Uint8Array(randomBytes(bytes)), facts };
  }).map(({ der, facts }) => ({
    der,
    facts: { ...facts, fingerprint: createHash('sha256').update(der).digest('hex') },
  }));
}

type Open = (options?: Partial<StoreOptions>) => Promise<Store>;

/** Opens a store with these limits and one monitor. Also returns a list of the limits that were reached. */
async function openLimited(open: Open, limits: Partial<Record<LimitName, number>>) {
  const reached: LimitName[] = [];
  const store = await open({
    limits: { ...STANDARD_LIMITS, ...limits },
    onLimit: (limit) => void reached.push(limit),
  });
  const { id: accountId } = await person(store, 'alice');
  const { id: monitorId } = await watch(store, accountId, 'www.example.org');
  return { store, reached, key: { accountId, monitorId } };
}

/** Records a check every five minutes, each with the next of these chains. Returns the time after the last one. */
async function checkAll(store: Store, chains: readonly SampleCertificate[][], from = NOW): Promise<number> {
  let now = from;
  for (const chain of chains) {
    await check(store, now, chain, { nextCheckAt: now + 5 * MINUTE });
    now += 5 * MINUTE;
  }
  return now;
}

const keptOf = async (store: Store, key: MonitorKey) =>
  (await certificateHistory(store, key))?.map(({ derIsKept }) => derIsKept);

async function rowsOf(store: Store): Promise<Record<string, number>> {
  const tables = ['certificates', 'monitor_certificates', 'evidence', 'verdicts', 'check_runs'] as const;
  const counts = await Promise.all(
    tables.map(async (table) => {
      const { count } = await store.db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return [table, count] as const;
    }),
  );
  return Object.fromEntries(counts);
}

describeEachDatabase('the certificates of a domain', (open) => {
  it('keep their DER up to the limit, newest first, while the history lists all of them', async () => {
    const { store, reached, key } = await openLimited(open, { certificatesPerDomain: 20 });
    const chains = Array.from({ length: 15 }, () => freshChain(2));
    await checkAll(store, chains);

    expect(await keptOf(store, key)).toEqual([
      ...Array<boolean>(10).fill(true),
      ...Array<boolean>(5).fill(false),
    ]);
    expect(await presentedChain(store, key)).toEqual(chains.at(-1)?.map(({ der }) => der));
    const [first, second, last] = [chains[0]?.[0], chains[13]?.[0], chains[14]?.[0]].map(
      (one) => one?.facts.fingerprint ?? '',
    );
    expect(await certificateDers(store, [first ?? ''])).toBeNull();
    expect(await certificatePair(store, { ...key, from: first ?? '', to: last ?? '' })).toBe('not_kept');
    expect(await certificateDers(store, [second ?? '', last ?? ''])).toHaveLength(2);
    expect(reached).toEqual(Array<LimitName>(5).fill('certificatesPerDomain'));
    expect(await lastStorageLimit(store, key)).toMatchObject({ limit: 'certificatesPerDomain' });
  });

  it('get their DER stored again when the domain serves them again', async () => {
    const { store, key } = await openLimited(open, { certificatesPerDomain: 20 });
    const chains = Array.from({ length: 12 }, () => freshChain(2));
    const [first = []] = chains;
    const now = await checkAll(store, chains);
    expect(await certificateDers(store, fingerprints(first))).toBeNull();
    await checkAll(store, [first], now);
    expect(await certificateDers(store, fingerprints(first))).toEqual(first.map(({ der }) => der));
    expect(await presentedChain(store, key)).toEqual(first.map(({ der }) => der));
  });

  it('keep their DER beyond the limit if a domain of another account served them or the current chain contains them', async () => {
    const { store, key } = await openLimited(open, { certificatesPerDomain: 3 });
    const shared = freshChain(2);
    await checkAll(store, [shared]);
    const bob = await person(store, 'bob');
    await store.db
      .updateTable('monitors')
      .set({ next_check_at: NOW + DAY })
      .execute();
    const { id: monitorId } = await watch(store, bob.id, 'www.example.org', { now: NOW });
    await checkAll(store, [shared]);
    await store.db
      .updateTable('monitors')
      .set({ next_check_at: NOW + 9 * DAY })
      .where('id', '=', monitorId)
      .execute();
    await store.db
      .updateTable('monitors')
      .set({ next_check_at: NOW })
      .where('id', '=', key.monitorId)
      .execute();

    const long = freshChain(5);
    await checkAll(store, [freshChain(2), long], NOW + MINUTE);
    expect(await certificateDers(store, fingerprints(shared))).toHaveLength(2);
    expect(await presentedChain(store, key)).toHaveLength(5);
    expect(await keptOf(store, { accountId: bob.id, monitorId })).toEqual([true]);
  });
});

describeEachDatabase('the data of one check', (open) => {
  it('is cut at the limit, but keeps the leaf that the domain and its history show', async () => {
    const { store, reached, key } = await openLimited(open, {
      storedKbPerCheck: 16,
      storedKbPerDay: 100_000,
    });
    const chain = freshChain(5, 6_000);
    await checkAll(store, [chain]);
    const leaf = chain[0]?.facts.fingerprint ?? '';
    expect(await certificateDers(store, [leaf])).toHaveLength(1);
    expect(await certificateDers(store, fingerprints(chain))).toBeNull();
    expect(await presentedChain(store, key)).toEqual([]);
    expect(await findMonitor(store, key)).toMatchObject({ certificate: { fingerprint: leaf } });
    expect(await keptOf(store, key)).toEqual([true]);
    expect(reached).toEqual(['storedKbPerCheck']);
    const { bytes } = await store.db
      .selectFrom('certificates')
      .select(sql<number>`sum(length(der))`.as('bytes'))
      .executeTakeFirstOrThrow();
    expect(bytes).toBeLessThan(16_000);
    promise('stored-bytes');
  });
});

describeEachDatabase('evidence that is larger than one check may store', (open) => {
  it('is not stored, but the domain still shows its certificate and verdict', async () => {
    const { store, reached, key } = await openLimited(open, { storedKbPerCheck: 1 });
    const chains = [freshChain(2), freshChain(2)];
    await checkAll(store, chains);
    const leaf = chains[1]?.[0]?.facts.fingerprint ?? '';
    expect(await findMonitor(store, key)).toMatchObject({
      certificate: { fingerprint: leaf },
      verdict: { leafFingerprint: leaf },
    });
    expect(reached).toEqual(['storedKbPerCheck', 'storedKbPerCheck']);
    expect(await rowsOf(store)).toMatchObject({ evidence: 0, monitor_certificates: 0, verdicts: 2 });
  });
});

describeEachDatabase('the data that an account stores per day', (open) => {
  it('stops at the limit while checks continue, and grows again the next day', async () => {
    const { store, reached, key } = await openLimited(open, { storedKbPerDay: 100 });
    const chains = Array.from({ length: 40 }, () => freshChain(10, 1_000));
    const before = await checkAll(store, chains.slice(0, 10));
    const full = await rowsOf(store);
    const stored = (await certificateHistory(store, key))?.length ?? 0;
    expect(stored).toBeGreaterThan(2);
    expect(stored).toBeLessThan(10);
    const now = await checkAll(store, chains.slice(10), before);

    const last = chains.at(-1)?.[0]?.facts.fingerprint ?? '';
    const monitor = await findMonitor(store, key);
    expect(monitor).toMatchObject({
      lastCheckedAt: now - 5 * MINUTE,
      certificate: { fingerprint: last },
      verdict: { reached: true, leafFingerprint: last },
    });
    expect(reached.length).toBe(40 - stored);
    expect(new Set(reached)).toEqual(new Set(['storedKbPerDay']));
    expect(await lastStorageLimit(store, key)).toEqual({ limit: 'storedKbPerDay', at: now - 5 * MINUTE });
    expect(await certificateHistory(store, key)).toHaveLength(stored);
    await pruneOrphanCertificates(store);
    const later = await rowsOf(store);
    expect({ ...later, certificates: 0 }).toEqual({ ...full, certificates: 0 });
    expect(later['certificates']).toBe(stored * 10 + 1);
    // Every check was recorded, even those whose evidence was not stored.
    const { checks } = await store.db
      .selectFrom('monitor_states')
      .select('run_checks as checks')
      .executeTakeFirstOrThrow();
    expect(checks).toBe(40 - stored + 1);

    await checkAll(store, [freshChain(2)], NOW + DAY);
    expect(await certificateHistory(store, key)).toHaveLength(stored + 1);
    expect((await presentedChain(store, key))?.length).toBe(2);
    promise('stored-bytes');
  });

  it('includes each chain only once if checks alternate between two chains', async () => {
    const { store, reached } = await openLimited(open, { storedKbPerDay: 100 });
    const [one, other] = [freshChain(3, 5_000), freshChain(3, 5_000)];
    await checkAll(
      store,
      Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? one : other)),
    );
    expect(reached).toEqual([]);
  });

  it('has a limit that grows with the number of domains', async () => {
    const { store, reached, key } = await openLimited(open, { storedKbPerDay: 100 });
    for (let index = 0; index < 10; index++)
      await watch(store, key.accountId, `host-${index}.example`, { now: NOW + DAY });
    await checkAll(
      store,
      Array.from({ length: 10 }, () => freshChain(10, 1_000)),
    );
    expect(reached).toEqual([]);
  });

  it('is removed when the account is deleted', async () => {
    const { store, key } = await openLimited(open, { storedKbPerDay: 100 });
    await checkAll(
      store,
      Array.from({ length: 12 }, () => freshChain(10, 1_000)),
    );
    await deleteAccount(store, key.accountId, NOW);
    await pruneOrphanCertificates(store);
    expect(Object.values(await rowsOf(store))).toEqual([0, 0, 0, 0, 0]);
  });

  it('includes the current verdict even after old checks are pruned', async () => {
    const { store, key } = await openLimited(open, { storedKbPerDay: 100 });
    await checkAll(
      store,
      Array.from({ length: 12 }, () => freshChain(10, 1_000)),
    );
    await pruneHistory(store, NOW + DAY);
    expect(await findMonitor(store, key)).toMatchObject({ verdict: { reached: true } });
  });
});
