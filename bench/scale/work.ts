import type { Store } from '../../server/store/db/open-store.ts';
import { certificate, checkOf, DAY, recordCheck, type SampleCertificate } from '../../tests/store/samples.ts';
import { type Figure, percentile } from './figures.ts';
import { analyzeAndFlush, type MeasuredStore } from './store-variants.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { claimDue, type ClaimedMonitor } from '../../server/store/monitors/monitor-claims.ts';

const MONITORS = 4_000;
/** Number of monitors per claim: four times the largest batch of a worker. */
const BATCH_SIZE = 64;
/** Minimum throughput: twice the 111 checks a second of 100,000 monitors every 15 minutes, to leave capacity for other work. */
const MIN_PER_SECOND = 222;

/** Measures claiming and recording checks without a network: checks per second of one process, and ms per claim. */
export async function measureWork({ variant, store, content, now }: MeasuredStore): Promise<Figure[]> {
  const ids = await someMonitors(store);
  const chains = new Map(ids.map((id) => [id, [certificate({ notAfter: now + 60 * DAY }), AUTHORITY]]));
  await analyzeAndFlush(store);
  const first = await round(store, chains, now);
  const again = await round(store, chains, now + MINUTE_MS);
  return [
    {
      what: `${variant} (${content.total.toLocaleString('en')} monitors): first checks claimed and recorded`,
      value: first.perSecond,
      unit: 'a second',
    },
    {
      what: `${variant}: checks that find nothing new`,
      value: again.perSecond,
      unit: 'a second',
      min: MIN_PER_SECOND,
    },
    { what: `${variant}: CPU time of one check`, value: again.cpuMs, unit: 'ms' },
    {
      what: `${variant}: claim of ${BATCH_SIZE}, p99`,
      value: percentile(again.claims, 0.99),
      unit: 'ms',
      max: 100,
    },
  ];
}

const AUTHORITY = certificate({ subject: 'R13' });

async function someMonitors({ db }: Store): Promise<string[]> {
  const rows = await db.selectFrom('monitors').select('id').where('active', '=', 1).limit(MONITORS).execute();
  return rows.map(({ id }) => id);
}

/** Makes the monitors of `chains` due and records one check of each. `claims` are the times of the claims, ms. */
async function round(
  store: Store,
  chains: ReadonlyMap<string, readonly SampleCertificate[]>,
  now: number,
): Promise<{ perSecond: number; cpuMs: number; claims: number[] }> {
  await store.db
    .updateTable('monitors')
    .set({ next_check_at: now })
    .where('id', 'in', [...chains.keys()])
    .execute();
  const claims: number[] = [];
  const [from, cpuFrom] = [performance.now(), process.cpuUsage()];
  let done = 0;
  for (;;) {
    const claimedFrom = performance.now();
    const claimed = await claimDue(store, { now, limit: BATCH_SIZE, leaseMs: MINUTE_MS, claimedBy: 'bench' });
    if (claimed.length === 0) break;
    claims.push(performance.now() - claimedFrom);
    await Promise.all(claimed.map((monitor) => recordOne(store, monitor, now, chains.get(monitor.id) ?? [])));
    done += claimed.length;
  }
  const { user, system } = process.cpuUsage(cpuFrom);
  return {
    perSecond: done / ((performance.now() - from) / 1_000),
    cpuMs: (user + system) / 1_000 / done,
    claims,
  };
}

async function recordOne(
  store: Store,
  monitor: ClaimedMonitor,
  now: number,
  chain: readonly SampleCertificate[],
): Promise<void> {
  await recordCheck(store, checkOf(monitor, now, chain, { nextCheckAt: now + DAY }));
}
