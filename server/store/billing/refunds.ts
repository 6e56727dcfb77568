import type { Selectable, Transaction } from 'kysely';
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

interface Refund {
  subscriptionId: string;
  refunded: boolean;
  /** A time within the refunded period (ms UTC), because later periods may still be paid. */
  refundedAt: number;
  /** Time of the webhook event, ms UTC. */
  occurredAt: number;
}

type Refundable = Pick<Selectable<SubscriptionsTable>, 'refunded_at' | 'refund_told_at'>;

/**
 * Returns the refund of a webhook event. `refundedAt` is the event's time, but at most the last millisecond of the
 * refunded period.
 */
export function refundOf(
  { subscriptionId, refunded, periodEndsAt }: RefundChange,
  occurredAt: number,
): Refund {
  const refundedAt = periodEndsAt === null ? occurredAt : Math.min(occurredAt, periodEndsAt - 1);
  return { subscriptionId, refunded, refundedAt, occurredAt };
}

/**
 * Applies a refund to its subscription. If several periods were refunded, keeps the latest period. Returns `stale` if a newer
 * event was applied before.
 */
export async function applyRefund(
  trx: Transaction<Tables>,
  { refunded_at: before, refund_told_at: lastEventAt }: Refundable,
  { subscriptionId, refunded, refundedAt, occurredAt }: Refund,
): Promise<'applied' | 'stale'> {
  const isOlder = (lastEventAt ?? 0) > occurredAt;
  if (isOlder && (!refunded || before === null)) return 'stale';
  const isOfEarlierPeriod = before !== null && before > refundedAt;
  const next = isOfEarlierPeriod ? before : refunded ? refundedAt : null;
  await trx
    .updateTable('subscriptions')
    .set({ refunded_at: next, refund_told_at: Math.max(lastEventAt ?? 0, occurredAt) })
    .where('id', '=', subscriptionId)
    .execute();
  return 'applied';
}

/** Stores a refund whose subscription is not known yet, because the provider may deliver events out of order. */
export async function deferRefund(
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
