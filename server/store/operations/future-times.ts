import { moveFutureSessions } from '../accounts/sessions.ts';
import { rescheduleDeliveries } from '../alerts/deliveries.ts';
import { CLOCK_ERROR_MS } from '../alerts/incidents.ts';
import { restoreEndedPlans } from '../billing/plan-expiry.ts';
import type { Store } from '../db/open-store.ts';
import { rescheduleMails } from '../mail/mails.ts';
import { resetFarDueTimes } from '../monitors/check-due.ts';
import { rescheduleFavicons } from '../monitors/favicons.ts';

/** Times of past events. If they stayed in the future, we would send no alarms, refuse feedback, and keep old answers and failing channels. */
const PAST_EVENTS = [
  ['alarms', 'since'],
  ['alarms', 'seen_at'],
  ['alarms', 'told_at'],
  ['channels', 'failing_since'],
  ['feedback', 'created_at'],
  ['idempotency_keys', 'created_at'],
] as const;

/**
 * Corrects what was stored while the clock ran ahead of `now` (ms UTC): makes postponed work due, restores plans, and sets the times of
 * past events that lie more than an hour in the future to `now`. Returns the number of corrected rows.
 */
export async function correctFutureTimes(store: Store, now: number): Promise<number> {
  const ahead = now + CLOCK_ERROR_MS;
  let corrected =
    (await resetFarDueTimes(store, now)) +
    (await rescheduleDeliveries(store, now)) +
    (await rescheduleMails(store, now)) +
    (await restoreEndedPlans(store, now)) +
    (await rescheduleFavicons(store, now)) +
    (await moveFutureSessions(store, { now, ahead }));
  for (const [table, column] of PAST_EVENTS) {
    const { numUpdatedRows } = await store.db
      .updateTable(table as 'alarms')
      .set({ [column]: now })
      .where(column as 'since', '>', ahead)
      .executeTakeFirst();
    corrected += Number(numUpdatedRows);
  }
  return corrected;
}
