import { sql } from 'kysely';
import { leaseClock } from '../db/dialect.ts';
import { isInSomeLane } from './monitor-claims.ts';
import type { Store } from '../db/open-store.ts';
import { consumeRateLimit } from '../operations/rate-limits.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

export interface Spread {
  /** ms UTC. */
  now: number;
  /** What is due for longer than this is overdue. */
  lateMs: number;
  /** So many overdue monitors are no herd. */
  fewest: number;
  /** The time over which a herd is spread. */
  overMs: number;
  /** Leaves a herd to those who were at work while it grew. Default: false, nobody was. */
  unlessWorked?: boolean;
}

/** Longer than an alarm about late checks takes: what is late again so soon is too much for us, and must show. */
const APART_MS = 30 * MINUTE_MS;

/**
 * Spreads overdue checks over the time to come, so that neither we nor the hosts' servers see all of them at once: first those
 * whose certificate ends first, for their alerts are due first. What a person asked for, or was just added, stays where it is.
 * Returns how many were moved. Of several workers that find a herd within half an hour only the first spreads it.
 */
export async function spreadOverdue(
  store: Store,
  { now, lateMs, fewest, overMs, unlessWorked = false }: Spread,
): Promise<number> {
  const overdue = now - lateMs;
  const isMovable = sql<boolean>`active = 1 and ${isInSomeLane} and next_check_at < ${overdue}
    and check_requested_at is null and last_checked_at is not null
    and (lease_expires_at is null or lease_expires_at <= ${leaseClock(store, now)})`;
  const herd = await store.db
    .selectFrom('monitors')
    .select('id')
    .where(isMovable)
    .limit(1)
    .offset(fewest)
    .execute();
  if (herd.length === 0) return 0;
  if (unlessWorked && (await wasChecked(store, { since: overdue }))) return 0;
  const turn = await consumeRateLimit(store, {
    key: 'overdue checks are spread',
    limit: 1,
    windowMs: APART_MS,
    now,
  });
  if (!turn.allowed) return 0;
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

/** Where nobody was, it reads every monitor: for those who found a herd. */
async function wasChecked({ db }: Store, { since }: { since: number }): Promise<boolean> {
  const one = db.selectFrom('monitors').select('id').where('last_checked_at', '>', since).limit(1);
  return (await one.executeTakeFirst()) !== undefined;
}
