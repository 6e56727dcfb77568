import { type Alarm, standingAlarms } from '../alerts/alarms.ts';
import { oldestDue } from '../alerts/deliveries.ts';
import type { Store } from '../db/open-store.ts';
import { isForEnabledAccount, isWaiting } from '../mail/outbox.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

/** How the work goes, in figures that are cheap to ask for however much there is. */
export interface WorkHealth {
  /** For how long the oldest due check, and the oldest alert that could have left, have waited; 0 where none does. */
  oldestDueCheckMs: number;
  oldestUnsentAlertMs: number;
  /** Alerts that are due or planned, and of them those that were tried in vain. */
  waitingAlerts: number;
  retriedAlerts: number;
  alarms: Alarm[];
}

/** Asks each figure of an index of its own. */
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
    standingAlarms(store),
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
 * How many monitors were checked in the last five minutes. Reads every monitor, for an index would have to be written at each check: ask
 * rarely.
 */
export async function recentChecks({ db }: Store, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('monitors')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('last_checked_at', '>', now - RECENT_MS)
    .executeTakeFirstOrThrow();
  return count;
}
