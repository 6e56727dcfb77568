import { findMonitors } from '../monitors/monitor-list.ts';
import type { MonitorKey } from '../schema/tables.ts';
import type { Monitor } from '../monitors/monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

/** Returns the token of a domain's badge; null if the badge is off or the account has no such domain. */
export async function findBadge(store: Store, { accountId, monitorId }: MonitorKey): Promise<string | null> {
  const row = await store.db
    .selectFrom('badges')
    .select('token')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .executeTakeFirst();
  return row?.token ?? null;
}

/** Turns on the badge of one of the account's monitors. Returns the existing token, else `token`. */
export async function enableBadge(
  store: Store,
  { accountId, monitorId, token, now }: MonitorKey & { token: string; now: number },
): Promise<string> {
  await inTransaction(store, async (trx) => {
    await trx
      .insertInto('badges')
      .values({ account_id: accountId, monitor_id: monitorId, token, created_at: now })
      .onConflict((conflict) => conflict.columns(['account_id', 'monitor_id']).doNothing())
      .execute();
  });
  return (await findBadge(store, { accountId, monitorId })) ?? token;
}

export async function removeBadge(store: Store, { accountId, monitorId }: MonitorKey): Promise<void> {
  await inTransaction(store, async (trx) => {
    await trx
      .deleteFrom('badges')
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .execute();
  });
}

/** Returns the monitor of the badge with this token; null if there is none or its account is disabled. */
export async function findMonitorByBadge(store: Store, token: string): Promise<Monitor | null> {
  const badge = await store.db
    .selectFrom('badges')
    .innerJoin('accounts', 'accounts.id', 'badges.account_id')
    .select(['badges.account_id', 'monitor_id'])
    .where('token', '=', token)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst();
  if (!badge) return null;
  const [monitor] = await findMonitors(store, { accountId: badge.account_id, ids: [badge.monitor_id] });
  return monitor ?? null;
}
