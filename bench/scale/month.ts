import { createHash, randomBytes } from 'node:crypto';
import type { Store } from '../../server/store/db/open-store.ts';
import { fillStore } from '../../tests/kit/databases/large-store.ts';
import {
  certificate,
  checkOf,
  DAY,
  MINUTE,
  recordCheck,
  type SampleCertificate,
} from '../../tests/store/samples.ts';
import type { Figure } from './figures.ts';
import { createDatabase, databaseBytes } from './store-variants.ts';
import { claimDue } from '../../server/store/monitors/monitor-claims.ts';

const MONITORS = 20;
const EVERY_MS = 15 * MINUTE;
const DAYS = 30;
/** Average number of days between two renewals: the maximum lifetime of public certificates from 2029 on. */
const RENEWED_EVERY_DAYS = 47;
const MAX_KILOBYTES = 100;
/** Typical sizes of today's certificates with P-256 keys, in bytes. */
const LEAF_BYTES = 1_050;
const INTERMEDIATE_BYTES = 1_100;

/**
 * Measures how much a month of checks every 15 minutes adds to the database per monitor, in kB. Records the checks of 20
 * monitors with the store's own code.
 */
export async function measureMonth(kind: 'sqlite' | 'postgres'): Promise<Figure[]> {
  const still = await monthOf(kind, false);
  const renewing = await monthOf(kind, true);
  const figure = (what: string, bytes: number): Figure => ({
    what: `${kind}: a monitor and month, ${what}`,
    value: bytes / 1_000,
    unit: 'kB',
    max: MAX_KILOBYTES,
  });
  return [
    figure('nothing changing', still),
    figure(`certificates renewed every ${RENEWED_EVERY_DAYS} days`, renewing),
  ];
}

async function monthOf(kind: 'sqlite' | 'postgres', withRenewals: boolean): Promise<number> {
  const database = await createDatabase(kind);
  try {
    const store = await database.open();
    const start = Date.now() - DAYS * DAY;
    await fillStore(store, { largest: MONITORS, teams: 0, total: MONITORS, now: start, dueOverMs: EVERY_MS });
    await store.db.updateTable('monitors').set({ active: 1, paused_by: null }).execute();
    const chains = new Map<string, readonly SampleCertificate[]>();
    // Start to measure after a day, because a monitor's first checks store data that later checks do not store.
    for (let at = start; at < start + DAY; at += EVERY_MS) await checkAll(store, at, chains, false);
    const before = await databaseBytes(store, database);
    for (let at = start + DAY; at < start + DAYS * DAY; at += EVERY_MS)
      await checkAll(store, at, chains, withRenewals);
    const after = await databaseBytes(store, database);
    return ((after - before) / MONITORS) * (DAYS / (DAYS - 1));
  } finally {
    await database.remove();
  }
}

/** Records a check with a random response time for each monitor that is due in the interval from `at`, ms UTC. */
async function checkAll(
  store: Store,
  at: number,
  chains: Map<string, readonly SampleCertificate[]>,
  withRenewals: boolean,
): Promise<void> {
  const now = at + EVERY_MS - 1;
  const claimed = await claimDue(store, { now, limit: MONITORS * 2, leaseMs: MINUTE, claimedBy: 'bench' });
  for (const monitor of claimed) {
    const isRenewal = withRenewals && Math.random() < EVERY_MS / (RENEWED_EVERY_DAYS * DAY);
    const chain = isRenewal ? undefined : chains.get(monitor.id);
    const chainShown = chain ?? [randomCertificate(LEAF_BYTES, monitor.host, now), INTERMEDIATE];
    chains.set(monitor.id, chainShown);
    const check = checkOf(monitor, now, chainShown, { nextCheckAt: now + EVERY_MS });
    await recordCheck(store, {
      ...check,
      observation: answeredIn(check.observation, 20 + Math.floor(Math.random() * 60)),
    });
  }
}

type Observed = ReturnType<typeof checkOf>['observation'];

const answeredIn = (observation: Observed, durationMs: number): Observed => ({
  ...observation,
  durationMs,
  addresses: observation.addresses.map((address) => ({ ...address, durationMs })),
});

function randomCertificate(bytes: number, subject: string, now: number): SampleCertificate {
  const der = new Uint8Array(randomBytes(bytes));
  const fingerprint = createHash('sha256').update(der).digest('hex');
  const { facts } = certificate({ subject, sans: [subject], notBefore: now, notAfter: now + 60 * DAY });
  return { der, facts: { ...facts, fingerprint } };
}

const INTERMEDIATE = randomCertificate(INTERMEDIATE_BYTES, 'R13', Date.now());
