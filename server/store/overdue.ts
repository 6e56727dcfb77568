import { sql } from 'kysely';
import { leaseClock } from './lease-clock.ts';
import { isInSomeLane } from './monitor-claims.ts';
import type { Store } from './open-store.ts';

export interface Spread {
  /** ms UTC. */
  now: number;
  /** What is due for longer than this is overdue. */
  lateMs: number;
  /** So many overdue monitors are no herd. */
  fewest: number;
  /** The time over which a herd is spread. */
  overMs: number;
}

/**
 * Spreads overdue checks over the time to come, so that neither we nor the hosts' servers see all of them at once: first those
 * whose certificate ends first, for their alerts are due first. What a person asked for, or was just added, stays where it is.
 * Returns how many were moved; of several workers that do it at once, each monitor is moved by one.
 */
export async function spreadOverdue(store: Store, { now, lateMs, fewest, overMs }: Spread): Promise<number> {
  const overdue = now - lateMs;
  const { numAffectedRows } = await sql`
    with late as (
      select id,
        row_number() over (order by case when not_after is null then 1 else 0 end, not_after, next_check_at, id) - 1 as place,
        count(*) over () as many
      from monitors
      where active = 1 and ${isInSomeLane} and next_check_at < ${overdue} and check_requested_at is null and last_checked_at is not null
        and (lease_expires_at is null or lease_expires_at <= ${leaseClock(store, now)})
    )
    update monitors set next_check_at = ${now} + late.place * ${sql.lit(overMs)} / late.many
    from late
    where late.id = monitors.id and late.many > ${fewest} and monitors.next_check_at < ${overdue}`.execute(
    store.db,
  );
  return Number(numAffectedRows ?? 0n);
}
