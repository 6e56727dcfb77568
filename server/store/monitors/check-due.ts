import { sql, type Transaction } from 'kysely';
import { LANES } from '../../core/check/schedule.ts';
import { recentChecks } from '../../core/check/uptime.ts';
import { compileOnce, leaseClock, locked } from '../db/dialect.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { HOUR_MS, MINUTE_MS } from '../../../contract/durations.ts';
import { consumeRateLimit } from '../operations/rate-limits.ts';
import type { Store } from '../db/open-store.ts';

/**
 * SQL condition for monitors that may be checked. It contains a literal instead of a parameter, because SQLite uses a partial
 * index only if the query contains the index's condition word for word.
 */
export const isActive = sql<boolean>`active = 1`;

/** SQL condition that is true for every lane, so that queries by time alone can use the index on lane and due time. */
const isInSomeLane = sql<boolean>`lane in (${sql.join(lanes().map((lane) => sql.lit(lane)))})`;

const firstOfLanes = compileOnce((db) => {
  const firsts = lanes().map(
    (lane) => sql`select min(next_check_at) as at from monitors
      where active = 1 and lane = ${sql.lit(lane)}`,
  );
  return sql<{ at: number | null }>`select min(at) as at
    from (${sql.join(firsts, sql` union all `)}) as firsts`.compile(db);
});

/** Returns when the first check is due, ms UTC, even if a worker is already running it; null if no monitor is active. */
export async function firstCheckAt({ db }: Store): Promise<number | null> {
  const [first] = await firstOfLanes(db, {});
  return first?.at ?? null;
}

export function lanes(): number[] {
  return Array.from({ length: LANES }, (_, lane) => lane);
}

/**
 * Makes one monitor or several (null: all monitors of the account) due by `at` (ms UTC) at the latest, so that their checks decide on
 * alerts again. The caller must publish the signal `due` after the transaction.
 */
export async function makeDueBy(
  trx: Transaction<Tables>,
  {
    accountId,
    monitorId,
    at,
  }: { accountId: string; monitorId: string | readonly string[] | null; at: number },
): Promise<void> {
  const ids = monitorId === null ? null : [monitorId].flat();
  if (ids?.length === 0) return;
  await trx
    .updateTable('monitors')
    .set({ next_check_at: at })
    .where('account_id', '=', accountId)
    .$if(ids !== null, (query) => query.where('id', 'in', ids ?? []))
    .where('next_check_at', '>', at)
    .execute();
}

/**
 * Ends a claim whose check was inconclusive, and sets the next due time. Adds `?` (unknown) to the recent checks, but only once for
 * several consecutive inconclusive checks. Returns false and changes nothing if the lease was lost.
 */
export async function postponeCheck(
  store: Store,
  check: { accountId: string; monitorId: string; leaseToken: string; now: number; nextCheckAt: number },
): Promise<boolean> {
  const { accountId, monitorId, now } = check;
  const postponed = await inTransaction(store, async (trx) => {
    const row = await locked(
      store.dialect,
      trx
        .selectFrom('monitors')
        .select(['recent_checks', 'check_requested_at'])
        .where('account_id', '=', accountId)
        .where('id', '=', monitorId)
        .where('lease_token', '=', check.leaseToken),
    ).executeTakeFirst();
    if (!row) return null;
    const { recent_checks: recent } = row;
    await trx
      .updateTable('monitors')
      .set({
        recent_checks: recent.endsWith('?') ? recent : recentChecks(recent, 'unknown'),
        next_check_at: row.check_requested_at === null ? check.nextCheckAt : now,
        lease_token: null,
        lease_expires_at: null,
      })
      .where('account_id', '=', accountId)
      .where('id', '=', monitorId)
      .execute();
    return row;
  });
  if (postponed === null) return false;
  const { check_requested_at: requestedAt } = postponed;
  store.signals.publish({ topic: 'domain', accountId, monitorId, change: 'checked' });
  if (requestedAt !== null) store.signals.publish({ topic: 'due' });
  return true;
}

/** Maximum time in ms between now and a due time. It exceeds any interval (at most a day) and any lease (at most a minute). */
const MAX_SCHEDULE_AHEAD_MS = 48 * HOUR_MS;

/**
 * Makes monitors due whose next check is more than 48 hours ahead, because it was planned while the clock ran ahead. Also ends
 * leases that last longer than an hour. Returns the number of monitors.
 */
export async function correctCheckTimes(store: Store, now: number): Promise<number> {
  const result = await store.db
    .updateTable('monitors')
    .set((eb) => ({
      next_check_at: eb.case().when('next_check_at', '>', now).then(now).else(eb.ref('next_check_at')).end(),
      lease_token: null,
      lease_expires_at: null,
    }))
    .where((eb) =>
      eb.or([
        eb('next_check_at', '>', now + MAX_SCHEDULE_AHEAD_MS),
        eb('lease_expires_at', '>', sql<number>`${leaseClock(store, now)} + ${sql.lit(HOUR_MS)}`),
      ]),
    )
    .executeTakeFirst();
  const madeDue = Number(result.numUpdatedRows);
  if (madeDue > 0) store.signals.publish({ topic: 'due' });
  return madeDue;
}

export interface SpreadOptions {
  /** Current time, ms UTC. */
  now: number;
  /** Time after which a due check is overdue. */
  lateMs: number;
  /** Checks are moved only if more than this many are overdue. */
  minOverdue: number;
  /** The period over which overdue checks are spread. */
  overMs: number;
  /**
   * True to move nothing if a check was recorded within `lateMs`: then workers are running, so the backlog means overload.
   * Default: false.
   */
  onlyIfIdle?: boolean;
}

/**
 * Minimum time between two spreads. It is longer than the delay of the alarm about late checks, because a backlog that returns
 * sooner means overload and must raise the alarm.
 */
const SPREAD_INTERVAL_MS = 30 * MINUTE_MS;

/**
 * Spreads overdue checks over `overMs`, to limit the load on this deployment and the checked servers. Requested and first checks
 * keep their time. Does nothing within half an hour after the last spread. Returns the number of moved checks.
 */
export async function spreadOverdue(
  store: Store,
  { now, lateMs, minOverdue, overMs, onlyIfIdle = false }: SpreadOptions,
): Promise<number> {
  const overdue = now - lateMs;
  const isMovable = sql<boolean>`active = 1 and ${isInSomeLane} and next_check_at < ${overdue}
    and check_requested_at is null and last_checked_at is not null
    and (lease_expires_at is null or lease_expires_at <= ${leaseClock(store, now)})`;
  const backlog = await store.db
    .selectFrom('monitors')
    .select('id')
    .where(isMovable)
    .limit(1)
    .offset(minOverdue)
    .execute();
  if (backlog.length === 0) return 0;
  if (onlyIfIdle && (await wasChecked(store, { since: overdue }))) return 0;
  const permit = await consumeRateLimit(store, {
    key: 'overdue checks are spread',
    limit: 1,
    windowMs: SPREAD_INTERVAL_MS,
    now,
  });
  if (!permit.allowed) return 0;
  // The sooner a certificate expires, the earlier its check, because its alerts are due earlier.
  const { numAffectedRows } = await sql`
    with late as (
      select id,
        row_number() over (order by case when not_after is null then 1 else 0 end, not_after, next_check_at, id) - 1 as position,
        count(*) over () as many
      from monitors
      where ${isMovable}
    )
    update monitors set next_check_at = ${now} + late.position * ${sql.lit(overMs)} / late.many
    from late
    where late.id = monitors.id and monitors.next_check_at < ${overdue}`.execute(store.db);
  return Number(numAffectedRows ?? 0n);
}

/**
 * Returns whether a check ended after `since` (ms UTC). Reads all monitors if none did, so only call it if there is a backlog.
 */
async function wasChecked({ db }: Store, { since }: { since: number }): Promise<boolean> {
  const one = db.selectFrom('monitors').select('id').where('last_checked_at', '>', since).limit(1);
  return (await one.executeTakeFirst()) !== undefined;
}
