import type { Transaction, Updateable } from 'kysely';
import { locked } from '../db/dialect.ts';
import { type Monitor, type MonitorRow, searchText, selectMonitors, toMonitor } from './monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import type { Signal } from '../db/signals.ts';
import type { MonitorKey, MonitorsTable, Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Locks the monitor's row, then reads it with a second query that joins verdict, certificate and icon: PostgreSQL cannot lock the
 * nullable side of a join. Returns undefined if there is no such monitor.
 */
export async function lockMonitor(
  store: Store,
  trx: Transaction<Tables>,
  key: MonitorKey,
): Promise<MonitorRow | undefined> {
  const row = await locked(
    store.dialect,
    trx
      .selectFrom('monitors')
      .select('id')
      .where('id', '=', key.monitorId)
      .where('account_id', '=', key.accountId),
  ).executeTakeFirst();
  return (
    row &&
    selectMonitors(trx)
      .where('monitors.account_id', '=', key.accountId)
      .where('monitors.id', '=', row.id)
      .executeTakeFirst()
  );
}

/** Changes columns of a locked monitor. Returns the changed monitor. */
export async function updateMonitor(
  trx: Transaction<Tables>,
  row: MonitorRow,
  next: Updateable<MonitorsTable>,
): Promise<Monitor> {
  await trx
    .updateTable('monitors')
    .set(next)
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
  return toMonitor({ ...row, ...next });
}

type Change = Extract<Signal, { topic: 'domain' }>['change'];

/** Publishes a change of a monitor. Call it after the commit. With `due`, also publishes that a check is due. */
export function announceMonitor(store: Store, monitor: Monitor, change: Change, { due = false } = {}): void {
  const { accountId, id: monitorId } = monitor;
  if (due) store.signals.publish({ topic: 'due' });
  store.signals.publish({ topic: 'domain', accountId, monitorId, change });
}

/** Notes and tags that the owner wrote. */
export type Description = Pick<Monitor, 'notes' | 'tags'>;

export type DescriptionChange = { ok: true; monitor: Monitor } | { ok: false; code: 'not_found' | 'refused' };

/**
 * Replaces notes and tags with what `describe` returns for the current ones, while the row is locked. If it returns null, refuses
 * the change. Also updates the search text. If nothing changed, publishes no signal.
 */
export async function updateDescription(
  store: Store,
  request: MonitorKey & { describe(present: Description): Description | null },
): Promise<DescriptionChange> {
  let isChanged = false;
  const described = await inTransaction(store, async (trx): Promise<DescriptionChange> => {
    const row = await lockMonitor(store, trx, request);
    if (!row) return { ok: false, code: 'not_found' };
    const present = toMonitor(row);
    const description = request.describe(present);
    if (description === null) return { ok: false, code: 'refused' };
    const { notes, tags } = description;
    const next = {
      notes,
      tags: JSON.stringify(tags),
      search_text: searchText({ ...row, notes, tags }),
    };
    isChanged = next.notes !== row.notes || next.tags !== row.tags;
    return { ok: true, monitor: isChanged ? await updateMonitor(trx, row, next) : present };
  });
  if (described.ok && isChanged) announceMonitor(store, described.monitor, 'changed');
  return described;
}
