import { createHash, randomUUID } from 'node:crypto';
import { createWebhookReader, signWebhook } from './paddle-webhook.ts';
import {
  type PaymentProvider,
  PaymentsUnavailable,
  type Product,
  type SubscriptionChange,
  type TestEvent,
} from './payment-provider.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const PRODUCT: Product = {
  productId: 'pro_test_premium',
  priceId: 'pri_test_premium_monthly',
  unitPrice: 499,
  currency: 'USD',
};
const PERIOD_MS = 30 * DAY_MS;
const SUBSCRIPTION_PREFIX = 'sub_test_';

/** Returns whether a subscription was created in test mode, where no money is paid. */
export const isTestSubscription = (subscriptionId: string) => subscriptionId.startsWith(SUBSCRIPTION_PREFIX);

/** A subscription as the product stores it; test mode stores none. Times are ms UTC. */
type KnownSubscription = Pick<
  SubscriptionChange,
  'customerId' | 'status' | 'periodStartsAt' | 'periodEndsAt' | 'cancelsAt'
>;

export interface TestModeOptions {
  /** Key that signs the webhooks. */
  secret: string;
  publicUrl: URL;
  now: () => number;
  subscriptionOf: (subscriptionId: string) => Promise<KnownSubscription | null>;
  /** Delivers a webhook to the product like a network request. Resolves to the response status. */
  deliver: (webhook: { body: string; signature: string }) => Promise<number>;
}

/**
 * Creates the payment provider of test mode, which replaces Paddle. It sends webhooks of the same format over the same route, but
 * charges no money.
 */
export function createTestMode({
  secret,
  publicUrl,
  now,
  subscriptionOf,
  deliver,
}: TestModeOptions): PaymentProvider {
  async function sendWebhook(
    type: string,
    data: object,
    eventId = `evt_test_${randomUUID()}`,
  ): Promise<void> {
    const body = JSON.stringify({
      event_id: eventId,
      event_type: type,
      occurred_at: iso(now()),
      notification_id: `ntf_test_${randomUUID()}`,
      data,
    });
    // Sign with the system clock and not with `now`, because signatures are verified against the system clock.
    const status = await deliver({ body, signature: signWebhook(body, secret, Date.now()) });
    if (status !== 200) throw new PaymentsUnavailable(`The webhook ${type} was answered ${status}`);
  }

  async function simulate(event: TestEvent, subscriptionId: string): Promise<void> {
    const known = await subscriptionOf(subscriptionId);
    if (known === null || known.status === 'canceled') return;
    if (event === 'refund') return sendWebhook('adjustment.created', adjustment(subscriptionId, known));
    const { type, change } = stateChange(event, known, now());
    const next = { ...known, ...change };
    await sendWebhook(type, subscription(subscriptionId, next, ''));
    if (event === 'renew') await sendWebhook('transaction.completed', transaction(subscriptionId, next));
  }

  return {
    mode: 'test',
    products: async () => [PRODUCT],
    sells: async ({ priceId }) => priceId === PRODUCT.priceId,
    portalUrl: async () => new URL('/billing-test', publicUrl).href,

    async cancel(subscriptionId) {
      if (!isTestSubscription(subscriptionId))
        throw new PaymentsUnavailable('Test mode cannot cancel a real subscription');
      await simulate('cancel', subscriptionId);
    },

    readEvent: createWebhookReader({
      secret,
      offeredPriceId: PRODUCT.priceId,
      periodEndOf: async () => null,
    }),

    test: {
      async pay({ accountId, reference, earlier }) {
        const idSuffix = digest(`${accountId} ${earlier} ${reference}`);
        const subscriptionId = SUBSCRIPTION_PREFIX + idSuffix;
        const initial: KnownSubscription = {
          customerId: `ctm_test_${digest(accountId)}`,
          status: 'active',
          periodStartsAt: now(),
          periodEndsAt: now() + PERIOD_MS,
          cancelsAt: null,
        };
        await sendWebhook(
          'subscription.created',
          subscription(subscriptionId, initial, reference),
          `evt_test_created_${idSuffix}`,
        );
        // A concurrent payment may have created the subscription first.
        const paid = transaction(subscriptionId, (await subscriptionOf(subscriptionId)) ?? initial);
        await sendWebhook('transaction.completed', paid, `evt_test_paid_${idSuffix}`);
        return { transactionId: paid.id, currency: PRODUCT.currency, total: PRODUCT.unitPrice };
      },
      simulate,
    },
  };
}

function stateChange(
  event: Exclude<TestEvent, 'refund'>,
  { periodEndsAt }: KnownSubscription,
  now: number,
): { type: string; change: Partial<KnownSubscription> } {
  const nextStart = periodEndsAt ?? now;
  const period = (startsAt: number) => ({ periodStartsAt: startsAt, periodEndsAt: startsAt + PERIOD_MS });
  const noPeriod = { periodStartsAt: null, periodEndsAt: null, cancelsAt: null };
  const stateChanges: Record<typeof event, { type: string; change: Partial<KnownSubscription> }> = {
    renew: { type: 'subscription.updated', change: { status: 'active', ...period(nextStart) } },
    past_due: { type: 'subscription.past_due', change: { status: 'past_due' } },
    pause: { type: 'subscription.paused', change: { status: 'paused', ...noPeriod } },
    resume: {
      type: 'subscription.resumed',
      change: { status: 'active', cancelsAt: null, ...(periodEndsAt === null && period(now)) },
    },
    cancel: { type: 'subscription.canceled', change: { status: 'canceled', ...noPeriod } },
    cancel_at_period_end: { type: 'subscription.updated', change: { cancelsAt: nextStart } },
  };
  return stateChanges[event];
}

/** Builds a subscription in Paddle's format. */
function subscription(id: string, known: KnownSubscription, reference: string) {
  const { status, customerId, periodStartsAt, periodEndsAt, cancelsAt } = known;
  return {
    id,
    status,
    customer_id: customerId,
    currency_code: PRODUCT.currency,
    collection_mode: 'automatic',
    billing_cycle: { interval: 'month', frequency: 1 },
    current_billing_period: billingPeriod(periodStartsAt, periodEndsAt),
    scheduled_change:
      cancelsAt === null ? null : { action: 'cancel', effective_at: iso(cancelsAt), resume_at: null },
    items: [
      {
        status: 'active',
        quantity: 1,
        recurring: true,
        price: {
          id: PRODUCT.priceId,
          product_id: PRODUCT.productId,
          unit_price: { amount: String(PRODUCT.unitPrice), currency_code: PRODUCT.currency },
        },
      },
    ],
    custom_data: reference === '' ? null : { account: reference },
  };
}

function transaction(
  subscriptionId: string,
  { customerId, periodStartsAt, periodEndsAt }: KnownSubscription,
) {
  return {
    id: `txn_test_${digest(`${subscriptionId} ${periodStartsAt}`)}`,
    status: 'completed',
    subscription_id: subscriptionId,
    customer_id: customerId,
    currency_code: PRODUCT.currency,
    billing_period: billingPeriod(periodStartsAt, periodEndsAt),
    details: { totals: { total: String(PRODUCT.unitPrice), currency_code: PRODUCT.currency } },
  };
}

function adjustment(subscriptionId: string, known: KnownSubscription) {
  return {
    id: `adj_test_${randomUUID()}`,
    action: 'refund',
    type: 'full',
    status: 'approved',
    transaction_id: transaction(subscriptionId, known).id,
    subscription_id: subscriptionId,
    customer_id: known.customerId,
    currency_code: PRODUCT.currency,
    totals: { total: String(PRODUCT.unitPrice), currency_code: PRODUCT.currency },
  };
}

const billingPeriod = (startsAt: number | null, endsAt: number | null) =>
  startsAt === null || endsAt === null ? null : { starts_at: iso(startsAt), ends_at: iso(endsAt) };
const iso = (instant: number) => new Date(instant).toISOString();
const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 26);
