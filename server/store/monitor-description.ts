import { announceMonitor, lockMonitor, type MonitorKey } from './monitor-change.ts';
import { type Monitor, toMonitor } from './monitor-row.ts';
import type { Store } from './open-store.ts';
import { searchText } from './search-text.ts';
import { inTransaction } from './transaction.ts';

/** What its owner writes to a monitor. */
export type Description = Pick<Monitor, 'notes' | 'tags'>;

/**
 * Writes what `describe` makes of the description that holds while the row is locked; the search follows. What does not
 * change is no event. Null: there is no such monitor.
 */
export async function describeMonitor(
  store: Store,
  request: MonitorKey & { describe(present: Description): Description },
): Promise<Monitor | null> {
  const described = await inTransaction(store, async (trx) => {
    const row = await lockMonitor(store, trx, request);
    if (!row) return null;
    const present = toMonitor(row);
    const { notes, tags } = request.describe(present);
    const next = {
      notes,
      tags: JSON.stringify(tags),
      search_text: searchText({ host: row.host, port: row.port, notes, tags }),
    };
    const isNew = next.notes !== row.notes || next.tags !== row.tags;
    if (isNew) await trx.updateTable('monitors').set(next).where('id', '=', row.id).execute();
    return { monitor: isNew ? toMonitor({ ...row, ...next }) : present, isNew };
  });
  if (described?.isNew) announceMonitor(store, described.monitor, 'changed');
  return described?.monitor ?? null;
}
