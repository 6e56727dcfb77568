import { ApiError, type Environment, LogLevel, Paddle } from '@paddle/paddle-node-sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { createWebhookReader } from './paddle-webhook.ts';
import { type PaymentProvider, PaymentsUnavailable, type Product } from './payment-provider.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const DEADLINE_MS = 15_000;
const OFFER_MS = MINUTE_MS;

export interface PaddleOptions {
  apiKey: string;
  /** Without a path. */
  apiUrl: string;
  webhookSecret: string;
  priceId: string;
  now: () => number;
  deadlineMs?: number;
}

/** What Paddle answered, or the code with which it refused. */
type Answer<T> = { value: T } | { refusal: string };

/** Paddle Billing. Needs the key's rights to read prices, customers, subscriptions and transactions, to write
 *  subscriptions and to open customer portal sessions. */
export function createPaddle(options: PaddleOptions): PaymentProvider {
  const { apiKey, apiUrl, webhookSecret, priceId, now, deadlineMs = DEADLINE_MS } = options;
  // Whatever is no name of its environments the SDK takes for the address.
  const paddle = new Paddle(apiKey, { environment: apiUrl as Environment, logLevel: LogLevel.none });
  const ask = <T>(call: () => Promise<T>) => answerOf(call, deadlineMs);

  async function readOffer(): Promise<{ productId: string; product: Product | null } | null> {
    const answer = await ask(() => paddle.prices.get(priceId, { include: ['product'] }));
    if ('refusal' in answer && answer.refusal === 'not_found') return null;
    const price = granted(answer);
    const { productId, billingCycle, unitPrice } = price;
    const onOffer = price.status === 'active' && price.product?.status !== 'archived';
    // The page says "per month"; what costs that much per year is another offer.
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
    if (offer === null || now() - offer.readAt >= OFFER_MS || now() < offer.readAt)
      offer = { readAt: now(), read: readOffer() };
    const asked = offer;
    try {
      return await asked.read;
    } catch (error) {
      if (offer === asked) offer = null;
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
      const customer = granted(await ask(() => paddle.customers.get(customerId)));
      if (customer.email.toLowerCase() !== email.toLowerCase()) return null;
      const session = granted(
        await ask(() => paddle.customerPortalSessions.create(customerId, subscriptionIds)),
      );
      const url = URL.parse(session.urls.general.overview);
      if (url?.protocol !== 'https:') throw new PaymentsUnavailable('Paddle gave no address of the portal');
      return url.href;
    },

    async cancel(subscriptionId) {
      const answer = await ask(() =>
        paddle.subscriptions.cancel(subscriptionId, { effectiveFrom: 'immediately' }),
      );
      if ('value' in answer) return;
      const subscription = await ask(() => paddle.subscriptions.get(subscriptionId));
      if ('value' in subscription && subscription.value.status === 'canceled') return;
      granted(answer);
    },

    readEvent: createWebhookReader({
      secret: webhookSecret,
      offeredPriceId: priceId,
      async periodEndOf(transactionId) {
        const answer = await ask(() => paddle.transactions.get(transactionId));
        if ('refusal' in answer && answer.refusal === 'not_found') return null;
        const end = granted(answer).billingPeriod?.endsAt;
        return end === undefined ? null : Date.parse(end);
      },
    }),
  };
}

/** @throws PaymentsUnavailable */
async function answerOf<T>(call: () => Promise<T>, deadlineMs: number): Promise<Answer<T>> {
  const answered = new AbortController();
  // The SDK cannot be told to stop; a call that is late ends here and goes on unheard.
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

function granted<T>(answer: Answer<T>): T {
  if ('value' in answer) return answer.value;
  throw new PaymentsUnavailable(`Paddle refused (${answer.refusal})`);
}

/** A code or a kind, never the text: that of a header that cannot be sent has the API key in it. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'no error';
  const code: unknown = error.cause instanceof Error ? Reflect.get(error.cause, 'code') : null;
  return typeof code === 'string' ? code : error.name;
}
