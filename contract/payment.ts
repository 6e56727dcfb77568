import { z } from 'zod';

/**
 * A product for sale; the web app offers only the first of the list. `unit_price` is the price per month in minor units of `currency`
 * (ISO 4217).
 */
export const productSchema = z
  .object({
    product_id: z.string(),
    price_id: z.string(),
    unit_price: z.number().int(),
    currency: z.string(),
  })
  .meta({ id: 'Product' });
export type ProductWire = z.infer<typeof productSchema>;

export const checkoutRequestSchema = z.object({ price_id: z.string().min(1).max(100) });

/** Parameters for opening the payment provider's checkout. */
export const checkoutSchema = z.object({
  price_id: z.string(),
  /** Customer id at the payment provider; empty until the provider knows the account. */
  customer_id: z.string(),
  email: z.string(),
  /** Signed reference to the account. The checkout passes it to our webhook as custom data `account`. */
  reference: z.string(),
});
export type CheckoutWire = z.infer<typeof checkoutSchema>;

/** URL of the customer portal; empty if nothing is sold here or the provider does not know the customer yet. */
export const billingSchema = z.object({ url: z.string() });

/** Body of `POST /payment/test/pay`, which completes a checkout without money. Test mode only. */
export const testPaymentSchema = z.object({
  price_id: z.string().min(1).max(100),
  reference: z.string().min(1).max(500),
});
export const testPaidSchema = z.object({
  transaction_id: z.string(),
  currency: z.string(),
  total: z.number().int(),
});

/** Subscription events that test mode simulates. Each is sent as a signed webhook, like those of the real provider. */
export const TEST_EVENTS = [
  'renew',
  'past_due',
  'pause',
  'resume',
  'cancel',
  'cancel_at_period_end',
  'refund',
] as const;
export type TestEvent = (typeof TEST_EVENTS)[number];
export const testEventSchema = z.object({ event: z.enum(TEST_EVENTS) });
export const testSubscriptionSchema = z
  .object({
    id: z.string(),
    status: z.string(),
    period_ends_at: z.string().nullable(),
    cancels_at: z.string().nullable(),
  })
  .nullable();
export type TestSubscriptionWire = z.infer<typeof testSubscriptionSchema>;
