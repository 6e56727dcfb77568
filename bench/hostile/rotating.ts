import { fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Examiner } from '../../server/probe/examiner.ts';
import { pruneOrphanCertificates } from '../../server/store/checks/certificates.ts';
import { saveCheck } from '../../server/store/checks/checks.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import type { Figure } from '../scale/figures.ts';
import { addAccount, addDomain, openProduct } from './product.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

const HOST = 'rotating.test';
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];
const CHECKS = 240;
/** Number of checks after which the daily storage limit is reached and memory use is stable. */
const SETTLED = 40;
/** Number of checks that a Free account may request per day: three domains, each six times per minute. */
const CHECKS_A_DAY = 3 * 6 * 60 * 24;
const EVERY_MS = 10_000;

const MAX_KB_A_CHECK = 3;
const MAX_MB_A_DAY = 100;
const MAX_GROWTH_MB = 40;

/**
 * Measures how much a Free account can store in the embedded database. Its host has four addresses and serves new
 * certificates, in chains of the maximum size, in each handshake. The account requests as many checks as it may.
 */
export async function measureRotating(): Promise<Figure[]> {
  const peers = await startPeers();
  const product = await openProduct({ [HOST]: { addresses: ADDRESSES } });
  const { store, examiner, folder } = product;
  try {
    const accountId = await addAccount(store, 'alice');
    await addDomain(store, { accountId, host: HOST, port: peers.port, protocol: 'tls' });
    const sizes: number[] = [];
    const memory: number[] = [];
    for (let index = 0; index < CHECKS; index++) {
      await checkOnce(store, examiner, Date.now() + index * EVERY_MS);
      // In production, the janitor prunes certificates once an hour.
      if (index % 60 === 59) await pruneOrphanCertificates(store);
      sizes.push(await databaseBytes(store, folder));
      memory.push(process.memoryUsage.rss());
    }
    return figuresOf(sizes, memory);
  } finally {
    await product.close();
    peers.stop();
  }
}

function figuresOf(sizes: readonly number[], memory: readonly number[]): Figure[] {
  const at = (values: readonly number[], index: number): number => values.at(index) ?? Number.NaN;
  const first = at(sizes, 0) / 1_000;
  const aCheck = (at(sizes, -1) - at(sizes, SETTLED)) / (CHECKS - SETTLED) / 1_000;
  const aDay = (at(sizes, SETTLED) / 1_000 + aCheck * CHECKS_A_DAY) / 1_000;
  const growth = (Math.max(...memory.slice(-20)) - Math.max(...memory.slice(SETTLED, SETTLED + 20))) / 1e6;
  return [
    { what: 'database after the first check', value: first, unit: 'kB' },
    { what: `database after ${CHECKS} checks`, value: at(sizes, -1) / 1_000, unit: 'kB' },
    { what: 'growth per check after the daily limit', value: aCheck, unit: 'kB', max: MAX_KB_A_CHECK },
    { what: 'growth on the first day, at 18 checks a minute', value: aDay, unit: 'MB', max: MAX_MB_A_DAY },
    { what: `memory, checks ${SETTLED} to ${CHECKS}`, value: growth, unit: 'MB', max: MAX_GROWTH_MB },
  ];
}

/** Starts the TLS servers in a process of their own, so that the bench does not measure their memory. */
async function startPeers(): Promise<{ port: number; stop(): void }> {
  const child = fork(join(import.meta.dirname, 'rotating-peer.ts'), [HOST, ...ADDRESSES]);
  const [port] = (await once(child, 'message')) as [number];
  return { port, stop: () => child.disconnect() };
}

/** Claims, runs and records one check, as the worker does. Throws if no check is due. */
async function checkOnce(store: Store, examiner: Examiner, now: number): Promise<void> {
  const [monitor] = await claimDue(store, { now, limit: 1, leaseMs: MINUTE_MS, claimedBy: 'bench' });
  if (!monitor) throw new Error('Nothing was due');
  const { host, port, protocol, authorities, verdict: previous } = monitor;
  const signal = AbortSignal.timeout(30_000);
  const { observation, verdicts, certificates } = await examiner.examine(
    { host, port, protocol },
    { signal, authorities, withPosture: false, previous: [previous] },
  );
  const [verdict] = verdicts;
  if (verdict === undefined) throw new Error('The examination has no verdict');
  const { accountId, id: monitorId, leaseToken, checkEveryMinutes: everyMinutes } = monitor;
  const lease = { accountId, monitorId, leaseToken, everyMinutes };
  await saveCheck(store, lease, {
    now,
    observation,
    verdict,
    certificates,
    jitter: 0,
  });
  // Make the monitor due again at once, as the attacker does by requesting checks.
  await store.db.updateTable('monitors').set({ next_check_at: now }).where('id', '=', monitorId).execute();
}

/** Returns the size of the database file and its WAL in bytes, after a checkpoint. */
async function databaseBytes(store: Store, folder: string): Promise<number> {
  await sql`pragma wal_checkpoint(truncate)`.execute(store.db);
  const files = ['certlantern.db', 'certlantern.db-wal'];
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}
