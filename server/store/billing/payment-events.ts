import type { Selectable, Transaction } from 'kysely';
import {
  chargeableSubscriptions,
  isStaleReport,
  pastDueSince,
  refundTime,
  type Subscription,
} from '../../core/plan.ts';
import { locked } from '../db/dialect.ts';
import { applyEntitlement, publishPlanChange } from './entitlements.ts';
import type { Store } from '../db/open-store.ts';
import { applyDeferredRefunds, applyRefund, deferRefund, type RefundChange } from './refunds.ts';
import { toSubscription } from './subscriptions.ts';
import type { PaymentEventsTable, SubscriptionsTable, Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** A webhook event of the payment provider. Timestamps are in ms UTC. */
export interface PaymentChange {
  /** The provider's event id. Repeated deliveries of an event have the same id. */
  id: string;
  type: string;
  occurredAt: number;
  change: SubscriptionChange | RefundChange | { kind: 'other' };
}

interface SubscriptionChange extends Omit<Subscription, 'pastDueSince' | 'refundedAt'> {
  kind: 'subscription';
  subscriptionId: string;
  customerId: string;
  priceId: string;
}

export interface PaymentEventResult {
  /**
   * `stale`: a later event was applied before this one (see `isStaleReport` and `followRefund`). `ignored`: it changes no
   * account, or it is a refund that waits for its subscription. `repeated`: it was processed before.
   */
  outcome: 'applied' | 'stale' | 'ignored' | 'repeated';
  accountId: string | null;
  /** Ids of running subscriptions other than the one that the account keeps. The caller has to cancel them. */
  surplus: string[];
}

type Row = Selectable<SubscriptionsTable>;

/**
 * Applies an event exactly once, in one transaction with the resulting plan. Finds the account by the known subscription. For a
 * new subscription, uses `referredTo` (the signed account id of the checkout), else the customer id at the provider.
 */
export async function applyPaymentEvent(
  store: Store,
  event: PaymentChange,
  { referredTo, now }: { referredTo: string | null; now: number },
): Promise<PaymentEventResult> {
  const result = await inTransaction(store, async (trx): Promise<PaymentEventResult> => {
    const accountId = await lockAccount(store, trx, await accountOf(trx, event.change, referredTo));
    const outcome = await recordAndApply(trx, event, { accountId, now });
    if (outcome === 'applied' && accountId !== null) await applyEntitlement(store, trx, { accountId, now });
    const surplus = event.change.kind === 'subscription' ? await surplusOf(trx, accountId, now) : [];
    return { outcome, accountId, surplus };
  });
  if (result.outcome === 'applied' && result.accountId !== null) publishPlanChange(store, result.accountId);
  return result;
}

async function accountOf(
  trx: Transaction<Tables>,
  change: PaymentChange['change'],
  referredTo: string | null,
): Promise<string | null> {
  if (change.kind === 'other') return null;
  // A subscription never moves to another account.
  const known = await subscriptionRow(trx, change.subscriptionId);
  if (known) return known.account_id;
  if (change.kind === 'refund') return null;
  if (referredTo !== null) return referredTo;
  const customer = await trx
    .selectFrom('accounts')
    .select('id')
    .where('paddle_id', '=', change.customerId)
    .executeTakeFirst();
  return customer?.id ?? null;
}

/** Locks the account, so that its payment events are applied one by one. Returns null if it was deleted. */
async function lockAccount(
  store: Store,
  trx: Transaction<Tables>,
  accountId: string | null,
): Promise<string | null> {
  if (accountId === null) return null;
  const account = trx.selectFrom('accounts').select('id').where('id', '=', accountId);
  return (await locked(store.dialect, account).executeTakeFirst())?.id ?? null;
}

async function recordAndApply(
  trx: Transaction<Tables>,
  event: PaymentChange,
  { accountId, now }: { accountId: string | null; now: number },
): Promise<PaymentEventResult['outcome']> {
  const inserted = await trx
    .insertInto('payment_events')
    .values({
      id: event.id,
      account_id: accountId,
      type: event.type,
      occurred_at: event.occurredAt,
      received_at: now,
      outcome: 'ignored',
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return 'repeated';
  const outcome = await applyChange(trx, event, { accountId, now });
  await trx.updateTable('payment_events').set({ outcome }).where('id', '=', event.id).execute();
  return outcome;
}

async function applyChange(
  trx: Transaction<Tables>,
  event: PaymentChange,
  { accountId, now }: { accountId: string | null; now: number },
): Promise<PaymentEventsTable['outcome']> {
  const { change, occurredAt } = event;
  if (change.kind === 'other') return 'ignored';
  const known = await subscriptionRow(trx, change.subscriptionId);
  if (change.kind === 'refund') {
    const { subscriptionId, refunded, periodEndsAt } = change;
    const refundedAt = refundTime(occurredAt, periodEndsAt);
    const refund = { subscriptionId, refunded, refundedAt, occurredAt };
    if (known) return applyRefund(trx, known, refund);
    await deferRefund(trx, event.id, refund);
    return 'ignored';
  }
  if (accountId === null) return 'ignored';
  const report = { status: change.status, occurredAt };
  const before = known ? { ...toSubscription(known), reportedAt: known.told_at } : null;
  if (before && isStaleReport(before, report)) return 'stale';
  await saveSubscription(trx, change, {
    isKnown: known !== undefined,
    accountId,
    pastDueSince: pastDueSince(before, report),
    occurredAt,
    now,
  });
  await saveCustomerId(trx, accountId, change.customerId);
  if (!known) await applyDeferredRefunds(trx, { subscriptionId: change.subscriptionId, accountId });
  return 'applied';
}

async function saveSubscription(
  trx: Transaction<Tables>,
  change: SubscriptionChange,
  context: {
    isKnown: boolean;
    accountId: string;
    pastDueSince: number | null;
    occurredAt: number;
    now: number;
  },
): Promise<void> {
  const { isKnown, accountId, occurredAt, now } = context;
  const columns = {
    customer_id: change.customerId,
    price_id: change.priceId,
    status: change.status,
    period_starts_at: change.periodStartsAt,
    period_ends_at: change.periodEndsAt,
    cancels_at: change.cancelsAt,
    past_due_since: context.pastDueSince,
    told_at: occurredAt,
  };
  if (isKnown)
    await trx.updateTable('subscriptions').set(columns).where('id', '=', change.subscriptionId).execute();
  else
    await trx
      .insertInto('subscriptions')
      .values({ id: change.subscriptionId, account_id: accountId, created_at: now, ...columns })
      .execute();
}

/** Stores the customer id with the account. Does nothing if the account has one, or if another account has this id. */
async function saveCustomerId(
  trx: Transaction<Tables>,
  accountId: string,
  customerId: string,
): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ paddle_id: customerId })
    .where('id', '=', accountId)
    .where('paddle_id', '=', '')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('accounts as other').select('other.id').where('other.paddle_id', '=', customerId),
        ),
      ),
    )
    .execute();
}

async function surplusOf(trx: Transaction<Tables>, accountId: string | null, now: number): Promise<string[]> {
  if (accountId === null) return [];
  const rows = await trx
    .selectFrom('subscriptions')
    .selectAll()
    .where('account_id', '=', accountId)
    .execute();
  return chargeableSubscriptions(rows.map(toSubscription), now)
    .slice(1)
    .map(({ id }) => id);
}

async function subscriptionRow(trx: Transaction<Tables>, id: string): Promise<Row | undefined> {
  return trx.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst();
}
