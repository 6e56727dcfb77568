import { sql } from 'kysely';
import { leaseClock } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { consumeRateLimit } from '../operations/rate-limits.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { isInSomeLane } from './check-due.ts';

export interface Spread {
  /** Current time, ms UTC. */
  now: number;
  /** Time after which a due check is overdue. */
  lateMs: number;
  /** Checks are moved only if more than this many are overdue. */
  minOverdue: number;
  /** The period over which overdue checks are spread. */
  overMs: number;
  /** If true, moves nothing if a check was recorded within `lateMs`: workers run, so the backlog means overload. Default: false. */
  onlyIfIdle?: boolean;
}

/**
 * Minimum time between two spreads. It is longer than the delay of the alarm about late checks, because a backlog that returns
 * sooner means overload and must raise the alarm.
 */
const SPREAD_INTERVAL_MS = 30 * MINUTE_MS;

/**
 * Spreads overdue checks over `overMs`, to limit the load on this deployment and the checked servers. Requested and first checks
 * keep their time. Only the first worker that finds a backlog within half an hour spreads it. Returns how many were moved.
 */
export async function spreadOverdue(
  store: Store,
  { now, lateMs, minOverdue, overMs, onlyIfIdle = false }: Spread,
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
  // Certificates that expire first are checked first, because their alerts are due first.
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
 * Returns whether a check ended after `since` (ms UTC). Reads every monitor if none did, so call it only if there is a backlog.
 */
async function wasChecked({ db }: Store, { since }: { since: number }): Promise<boolean> {
  const one = db.selectFrom('monitors').select('id').where('last_checked_at', '>', since).limit(1);
  return (await one.executeTakeFirst()) !== undefined;
}
