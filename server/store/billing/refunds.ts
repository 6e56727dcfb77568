import type { Selectable, Transaction } from 'kysely';
import { followRefund, type Refund } from '../../core/plan.ts';
import type { SubscriptionsTable, Tables } from '../schema/tables.ts';

/**
 * A full refund, or its reversal (`refunded` false). `periodEndsAt`: end of the refunded period, ms UTC; null if
 * unknown.
 */
export interface RefundChange {
  kind: 'refund';
  subscriptionId: string;
  refunded: boolean;
  periodEndsAt: number | null;
}

type SubscriptionRefund = Refund & { subscriptionId: string };
type Refundable = Pick<Selectable<SubscriptionsTable>, 'refunded_at' | 'refund_told_at'>;

/** Applies a refund or its reversal to its subscription, unless a later event makes it outdated (`stale`). */
export async function applyRefund(
  trx: Transaction<Tables>,
  { refunded_at: refundedAt, refund_told_at: reportedAt }: Refundable,
  refund: SubscriptionRefund,
): Promise<'applied' | 'stale'> {
  const next = followRefund({ refundedAt, reportedAt }, refund);
  if (next === null) return 'stale';
  await trx
    .updateTable('subscriptions')
    .set({ refunded_at: next.refundedAt, refund_told_at: next.reportedAt })
    .where('id', '=', refund.subscriptionId)
    .execute();
  return 'applied';
}

/** Stores a refund whose subscription is not known yet, because the provider may deliver events out of order. */
export async function deferRefund(
  trx: Transaction<Tables>,
  eventId: string,
  { subscriptionId, refunded, refundedAt }: SubscriptionRefund,
): Promise<void> {
  await trx
    .updateTable('payment_events')
    .set({ refund_of: subscriptionId, refund_at: refundedAt, refunded: Number(refunded) })
    .where('id', '=', eventId)
    .execute();
}

/** Applies the refunds that arrived before their subscription. */
export async function applyDeferredRefunds(
  trx: Transaction<Tables>,
  { subscriptionId, accountId }: { subscriptionId: string; accountId: string },
): Promise<void> {
  const early = await trx
    .selectFrom('payment_events')
    .selectAll()
    .where('refund_of', '=', subscriptionId)
    .orderBy('occurred_at')
    .execute();
  for (const { id, occurred_at: occurredAt, refund_at: refundedAt, refunded } of early) {
    const known = await trx
      .selectFrom('subscriptions')
      .select(['refunded_at', 'refund_told_at'])
      .where('id', '=', subscriptionId)
      .executeTakeFirstOrThrow();
    const refund = {
      subscriptionId,
      refunded: refunded === 1,
      refundedAt: refundedAt ?? occurredAt,
      occurredAt,
    };
    const outcome = await applyRefund(trx, known, refund);
    await trx
      .updateTable('payment_events')
      .set({ outcome, account_id: accountId, refund_of: null })
      .where('id', '=', id)
      .execute();
  }
}
