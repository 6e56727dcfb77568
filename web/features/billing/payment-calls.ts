import { z } from 'zod';
import {
  billingSchema,
  checkoutSchema,
  productSchema,
  testPaidSchema,
  testSubscriptionSchema,
} from '../../../contract/payment.ts';
import type { CheckoutWire, ProductWire, TEST_EVENTS } from '../../../contract/payment.ts';
import { api, ApiError } from '../../lib/api-client.ts';

const products = z.object({ data: z.array(productSchema) });
const checkout = z.object({ data: checkoutSchema });
const billing = z.object({ data: billingSchema });
const testPaid = z.object({ data: testPaidSchema });
const testSubscription = z.object({ data: testSubscriptionSchema });

export type TestSubscription = z.infer<typeof testSubscriptionSchema>;
export type TestEvent = (typeof TEST_EVENTS)[number];

/** What is sold; the first one is offered. */
export async function fetchProducts(signal: AbortSignal): Promise<ProductWire[]> {
  return (await api('/payment/products', { schema: products, signal })).data;
}

/** What the checkout of that price is opened with. Rejects with `price_gone` or `already_subscribed`. */
export async function requestCheckout(priceId: string): Promise<CheckoutWire> {
  const body = { price_id: priceId };
  return (await api('/payment/checkout', { method: 'POST', body, schema: checkout })).data;
}

/**
 * Returns the URL of the payment provider's customer portal, or '' if the provider has no such customer yet. A refusal reads
 * "Failed to get me.", except `email_not_verified`: the page needs that one to offer the verification link.
 */
export async function fetchBillingAddress(): Promise<string> {
  try {
    return (await api('/payment/billing', { schema: billing })).data.url;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0 || error.code === 'email_not_verified')
      throw error;
    throw new ApiError('Failed to get me.', { status: error.status, cause: error });
  }
}

/** Test mode: pays without money. `total` is in minor units. */
export async function payInTestMode({ price_id, reference }: CheckoutWire) {
  const body = { price_id, reference };
  return (await api('/payment/test/pay', { method: 'POST', body, schema: testPaid })).data;
}

/** Test mode: the subscription as the provider's stand-in knows it; null without one. */
export async function fetchTestSubscription(signal: AbortSignal): Promise<TestSubscription> {
  return (await api('/payment/test/subscription', { schema: testSubscription, signal })).data;
}

/** Test mode: makes something happen to the subscription. */
export async function causeTestEvent(event: TestEvent): Promise<void> {
  await api('/payment/test/event', { method: 'POST', body: { event }, schema: z.unknown() });
}
