import { type Kysely, sql } from 'kysely';
import { type Uptime, uptimePercent, uptimeWindowDays } from '../core/index.ts';
import { entitlementAt, settledEntitlement } from './entitlements.ts';
import { isDown } from './incidents.ts';
import type { MonitorKey } from './monitor-change.ts';
import type { Monitor } from './monitor-row.ts';
import type { Store } from './open-store.ts';
import type { Tables } from './tables.ts';

const DAY_MS = 86_400_000;

export interface Incident {
  id: string;
  startedAt: number;
  endedAt: number | null;
  cause: string;
  message: string;
}

/** What the plan shows of a monitor's uptime. Instants in ms UTC. */
export interface UptimeHistory {
  /** Confirmed by a second look; null before the first check. */
  state: Uptime | null;
  windowDays: number;
  /** Where the figures begin: the first check that told anything, or the window's start; null where nothing is known. */
  since: number | null;
  percent: number | null;
  /** Oldest first. */
  checks: { at: number; state: Uptime; responseMs: number | null; message: string | null }[];
  /** Newest first, those that touch the window. */
  incidents: Incident[];
  /** Evenly spaced, oldest first; spans without an answer are left out. `at` is where a span begins. */
  responseTimes: { at: number; averageMs: number; slowestMs: number }[];
}

const MOST_CHECKS = 90;
const MOST_INCIDENTS = 100;
const SPANS = 120;

/** null: the account has no such monitor. */
export async function uptimeHistory(
  store: Store,
  { accountId, monitorId, now }: MonitorKey & { now: number },
): Promise<UptimeHistory | null> {
  const { db } = store;
  const monitor = await db
    .selectFrom('monitors')
    .select(['id', 'uptime', 'uptime_since'])
    .where('id', '=', monitorId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!monitor) return null;
  const windowDays = await windowOf(store, accountId, now);
  const windowStart = now - windowDays * DAY_MS;
  const from = Math.max(windowStart, monitor.uptime_since ?? windowStart);
  const downMs = (await downtimes(db, { ids: [monitorId], from: windowStart, now })).get(monitorId) ?? 0;
  return {
    state: monitor.uptime,
    windowDays,
    since: monitor.uptime_since === null ? null : from,
    percent: monitor.uptime_since === null ? null : uptimePercent({ from, now, downMs }),
    checks: await lastChecks(db, monitorId),
    incidents: await incidentsSince(db, monitorId, windowStart),
    responseTimes: await responseTimes(db, { monitorId, from, now }),
  };
}

/** The percentage of each of an account's monitors, over what its plan shows; not of those that nothing is known of yet. */
export async function uptimePercents(
  store: Store,
  monitors: readonly Pick<Monitor, 'id' | 'accountId' | 'uptimeSince'>[],
  now: number,
): Promise<Map<string, number>> {
  const known = monitors.filter(({ uptimeSince }) => uptimeSince !== null);
  const [first] = known;
  if (first === undefined) return new Map();
  const windowStart = now - (await windowOf(store, first.accountId, now)) * DAY_MS;
  const ids = known.map(({ id }) => id);
  const down = await downtimes(store.db, { ids, from: windowStart, now });
  return new Map(
    known.map(({ id, uptimeSince }) => {
      const from = Math.max(windowStart, uptimeSince ?? windowStart);
      return [id, uptimePercent({ from, now, downMs: down.get(id) ?? 0 })];
    }),
  );
}

async function windowOf(store: Store, accountId: string, now: number): Promise<number> {
  const row = await store.db
    .selectFrom('accounts')
    .select(['plan', 'plan_status', 'plan_source', 'plan_ends_at'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  const { plan } = row ? entitlementAt(store, settledEntitlement(row), now) : { plan: 'free' as const };
  return uptimeWindowDays(plan);
}

/** How long each was down since `from` and since it is watched without a pause; those that never were are not in it. */
async function downtimes(
  db: Kysely<Tables>,
  { ids, from, now }: { ids: readonly string[]; from: number; now: number },
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('incidents')
    .select([
      'monitor_id',
      sql<number>`cast(sum(
        case when ended_at is null or ended_at > ${sql.lit(now)} then ${sql.lit(now)} else ended_at end
        - case when started_at < ${sql.lit(from)} then ${sql.lit(from)} else started_at end
      ) as bigint)`.as('down_ms'),
    ])
    .where('monitor_id', 'in', ids)
    .where(isDown)
    .where('started_at', '<', now)
    // An incident ends with the pause at the latest, so that none reaches over one.
    .where('started_at', '>=', (eb) =>
      eb
        .selectFrom('monitors')
        .select((of) => of.fn.coalesce('uptime_since', of.lit(0)).as('since'))
        .whereRef('monitors.id', '=', 'incidents.monitor_id'),
    )
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', from)]))
    .groupBy('monitor_id')
    .execute();
  return new Map(rows.map((row) => [row.monitor_id, row.down_ms]));
}

async function lastChecks(db: Kysely<Tables>, monitorId: string): Promise<UptimeHistory['checks']> {
  const rows = await db
    .selectFrom('checks')
    .select(['finished_at', 'uptime', 'response_ms', 'down_message'])
    .where('monitor_id', '=', monitorId)
    .orderBy('finished_at', 'desc')
    .limit(MOST_CHECKS)
    .execute();
  return rows.toReversed().flatMap((row) => {
    if (row.uptime === null) return [];
    const { finished_at: at, uptime: state, response_ms: responseMs, down_message: message } = row;
    return [{ at, state, responseMs, message }];
  });
}

async function incidentsSince(db: Kysely<Tables>, monitorId: string, from: number): Promise<Incident[]> {
  const rows = await db
    .selectFrom('incidents')
    .selectAll()
    .where('monitor_id', '=', monitorId)
    .where(isDown)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', from)]))
    .orderBy('started_at', 'desc')
    .limit(MOST_INCIDENTS)
    .execute();
  return rows.map(({ id, started_at: startedAt, ended_at: endedAt, cause, message }) => ({
    id,
    startedAt,
    endedAt,
    cause,
    message,
  }));
}

async function responseTimes(
  db: Kysely<Tables>,
  { monitorId, from, now }: { monitorId: string; from: number; now: number },
): Promise<UptimeHistory['responseTimes']> {
  const spanMs = Math.max(1, Math.ceil((now - from + 1) / SPANS));
  const span = sql<number>`(finished_at - ${sql.lit(from)}) / ${sql.lit(spanMs)}`;
  const rows = await db
    .selectFrom('checks')
    .select((eb) => [
      span.as('span'),
      sql<number>`cast(round(avg(response_ms)) as bigint)`.as('average'),
      eb.fn.max(eb.ref('response_ms').$notNull()).as('slowest'),
    ])
    .where('monitor_id', '=', monitorId)
    .where('finished_at', '>=', from)
    .where('finished_at', '<=', now)
    .where('response_ms', 'is not', null)
    .groupBy(span)
    .orderBy('span')
    .execute();
  return rows.map(({ span: place, average, slowest }) => ({
    at: from + place * spanMs,
    averageMs: average,
    slowestMs: slowest,
  }));
}
