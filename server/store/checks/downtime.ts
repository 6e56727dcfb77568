import { type Kysely, sql } from 'kysely';
import { isUptimeConfirmed, uptimePercent, uptimeWindowDays } from '../../core/check/uptime.ts';
import { entitlementAt } from '../../core/plan.ts';
import { storedEntitlement } from '../billing/entitlements.ts';
import { isDownIncident } from '../alerts/incidents.ts';
import type { Monitor } from '../monitors/monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

/**
 * Returns the uptime percentage by monitor id, over the window of the account's plan. All monitors must belong to one account.
 * Monitors without a confirmed uptime have no entry.
 */
export async function uptimePercents(
  store: Store,
  monitors: readonly Pick<Monitor, 'id' | 'accountId' | 'uptimeSince' | 'uptime' | 'recentChecks'>[],
  now: number,
): Promise<Map<string, number>> {
  const known = monitors.filter(({ uptimeSince }) => uptimeSince !== null);
  const [first] = known;
  if (first === undefined) return new Map();
  const windowStart = now - (await uptimeWindowOf(store, first.accountId, now)) * DAY_MS;
  const ids = known.map(({ id }) => id);
  const down = await downtimeByMonitor(store.db, { accountId: first.accountId, ids, from: windowStart, now });
  return new Map(
    known.flatMap(({ id, uptimeSince, uptime, recentChecks }) => {
      const from = Math.max(windowStart, uptimeSince ?? windowStart);
      const downMs = down.get(id) ?? 0;
      if (!isUptimeConfirmed({ uptime, recentChecks, downMs })) return [];
      return [[id, uptimePercent({ from, now, downMs })] as const];
    }),
  );
}

/** Returns why monitors of one account are down, as sentences, by monitor id. */
export async function downCauses(
  { db }: Store,
  monitors: readonly Pick<Monitor, 'id' | 'accountId' | 'uptime'>[],
): Promise<Map<string, string | null>> {
  const down = monitors.filter(({ uptime }) => uptime === 'down');
  const [first] = down;
  if (first === undefined) return new Map();
  const rows = await db
    .selectFrom('incident_members')
    .select(['monitor_id', 'message'])
    .where('account_id', '=', first.accountId)
    .where(
      'monitor_id',
      'in',
      down.map(({ id }) => id),
    )
    .where(isDownIncident)
    .where('ended_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.monitor_id, row.message]));
}

/** Returns the number of days of uptime that the plan of the account shows. */
export async function uptimeWindowOf(store: Store, accountId: string, now: number): Promise<number> {
  const row = await store.db
    .selectFrom('accounts')
    .select(['plan', 'plan_status', 'plan_source', 'plan_ends_at'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  const { plan } = row ? entitlementAt(store, storedEntitlement(row), now) : { plan: 'free' as const };
  return uptimeWindowDays(plan);
}

/**
 * Returns the minutes of downtime on each of the last `days` days (UTC), oldest first, by monitor id. Days before the first
 * conclusive check are null. All monitors must belong to one account. Monitors without a confirmed uptime have no entry.
 */
export async function dailyDowntimes(
  store: Store,
  monitors: readonly Pick<Monitor, 'id' | 'accountId' | 'uptimeSince' | 'uptime' | 'recentChecks'>[],
  { days, now }: { days: number; now: number },
): Promise<Map<string, (number | null)[]>> {
  const known = monitors.filter(({ uptimeSince }) => uptimeSince !== null);
  const [first] = known;
  if (first === undefined) return new Map();
  const firstDay = Math.floor(now / DAY_MS) - days + 1;
  const span = {
    accountId: first.accountId,
    ids: known.map(({ id }) => id),
    from: firstDay * DAY_MS,
    now,
  };
  const { startedAt, endedAt } = within(span);
  // Incidents within one day are summed up by the database, because a host that flaps has thousands.
  const rows = await downIncidents(store.db, span)
    .select((eb) => [
      'monitor_id',
      sql<number>`${startedAt} / ${sql.lit(DAY_MS)}`.as('first_day'),
      sql<number>`${endedAt} / ${sql.lit(DAY_MS)}`.as('last_day'),
      eb.fn.countAll<number>().as('count'),
      sql<number>`cast(sum(${startedAt}) as bigint)`.as('started_at'),
      sql<number>`cast(sum(${endedAt}) as bigint)`.as('ended_at'),
    ])
    .groupBy(['monitor_id', 'first_day', 'last_day'])
    .execute();
  const byMonitor = Map.groupBy(rows, ({ monitor_id: id }) => id);
  return new Map(
    known.flatMap(({ id, uptimeSince, uptime, recentChecks }) => {
      const own = byMonitor.get(id) ?? [];
      if (!isUptimeConfirmed({ uptime, recentChecks, downMs: own.length })) return [];
      const daily = Array.from({ length: days }, (_, index): number | null => {
        const day = firstDay + index;
        if ((day + 1) * DAY_MS <= (uptimeSince ?? 0)) return null;
        const downMs = own.reduce((sum, incidents) => sum + onDay(incidents, day), 0);
        return Math.min(DAY_MINUTES, Math.ceil(downMs / MINUTE_MS));
      });
      return [[id, daily] as const];
    }),
  );
}

const DAY_MINUTES = DAY_MS / MINUTE_MS;

/**
 * Returns how long incidents lasted on a day (UTC), in ms. `started_at` and `ended_at` are the sums of all starts and all ends.
 */
function onDay(
  incidents: { first_day: number; last_day: number; count: number; started_at: number; ended_at: number },
  day: number,
): number {
  const {
    first_day: firstDay,
    last_day: lastDay,
    count,
    started_at: startedAt,
    ended_at: endedAt,
  } = incidents;
  if (day < firstDay || day > lastDay) return 0;
  const start = day === firstDay ? startedAt : count * day * DAY_MS;
  const end = day === lastDay ? endedAt : count * (day + 1) * DAY_MS;
  return end - start;
}

interface Span {
  accountId: string;
  ids: readonly string[];
  from: number;
  now: number;
}

/** Returns SQL expressions for the start and the end of an incident, not before `from` and not after `now`. */
function within(span: Pick<Span, 'from' | 'now'>) {
  // Times are parameters, because each literal would be a new statement to prepare. SQLite binds numbers as reals.
  const [from, now] = [sql`cast(${span.from} as bigint)`, sql`cast(${span.now} as bigint)`];
  return {
    startedAt: sql<number>`case when started_at < ${from} then ${from} else started_at end`,
    endedAt: sql<number>`case when ended_at is null or ended_at > ${now} then ${now} else ended_at end`,
  };
}

/**
 * Returns by monitor id the downtime in ms since `from` or the monitor's last pause, whichever is later. Omits monitors without
 * downtime.
 */
export async function downtimeByMonitor(db: Kysely<Tables>, span: Span): Promise<Map<string, number>> {
  const { startedAt, endedAt } = within(span);
  const rows = await downIncidents(db, span)
    .select(['monitor_id', sql<number>`cast(sum(${endedAt} - ${startedAt}) as bigint)`.as('down_ms')])
    .groupBy('monitor_id')
    .execute();
  return new Map(rows.map((row) => [row.monitor_id, row.down_ms]));
}

/** Selects the downtime of these monitors since `from` or their last pause, whichever is later. */
function downIncidents(db: Kysely<Tables>, { accountId, ids, from, now }: Span) {
  return (
    db
      .selectFrom('incident_members')
      .where('account_id', '=', accountId)
      .where('monitor_id', 'in', ids)
      .where(isDownIncident)
      .where('started_at', '<', now)
      // A pause ends the open incident, so no incident spans a pause.
      .where('started_at', '>=', (eb) =>
        eb
          .selectFrom('monitors')
          .select((of) => of.fn.coalesce('uptime_since', of.lit(0)).as('since'))
          .whereRef('monitors.account_id', '=', 'incident_members.account_id')
          .whereRef('monitors.id', '=', 'incident_members.monitor_id'),
      )
      .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', from)]))
  );
}
