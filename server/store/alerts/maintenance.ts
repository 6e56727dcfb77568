import { type Kysely, sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { maintenanceUntil, type MaintenanceWindow } from '../../core/alerting/silence.ts';
import { nameOf, type Targeted } from '../../core/target.ts';
import { locked, monitorOf } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction, type WriteInTransaction } from '../db/transaction.ts';
import { makeDueBy } from '../monitors/check-due.ts';

export interface StoredWindow extends MaintenanceWindow {
  id: string;
  /** The domain that the window applies to; null for all domains. */
  domain: (Targeted & { id: string }) | null;
  note: string;
}

const selectWindows = (db: Kysely<Tables>, accountId: string) =>
  db
    .selectFrom('maintenance_windows as windows')
    .leftJoin('monitors', monitorOf('windows'))
    .select(['windows.id', 'monitor_id', 'host', 'port', 'target', 'starts_at', 'ends_at', 'repeats', 'note'])
    .where('windows.account_id', '=', accountId);

function toWindow(
  row: Awaited<ReturnType<ReturnType<typeof selectWindows>['executeTakeFirstOrThrow']>>,
): StoredWindow {
  return {
    id: row.id,
    domain:
      row.monitor_id === null
        ? null
        : {
            id: row.monitor_id,
            ...nameOf({ host: row.host ?? '', port: row.port ?? 443, target: row.target ?? '' }),
          },
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    repeats: row.repeats,
    note: row.note,
  };
}

/** Returns the account's current and future maintenance windows, sorted by the start of their first occurrence. */
export async function maintenanceOf(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<StoredWindow[]> {
  const rows = await selectWindows(store.db, accountId)
    .where(isNotOver(now))
    .orderBy('starts_at')
    .orderBy('windows.id')
    .execute();
  return rows.map(toWindow);
}

/** Returns the current and future maintenance windows that apply to a monitor: its own and those for all domains. */
export async function windowsFor(
  db: Kysely<Tables>,
  { accountId, monitorId, now }: { accountId: string; monitorId: string; now: number },
): Promise<MaintenanceWindow[]> {
  const rows = await db
    .selectFrom('maintenance_windows')
    .select(['starts_at', 'ends_at', 'repeats'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('monitor_id', 'is', null), eb('monitor_id', '=', monitorId)]))
    .where(isNotOver(now))
    .execute();
  return rows.map((row) => ({ startsAt: row.starts_at, endsAt: row.ends_at, repeats: row.repeats }));
}

/** Returns a function that returns whether a domain of the account is in maintenance. */
export async function maintenanceOfDomains(
  db: Kysely<Tables>,
  { accountId, now, timeZone }: { accountId: string; now: number; timeZone: string | null },
): Promise<(monitorId: string) => boolean> {
  const rows = await db
    .selectFrom('maintenance_windows')
    .select(['monitor_id', 'starts_at', 'ends_at', 'repeats'])
    .where('account_id', '=', accountId)
    .where(isNotOver(now))
    .execute();
  const current = rows.filter(
    ({ starts_at: startsAt, ends_at: endsAt, repeats }) =>
      maintenanceUntil([{ startsAt, endsAt, repeats }], now, timeZone) !== null,
  );
  return (monitorId) => current.some(({ monitor_id: of }) => of === null || of === monitorId);
}

const isNotOver = (now: number) => sql<boolean>`(repeats = 'weekly' or ends_at > ${now})`;

/**
 * Adds a maintenance window and deletes past ones. Returns `not_found` if the account has no such monitor, and `too_many` if it
 * already has `max` windows.
 */
export async function addMaintenance(
  store: Store,
  request: {
    accountId: string;
    monitorId: string | null;
    window: MaintenanceWindow;
    note: string;
    max: number;
    now: number;
    alsoWrite?: WriteInTransaction<StoredWindow>;
  },
): Promise<StoredWindow | 'not_found' | 'too_many'> {
  const { accountId, monitorId, window, now } = request;
  const added = await inTransaction(store, async (trx) => {
    await locked(
      store.dialect,
      trx.selectFrom('accounts').select('id').where('id', '=', accountId),
    ).execute();
    if (monitorId !== null) {
      const owned = await trx
        .selectFrom('monitors')
        .select('id')
        .where('id', '=', monitorId)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      if (!owned) return 'not_found';
    }
    await trx
      .deleteFrom('maintenance_windows')
      .where('account_id', '=', accountId)
      .where((eb) => eb.not(isNotOver(now)))
      .execute();
    const { count } = await trx
      .selectFrom('maintenance_windows')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    if (count >= request.max) return 'too_many';
    const id = randomUUID();
    await trx
      .insertInto('maintenance_windows')
      .values({
        id,
        account_id: accountId,
        monitor_id: monitorId,
        starts_at: window.startsAt,
        ends_at: window.endsAt,
        repeats: window.repeats,
        note: request.note,
        created_at: now,
      })
      .execute();
    const made = toWindow(
      await selectWindows(trx, accountId).where('windows.id', '=', id).executeTakeFirstOrThrow(),
    );
    await request.alsoWrite?.(trx, made);
    return made;
  });
  if (typeof added !== 'string') store.signals.publish({ topic: 'alerts', accountId, monitorId });
  return added;
}

/** Deletes a maintenance window. Returns false if the account has no such window. */
export async function removeMaintenance(
  store: Store,
  { accountId, id, timeZone, now }: { accountId: string; id: string; timeZone: string | null; now: number },
): Promise<boolean> {
  const removed = await inTransaction(store, async (trx) => {
    const row = await trx
      .deleteFrom('maintenance_windows')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .returning(['monitor_id', 'starts_at', 'ends_at', 'repeats'])
      .executeTakeFirst();
    if (!row) return undefined;
    const window = { startsAt: row.starts_at, endsAt: row.ends_at, repeats: row.repeats };
    // The window was active: make the monitors due, so that checks send the alerts that it held back.
    if (maintenanceUntil([window], now, timeZone) !== null)
      await makeDueBy(trx, { accountId, monitorId: row.monitor_id, at: now });
    return row;
  });
  if (!removed) return false;
  store.signals.publish({ topic: 'alerts', accountId, monitorId: removed.monitor_id });
  store.signals.publish({ topic: 'due' });
  return true;
}
