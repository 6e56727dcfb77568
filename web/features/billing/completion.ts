import { z } from 'zod';

/** A checkout that was paid. `value` is in major units of `currency` (ISO 4217). */
export interface Completion {
  currency: string;
  value: number;
  transactionId: string;
}

/** What an event of the payment provider's checkout means for us. */
export type CheckoutOutcome =
  | { kind: 'completed'; completion: Completion | null }
  | { kind: 'closed' }
  | { kind: 'failed'; reason: string };

const completedSchema = z.object({
  status: z.string(),
  currency_code: z.string(),
  totals: z.object({ total: z.number() }),
  transaction_id: z.string(),
});
const eventSchema = z.object({
  name: z.string(),
  data: z.unknown().optional(),
  detail: z.string().optional(),
});

/**
 * Returns what an event of Paddle.js means for us; null for events that the checkout handles itself, such as a declined card.
 * The statuses draft and ready come before completed or billed; canceled and past_due are not paid.
 */
export function outcomeOf(event: unknown): CheckoutOutcome | null {
  const known = eventSchema.safeParse(event);
  if (!known.success) return null;
  const { name, data, detail } = known.data;
  if (name === 'checkout.closed') return { kind: 'closed' };
  if (name === 'checkout.error' || name === 'checkout.failed')
    return { kind: 'failed', reason: detail ?? name };
  if (name !== 'checkout.completed') return null;
  const completed = completedSchema.safeParse(data);
  // The checkout was paid, but the event lacks the data that analytics needs.
  if (!completed.success) return { kind: 'completed', completion: null };
  const { status, currency_code: currency, totals, transaction_id: transactionId } = completed.data;
  if (status !== 'completed' && status !== 'billed') return null;
  return { kind: 'completed', completion: { currency, value: totals.total, transactionId } };
}
