import { sql } from 'kysely';
import { leaseClock } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import { consumeRateLimit } from '../operations/rate-limits.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { isInSomeLane } from './check-due.ts';

export interface Spread {
  /** ms UTC. */
  now: number;
  /** Checks that have been due for longer than this are overdue. */
  lateMs: number;
  /** Up to this many overdue checks are not spread. */
  fewest: number;
  /** The period over which overdue checks are spread. */
  overMs: number;
  /** Do nothing if checks were recorded while the backlog grew. Default: false. */
  unlessWorked?: boolean;
}

/** Longer than the alarm about late checks takes: a backlog that returns sooner means overload, and must show. */
const SPREAD_INTERVAL_MS = 30 * MINUTE_MS;

/**
 * Spreads overdue checks over `overMs`, to spare us and the checked servers. Certificates that end first come first,
 * because their alerts are due first. Requested checks and first checks keep their time. Returns how many were
 * moved. Of several workers that find a backlog within half an hour only the first spreads it.
 */
export async function spreadOverdue(
  store: Store,
  { now, lateMs, fewest, overMs, unlessWorked = false }: Spread,
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
    .offset(fewest)
    .execute();
  if (backlog.length === 0) return 0;
  if (unlessWorked && (await wasChecked(store, { since: overdue }))) return 0;
  const permit = await consumeRateLimit(store, {
    key: 'overdue checks are spread',
    limit: 1,
    windowMs: SPREAD_INTERVAL_MS,
    now,
  });
  if (!permit.allowed) return 0;
  const { numAffectedRows } = await sql`
    with late as (
      select id,
        row_number() over (order by case when not_after is null then 1 else 0 end, not_after, next_check_at, id) - 1 as place,
        count(*) over () as many
      from monitors
      where ${isMovable}
    )
    update monitors set next_check_at = ${now} + late.place * ${sql.lit(overMs)} / late.many
    from late
    where late.id = monitors.id and monitors.next_check_at < ${overdue}`.execute(store.db);
  return Number(numAffectedRows ?? 0n);
}

/** Reads every monitor if none was checked, so call it only after a backlog was found. */
async function wasChecked({ db }: Store, { since }: { since: number }): Promise<boolean> {
  const one = db.selectFrom('monitors').select('id').where('last_checked_at', '>', since).limit(1);
  return (await one.executeTakeFirst()) !== undefined;
}
