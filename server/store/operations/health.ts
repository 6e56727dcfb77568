import { type Alarm, raisedAlarms } from '../alerts/alarms.ts';
import { oldestDue } from '../alerts/deliveries.ts';
import type { Store } from '../db/open-store.ts';
import { isForEnabledAccount, isWaiting } from '../mail/outbox.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** State of the queues, in figures that stay cheap to query at any size. */
export interface WorkHealth {
  /** How long the oldest due check and the oldest due alert have waited, in ms; 0 if none waits. */
  oldestDueCheckMs: number;
  oldestUnsentAlertMs: number;
  /** Number of waiting deliveries of alerts, and how many of them were attempted before. */
  waitingAlerts: number;
  retriedAlerts: number;
  alarms: Alarm[];
}

/** Reads the queue figures. Each query uses its own index. */
export async function workHealth(store: Store, now: number): Promise<WorkHealth> {
  const [{ checkAt, deliveryAt }, alerts, alarms] = await Promise.all([
    oldestDue(store, now),
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
 * Counts the monitors checked in the last five minutes. Call it rarely: it reads all monitors, because every check
 * would have to update an index.
 */
export async function recentChecks({ db }: Store, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('last_checked_at', '>', now - RECENT_MS)
    .executeTakeFirstOrThrow();
  return count;
}
