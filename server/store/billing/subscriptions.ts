import type { Selectable } from 'kysely';
import type { Subscription } from '../../core/plan.ts';
import { locked } from '../db/dialect.ts';
import { applyEntitlement, publishPlanChange } from './entitlements.ts';
import type { Store } from '../db/open-store.ts';
import type { SubscriptionsTable } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** A subscription as the payment provider last reported it. Timestamps are in ms UTC. */
export interface StoredSubscription extends Subscription {
  /** The subscription id at the payment provider. */
  id: string;
  accountId: string;
  customerId: string;
  createdAt: number;
}

export async function findSubscription(store: Store, id: string): Promise<StoredSubscription | null> {
  const row = await store.db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toSubscription(row) : null;
}

/** Lists all subscriptions that the account has or had, newest first. */
export async function listSubscriptions(store: Store, accountId: string): Promise<StoredSubscription[]> {
  const rows = await store.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toSubscription);
}

/**
 * After a deployment has left test mode, cancels the subscriptions for which `isTest` is true: nobody pays for them, and no
 * webhook will ever report their end. Returns the number of cancelled subscriptions.
 */
export async function endTestSubscriptions(
  store: Store,
  { isTest, now }: { isTest: (id: string) => boolean; now: number },
): Promise<number> {
  const live = await store.db
    .selectFrom('subscriptions')
    .select(['id', 'account_id as accountId'])
    .where('status', '!=', 'canceled')
    .execute();
  const testSubscriptions = live.filter(({ id }) => isTest(id));
  for (const { id, accountId } of testSubscriptions) {
    await inTransaction(store, async (trx) => {
      const account = trx.selectFrom('accounts').select('id').where('id', '=', accountId);
      if (!(await locked(store.dialect, account).executeTakeFirst())) return;
      await trx.updateTable('subscriptions').set({ status: 'canceled' }).where('id', '=', id).execute();
      await applyEntitlement(store, trx, { accountId, now });
    });
    publishPlanChange(store, accountId);
  }
  return testSubscriptions.length;
}

export function toSubscription(row: Selectable<SubscriptionsTable>): StoredSubscription {
  return {
    id: row.id,
    accountId: row.account_id,
    customerId: row.customer_id,
    status: row.status,
    periodStartsAt: row.period_starts_at,
    periodEndsAt: row.period_ends_at,
    cancelsAt: row.cancels_at,
    pastDueSince: row.past_due_since,
    refundedAt: row.refunded_at,
    createdAt: row.created_at,
  };
}
