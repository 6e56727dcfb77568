import { sql, type SqlBool } from 'kysely';
import { moveFutureSessions } from '../accounts/sessions.ts';
import { correctDeliveryTimes } from '../alerts/deliveries.ts';
import { CLOCK_ERROR_MS } from '../alerts/incidents.ts';
import { restoreEndedPlans } from '../billing/plan-expiry.ts';
import type { Store } from '../db/open-store.ts';
import { correctForecastTimes } from '../forecasts/forecasts.ts';
import { correctMailTimes } from '../mail/mails.ts';
import { correctCheckTimes } from '../monitors/check-due.ts';
import { correctFaviconTimes } from '../monitors/favicons.ts';
import { CATALOGUE, tablesWith } from '../schema/catalogue.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Corrects what was stored while the clock ran ahead of `now` (ms UTC). Makes postponed work due, restores plans, and sets past
 * events whose time is more than an hour in the future to `now`. Returns the number of corrected rows.
 */
export async function correctFutureTimes(store: Store, now: number): Promise<number> {
  const ahead = now + CLOCK_ERROR_MS;
  let corrected =
    (await correctCheckTimes(store, now)) +
    (await correctDeliveryTimes(store, now)) +
    (await correctMailTimes(store, now)) +
    (await restoreEndedPlans(store, now)) +
    (await correctFaviconTimes(store, now)) +
    (await correctForecastTimes(store, now)) +
    (await moveFutureSessions(store, { now, ahead }));
  for (const [table, columns] of tablesWith('pastEvents'))
    for (const column of columns) {
      const { numUpdatedRows } = await store.db
        .updateTable(table)
        .set({ [column]: now })
        .where(sql.ref<number>(column), '>', ahead)
        .executeTakeFirst();
      corrected += Number(numUpdatedRows);
    }
  return corrected;
}

/** Deletes the expired rows of a table by its rule in `CATALOGUE`. Returns their number. */
export async function deleteExpired({ db }: Store, table: keyof Tables, now: number): Promise<number> {
  const { at = [], keepMs = 0, aheadMs, only, isText = false } = CATALOGUE[table].expires ?? {};
  const stored = (time: number) => (isText ? new Date(time).toISOString() : time);
  const isOver = at.map((column) => sql`${sql.ref(column)} <= ${stored(now - keepMs)}`);
  const isAhead =
    aheadMs === undefined ? [] : at.map((column) => sql`${sql.ref(column)} > ${stored(now + aheadMs)}`);
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where(sql<SqlBool>`(${sql.join([...isOver, ...isAhead], sql` or `)})`)
    .where(only ?? sql<SqlBool>`true`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
