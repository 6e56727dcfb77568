import { ApiError, type Environment, LogLevel, Paddle } from '@paddle/paddle-node-sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { createWebhookReader } from './paddle-webhook.ts';
import { type PaymentProvider, PaymentsUnavailable, type Product } from './payment-provider.ts';
import { MINUTE_MS, type Monotonic } from '../../../contract/durations.ts';

const DEADLINE_MS = 15_000;
const OFFER_CACHE_MS = MINUTE_MS;

export interface PaddleOptions {
  apiKey: string;
  /** Base URL of the API, without a path. */
  apiUrl: string;
  webhookSecret: string;
  priceId: string;
  monotonic: Monotonic;
  /** Timeout of one request to Paddle, ms. Default: 15,000. */
  deadlineMs?: number;
}

/** Paddle's response, or the error code of its refusal. */
type Answer<T> = { value: T } | { refusal: string };

/**
 * Creates the provider for Paddle Billing. The API key must be allowed to read prices, customers, subscriptions and
 * transactions, to write subscriptions and to create customer portal sessions.
 */
export function createPaddle(options: PaddleOptions): PaymentProvider {
  const { apiKey, apiUrl, webhookSecret, priceId, monotonic, deadlineMs = DEADLINE_MS } = options;
  // The SDK uses any unknown `environment` as its base URL.
  const paddle = new Paddle(apiKey, { environment: apiUrl as Environment, logLevel: LogLevel.none });
  const request = <T>(call: () => Promise<T>) => withDeadline(call, deadlineMs);

  async function readOffer(): Promise<{ productId: string; product: Product | null } | null> {
    const answer = await request(() => paddle.prices.get(priceId, { include: ['product'] }));
    if ('refusal' in answer && answer.refusal === 'not_found') return null;
    const price = unwrap(answer);
    const { productId, billingCycle, unitPrice } = price;
    const onOffer = price.status === 'active' && price.product?.status !== 'archived';
    // The page says "per month", so only a monthly price is offered.
    const monthly = billingCycle?.interval === 'month' && billingCycle.frequency === 1;
    const product = {
      productId,
      priceId,
      unitPrice: Number(unitPrice.amount),
      currency: unitPrice.currencyCode,
    };
    return { productId, product: onOffer && monthly ? product : null };
  }

  let offer: { readAt: number; read: ReturnType<typeof readOffer> } | null = null;
  async function currentOffer(): ReturnType<typeof readOffer> {
    if (offer === null || monotonic() - offer.readAt >= OFFER_CACHE_MS)
      offer = { readAt: monotonic(), read: readOffer() };
    const current = offer;
    try {
      return await current.read;
    } catch (error) {
      if (offer === current) offer = null;
      throw error;
    }
  }

  return {
    mode: 'paddle',
    test: null,

    async products() {
      const product = (await currentOffer())?.product;
      return product ? [product] : [];
    },

    async sells(subscription) {
      if (subscription.priceId === priceId) return true;
      return (await currentOffer())?.productId === subscription.productId;
    },

    async portalUrl({ customerId, email, subscriptionIds }) {
      const customer = unwrap(await request(() => paddle.customers.get(customerId)));
      if (customer.email.toLowerCase() !== email.toLowerCase()) return null;
      const session = unwrap(
        await request(() => paddle.customerPortalSessions.create(customerId, subscriptionIds)),
      );
      const url = URL.parse(session.urls.general.overview);
      if (url?.protocol !== 'https:') throw new PaymentsUnavailable('Paddle returned no portal URL');
      return url.href;
    },

    async cancel(subscriptionId) {
      const answer = await request(() =>
        paddle.subscriptions.cancel(subscriptionId, { effectiveFrom: 'immediately' }),
      );
      if ('value' in answer) return;
      const subscription = await request(() => paddle.subscriptions.get(subscriptionId));
      if ('value' in subscription && subscription.value.status === 'canceled') return;
      unwrap(answer);
    },

    readEvent: createWebhookReader({
      secret: webhookSecret,
      offeredPriceId: priceId,
      async periodEndOf(transactionId) {
        const answer = await request(() => paddle.transactions.get(transactionId));
        if ('refusal' in answer && answer.refusal === 'not_found') return null;
        const end = unwrap(answer).billingPeriod?.endsAt;
        return end === undefined ? null : Date.parse(end);
      },
    }),
  };
}

/** Calls the SDK with a deadline. @throws PaymentsUnavailable on a timeout or if the call fails without a response. */
async function withDeadline<T>(call: () => Promise<T>, deadlineMs: number): Promise<Answer<T>> {
  const answered = new AbortController();
  // The SDK cannot abort a call: after the deadline it continues and its result is ignored.
  const late = delay(deadlineMs, null, { signal: answered.signal, ref: false }).then(() => {
    throw new PaymentsUnavailable(`Paddle did not answer within ${deadlineMs} ms`);
  });
  try {
    return { value: await Promise.race([call(), late]) };
  } catch (error) {
    if (error instanceof PaymentsUnavailable) throw error;
    if (error instanceof ApiError) return { refusal: error.code };
    throw new PaymentsUnavailable(`Paddle did not answer (${reason(error)})`);
  } finally {
    answered.abort();
  }
}

function unwrap<T>(answer: Answer<T>): T {
  if ('value' in answer) return answer.value;
  throw new PaymentsUnavailable(`Paddle refused (${answer.refusal})`);
}

/** Returns an error code or name, never the message: the message about an invalid header contains the API key. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'no error';
  const code: unknown = error.cause instanceof Error ? Reflect.get(error.cause, 'code') : null;
  return typeof code === 'string' ? code : error.name;
}
