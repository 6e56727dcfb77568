import type { Transaction } from 'kysely';
import { locked } from '../db/dialect.ts';
import { type Monitor, type MonitorRow, selectMonitors } from './monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import type { Signal } from '../db/signals.ts';
import type { Tables } from '../schema/tables.ts';

/** Everybody asks by account: a stranger's id is answered like an id that does not exist. */
export interface MonitorKey {
  accountId: string;
  monitorId: string;
}

/** Locks first and reads the certificate after: PostgreSQL cannot lock the optional side of a join. */
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

type Change = Extract<Signal, { topic: 'domain' }>['change'];

/** After the transaction of a change. `due`: there is a check to be made now. */
export function announceMonitor(store: Store, monitor: Monitor, change: Change, { due = false } = {}): void {
  const { accountId, id: monitorId } = monitor;
  if (due) store.signals.publish({ topic: 'due' });
  store.signals.publish({ topic: 'domain', accountId, monitorId, change });
}
