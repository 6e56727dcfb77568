import { sql, type Transaction } from 'kysely';
import { LANES, recentChecks } from '../../core/index.ts';
import { leaseClock, locked } from '../db/dialect.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { HOUR_MS } from '../../../contract/durations.ts';
import type { Store } from '../db/open-store.ts';

/** Written out: SQLite recognises the partial index of what is checked by its words, not by a parameter's value. */
export const isActive = sql<boolean>`active = 1`;

/** Words with which the index of what is due is asked by time alone. */
export const isInSomeLane = sql<boolean>`lane in (${sql.join(lanes().map((lane) => sql.lit(lane)))})`;

/** Since when the monitor that has been due the longest is; null where none is. */
export async function oldestDueCheck({ db }: Store, now: number): Promise<number | null> {
  const firsts = lanes().map(
    (lane) => sql`select min(next_check_at) as at from monitors
      where active = 1 and lane = ${sql.lit(lane)} and next_check_at <= ${now}`,
  );
  const { rows } = await sql<{ at: number | null }>`select min(at) as at
    from (${sql.join(firsts, sql` union all `)}) as firsts`.execute(db);
  return rows[0]?.at ?? null;
}

export function lanes(): number[] {
  return Array.from({ length: LANES }, (_, lane) => lane);
}

/**
 * Lets a monitor, or (null) every one of the account, be checked by `at` (ms UTC) at the latest: what people chose about alerts
 * changes what the next check has to tell. Publish the signal `due` after it.
 */
export async function makeDueBy(
  trx: Transaction<Tables>,
  { accountId, monitorId, at }: { accountId: string; monitorId: string | null; at: number },
): Promise<void> {
  await trx
    .updateTable('monitors')
    .set({ next_check_at: at })
    .where('account_id', '=', accountId)
    .$if(monitorId !== null, (query) => query.where('id', '=', monitorId ?? ''))
    .where('next_check_at', '>', at)
    .execute();
}

/**
 * Ends a claim whose look says nothing about the endpoint: nothing of it is kept but that it told nothing, once in a row. False, and
 * nothing changed, when the lease is no longer ours.
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

/** Longer than any plan's interval, which is a day at most, and than any lease, which is a minute at most. */
const LONGEST_PLAN_MS = 48 * HOUR_MS;

/**
 * Makes due what no plan can have put off so far: the machine's clock ran ahead and was set back, and without this nobody
 * would look until it catches up with itself. Ends leases from that time as well. Returns how many monitors.
 */
export async function recallMonitors(store: Store, now: number): Promise<number> {
  const result = await store.db
    .updateTable('monitors')
    .set((eb) => ({
      next_check_at: eb.case().when('next_check_at', '>', now).then(now).else(eb.ref('next_check_at')).end(),
      lease_token: null,
      lease_expires_at: null,
    }))
    .where((eb) =>
      eb.or([
        eb('next_check_at', '>', now + LONGEST_PLAN_MS),
        eb('lease_expires_at', '>', sql<number>`${leaseClock(store, now)} + ${sql.lit(HOUR_MS)}`),
      ]),
    )
    .executeTakeFirst();
  const recalled = Number(result.numUpdatedRows);
  if (recalled > 0) store.signals.publish({ topic: 'due' });
  return recalled;
}
