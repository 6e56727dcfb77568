import { type Alarm, raisedAlarms } from '../alerts/alarms.ts';
import { oldestDueTimes } from '../alerts/deliveries.ts';
import type { Store } from '../db/open-store.ts';
import { isForEnabledAccount, isWaiting } from '../mail/outbox.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** The backlog of checks and alerts, and the raised alarms. */
export interface WorkHealth {
  /** Time in ms since the oldest due check became due; 0 if none is due. */
  oldestDueCheckMs: number;
  /** Time in ms since the oldest due alert became due; 0 if none is due. */
  oldestUnsentAlertMs: number;
  /** Number of waiting deliveries of alerts. */
  waitingAlerts: number;
  /** Number of waiting deliveries with at least one attempt. An attempt may be in progress. */
  retriedAlerts: number;
  alarms: Alarm[];
}

/**
 * Returns the backlog of checks and alerts, and the raised alarms. Reads large tables through indexes, so the time only depends
 * on the number of waiting deliveries.
 */
export async function workHealth(store: Store, now: number): Promise<WorkHealth> {
  const [{ checkAt, deliveryAt }, alerts, alarms] = await Promise.all([
    oldestDueTimes(store, now),
    store.db
      .selectFrom('deliveries')
      .select((eb) => [
        eb.fn.countAll<number>().as('waiting'),
        eb.fn.countAll<number>().filterWhere('attempts', '>', 0).as('retried'),
      ])
      .where(isWaiting)
      .where(isForEnabledAccount('deliveries'))
      .executeTakeFirstOrThrow(),
    raisedAlarms(store),
  ]);
  return {
    oldestDueCheckMs: checkAt === null ? 0 : now - checkAt,
    oldestUnsentAlertMs: deliveryAt === null ? 0 : now - deliveryAt,
    waitingAlerts: alerts.waiting,
    retriedAlerts: alerts.retried,
    alarms,
  };
}

const RECENT_MS = 5 * MINUTE_MS;

/**
 * Counts the monitors checked in the last five minutes. Call it rarely, because it reads all monitors: every check would have to
 * update an index.
 */
export async function recentChecks({ db }: Store, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('last_checked_at', '>', now - RECENT_MS)
    .executeTakeFirstOrThrow();
  return count;
}
