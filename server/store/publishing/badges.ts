import { monitorsOf } from '../monitors/monitor-list.ts';
import type { MonitorKey } from '../monitors/monitor-change.ts';
import type { Monitor } from '../monitors/monitor-row.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

/** The token of a domain's badge; null where it is switched off. Of a domain that the account does not have: null too. */
export async function badgeOf(store: Store, { accountId, monitorId }: MonitorKey): Promise<string | null> {
  const row = await store.db
    .selectFrom('badges')
    .select('token')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .executeTakeFirst();
  return row?.token ?? null;
}

/** Switches the badge of one of the account's monitors on. Answers its token: the given one, or that which it had. */
export async function makeBadge(
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
  return (await badgeOf(store, { accountId, monitorId })) ?? token;
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

/** What the badge with this token is of; null where there is none, or its account is disabled. */
export async function badgedMonitor(store: Store, token: string): Promise<Monitor | null> {
  const badge = await store.db
    .selectFrom('badges')
    .innerJoin('accounts', 'accounts.id', 'badges.account_id')
    .select(['badges.account_id', 'monitor_id'])
    .where('token', '=', token)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst();
  if (!badge) return null;
  const [monitor] = await monitorsOf(store, { accountId: badge.account_id, ids: [badge.monitor_id] });
  return monitor ?? null;
}
