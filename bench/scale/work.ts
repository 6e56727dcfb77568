import type { Store } from '../../server/store/db/open-store.ts';
import { certificate, checkOf, DAY, recordCheck, type SampleCertificate } from '../../tests/store/samples.ts';
import type { Figure } from './figures.ts';
import { percentile } from './figures.ts';
import { type Filled, settleDisk } from './places.ts';
import { MINUTE_MS } from '../../contract/durations.ts';
import { claimDue, type ClaimedMonitor } from '../../server/store/monitors/monitor-claims.ts';

const CHECKED = 4_000;
/** Four claims of a worker in one, as they come together after a moment in which nothing could be claimed. */
const AT_ONCE = 64;
/** Of 100,000 monitors at 15 minutes: 111 a second, and as much again for everything else. */
const LEAST_PER_SECOND = 222;

/** Claims and records without a network: how many checks a second one process writes down, and what a claim costs. */
export async function measureWork({ place, store, content, now }: Filled): Promise<Figure[]> {
  const ids = await someMonitors(store);
  const shown = new Map(ids.map((id) => [id, [certificate({ notAfter: now + 60 * DAY }), AUTHORITY]]));
  await settleDisk(store);
  const first = await round(store, shown, now);
  const again = await round(store, shown, now + MINUTE_MS);
  return [
    {
      what: `${place} (${content.total.toLocaleString('en')} monitors): first checks claimed and recorded`,
      value: first.perSecond,
      unit: 'a second',
    },
    {
      what: `${place}: checks that find nothing new`,
      value: again.perSecond,
      unit: 'a second',
      least: LEAST_PER_SECOND,
    },
    { what: `${place}: processor time of one in the product`, value: again.cpuMs, unit: 'ms' },
    {
      what: `${place}: claim of ${AT_ONCE}, p99`,
      value: percentile(again.claims, 0.99),
      unit: 'ms',
      most: 100,
    },
  ];
}

const AUTHORITY = certificate({ subject: 'R13' });

async function someMonitors({ db }: Store): Promise<string[]> {
  const rows = await db.selectFrom('monitors').select('id').where('active', '=', 1).limit(CHECKED).execute();
  return rows.map(({ id }) => id);
}

/** Makes them due, and checks each once. */
async function round(
  store: Store,
  shown: ReadonlyMap<string, readonly SampleCertificate[]>,
  now: number,
): Promise<{ perSecond: number; cpuMs: number; claims: number[] }> {
  await store.db
    .updateTable('monitors')
    .set({ next_check_at: now })
    .where('id', 'in', [...shown.keys()])
    .execute();
  const claims: number[] = [];
  const [from, cpuFrom] = [performance.now(), process.cpuUsage()];
  let done = 0;
  for (;;) {
    const claimedFrom = performance.now();
    const claimed = await claimDue(store, { now, limit: AT_ONCE, leaseMs: MINUTE_MS, claimedBy: 'bench' });
    if (claimed.length === 0) break;
    claims.push(performance.now() - claimedFrom);
    await Promise.all(claimed.map((monitor) => write(store, monitor, now, shown.get(monitor.id) ?? [])));
    done += claimed.length;
  }
  const { user, system } = process.cpuUsage(cpuFrom);
  return {
    perSecond: done / ((performance.now() - from) / 1_000),
    cpuMs: (user + system) / 1_000 / done,
    claims,
  };
}

async function write(
  store: Store,
  monitor: ClaimedMonitor,
  now: number,
  chain: readonly SampleCertificate[],
): Promise<void> {
  await recordCheck(store, checkOf(monitor, now, chain, { nextCheckAt: now + DAY }));
}
