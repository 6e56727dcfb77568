import type { Selectable, Transaction } from 'kysely';
import type { SubscriptionsTable, Tables } from '../schema/tables.ts';

/** Money given back in full, or taken back again; `periodEndsAt` of what it had been paid for, null where unknown. */
export interface RefundNews {
  kind: 'refund';
  subscriptionId: string;
  refunded: boolean;
  periodEndsAt: number | null;
}

interface Refund {
  subscriptionId: string;
  refunded: boolean;
  /** An instant in the period whose money went back: a later period was paid for all the same. */
  refundedAt: number;
  toldAt: number;
}

type Refundable = Pick<Selectable<SubscriptionsTable>, 'refunded_at' | 'refund_told_at'>;

export function refundOf({ subscriptionId, refunded, periodEndsAt }: RefundNews, toldAt: number): Refund {
  const refundedAt = periodEndsAt === null ? toldAt : Math.min(toldAt, periodEndsAt - 1);
  return { subscriptionId, refunded, refundedAt, toldAt };
}

/** Refunds of several periods stand beside each other: that of the latest period counts. */
export async function applyRefund(
  trx: Transaction<Tables>,
  { refunded_at: before, refund_told_at: toldBefore }: Refundable,
  { subscriptionId, refunded, refundedAt, toldAt }: Refund,
): Promise<'applied' | 'stale'> {
  const isOlder = (toldBefore ?? 0) > toldAt;
  if (isOlder && (!refunded || before === null)) return 'stale';
  const isOfEarlierPeriod = before !== null && before > refundedAt;
  const next = isOfEarlierPeriod ? before : refunded ? refundedAt : null;
  await trx
    .updateTable('subscriptions')
    .set({ refunded_at: next, refund_told_at: Math.max(toldBefore ?? 0, toldAt) })
    .where('id', '=', subscriptionId)
    .execute();
  return 'applied';
}

/** The provider does not keep the order: a subscription may be told after its refund. */
export async function keepForLater(
  trx: Transaction<Tables>,
  eventId: string,
  { subscriptionId, refunded, refundedAt }: Refund,
): Promise<void> {
  await trx
    .updateTable('payment_events')
    .set({ refund_of: subscriptionId, refund_at: refundedAt, refunded: Number(refunded) })
    .where('id', '=', eventId)
    .execute();
}

/** Applies to a subscription that was just told what was kept for it. */
export async function applyEarlyRefunds(
  trx: Transaction<Tables>,
  { subscriptionId, accountId }: { subscriptionId: string; accountId: string },
): Promise<void> {
  const early = await trx
    .selectFrom('payment_events')
    .selectAll()
    .where('refund_of', '=', subscriptionId)
    .orderBy('occurred_at')
    .execute();
  for (const { id, occurred_at: toldAt, refund_at: refundedAt, refunded } of early) {
    const known = await trx
      .selectFrom('subscriptions')
      .select(['refunded_at', 'refund_told_at'])
      .where('id', '=', subscriptionId)
      .executeTakeFirstOrThrow();
    const refund = { subscriptionId, refunded: refunded === 1, refundedAt: refundedAt ?? toldAt, toldAt };
    const outcome = await applyRefund(trx, known, refund);
    await trx
      .updateTable('payment_events')
      .set({ outcome, account_id: accountId, refund_of: null })
      .where('id', '=', id)
      .execute();
  }
}
