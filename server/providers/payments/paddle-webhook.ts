import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { PaymentEvent } from './payment-provider.ts';

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const id = z.string().min(1).max(100);

const eventSchema = z.object({ event_id: id, event_type: id, occurred_at: instant, data: z.unknown() });

const subscriptionSchema = z.object({
  id,
  status: z.enum(['trialing', 'active', 'past_due', 'paused', 'canceled']),
  customer_id: id,
  current_billing_period: z.object({ starts_at: instant, ends_at: instant }).nullish(),
  scheduled_change: z.object({ action: z.string(), effective_at: instant }).nullish(),
  items: z.array(z.object({ price: z.object({ id, product_id: id }) })).min(1),
  // Untrusted, because anybody who opens the checkout can set it.
  custom_data: z
    .object({ account: z.string().max(500).catch('') })
    .nullish()
    .catch(null),
});

const adjustmentSchema = z.object({
  action: z.string(),
  type: z.string().nullish(),
  status: z.string(),
  transaction_id: id,
  subscription_id: id.nullish(),
});

/** Returns Paddle's signature header: HMAC-SHA256 over the time in seconds and the raw body. `at` is ms UTC. */
export function signWebhook(rawBody: string, secret: string, at: number): string {
  const seconds = Math.floor(at / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}:${rawBody}`).digest('hex');
  return `ts=${seconds};h1=${signature}`;
}

/** Returns a function that parses a webhook. The function returns null for a wrong signature and throws for unexpected data. */
export function createWebhookReader(options: {
  secret: string;
  offeredPriceId: string;
  /** Returns the end of the period that a transaction paid for, ms UTC; null if unknown. */
  periodEndOf: (transactionId: string) => Promise<number | null>;
}): (rawBody: string, signature: string) => Promise<PaymentEvent | null> {
  const { secret, offeredPriceId, periodEndOf } = options;
  return async (rawBody, signature) => {
    if (!(await isGenuine(rawBody, signature, secret))) return null;
    const { event_id, event_type, occurred_at, data } = eventSchema.parse(JSON.parse(rawBody));
    const event = { id: event_id, type: event_type, occurredAt: occurred_at };
    if (event_type.startsWith('subscription.'))
      return { ...event, change: subscriptionChange(data, offeredPriceId) };
    if (event_type.startsWith('adjustment.')) return { ...event, change: await refund(data, periodEndOf) };
    return { ...event, change: { kind: 'other' } };
  };
}

async function isGenuine(rawBody: string, header: string, secret: string): Promise<boolean> {
  const parts = header.split(';').map((part) => part.trim());
  const timestamp = parts.find((part) => /^ts=\d{1,12}$/.test(part));
  if (timestamp === undefined) return false;
  // Load the SDK on first use: it is more than a quarter of all modules, and test mode (the default without
  // configuration) needs nothing else from it.
  const { NodeRuntime, Webhooks } = await import('@paddle/paddle-node-sdk');
  NodeRuntime.initialize();
  const webhooks = new Webhooks();
  // During the rotation of a secret, the header has one signature per secret.
  for (const signature of parts.filter((part) => /^h1=[0-9a-f]{64}$/.test(part)).slice(0, 4))
    if (await webhooks.isSignatureValid(rawBody, secret, `${timestamp};${signature}`)) return true;
  return false;
}

function subscriptionChange(data: unknown, offeredPriceId: string): PaymentEvent['change'] {
  const subscription = subscriptionSchema.parse(data);
  const prices = subscription.items.map(({ price }) => price);
  const price = prices.find((each) => each.id === offeredPriceId) ?? prices[0];
  const { current_billing_period: period, scheduled_change: scheduled } = subscription;
  return {
    kind: 'subscription',
    subscriptionId: subscription.id,
    customerId: subscription.customer_id,
    reference: subscription.custom_data?.account ?? '',
    priceId: price?.id ?? '',
    productId: price?.product_id ?? '',
    status: subscription.status,
    periodStartsAt: period?.starts_at ?? null,
    periodEndsAt: period?.ends_at ?? null,
    cancelsAt: scheduled?.action === 'cancel' ? scheduled.effective_at : null,
  };
}

async function refund(
  data: unknown,
  periodEndOf: (transactionId: string) => Promise<number | null>,
): Promise<PaymentEvent['change']> {
  const adjustment = adjustmentSchema.parse(data);
  const refunded = refundState(adjustment);
  if (refunded === null || !adjustment.subscription_id) return { kind: 'other' };
  return {
    kind: 'refund',
    subscriptionId: adjustment.subscription_id,
    refunded,
    periodEndsAt: await periodEndOf(adjustment.transaction_id),
  };
}

/**
 * Returns true for a full refund or chargeback, false for the reversal of one, and null for all others, such as partial refunds.
 */
function refundState({ action, type, status }: z.infer<typeof adjustmentSchema>): boolean | null {
  if (type !== 'full') return null;
  if (action === 'chargeback_reverse') return status === 'approved' ? false : null;
  if (action !== 'refund' && action !== 'chargeback') return null;
  if (status === 'approved') return true;
  return status === 'reversed' ? false : null;
}
