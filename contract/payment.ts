import { z } from 'zod';

/** What is sold; the first one is offered. `unit_price` is in minor units of `currency` (ISO 4217), per month. */
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

/** What the checkout is opened with. */
export const checkoutSchema = z.object({
  price_id: z.string(),
  /** Empty while the payment provider does not know the account. */
  customer_id: z.string(),
  email: z.string(),
  /** Proves to the webhook whose checkout it was; goes into the checkout's custom data under the key `account`. */
  reference: z.string(),
});
export type CheckoutWire = z.infer<typeof checkoutSchema>;

/** Of the customer portal; an empty address where the provider knows no customer yet. */
export const billingSchema = z.object({ url: z.string() });

/** Test mode only: pays for what a checkout was opened with. */
export const testPaymentSchema = z.object({
  price_id: z.string().min(1).max(100),
  reference: z.string().min(1).max(500),
});
export const testPaidSchema = z.object({
  transaction_id: z.string(),
  currency: z.string(),
  total: z.number().int(),
});

/** Test mode only: what can be made to happen to a subscription, each by a signed webhook as the real provider sends it. */
export const TEST_EVENTS = [
  'renew',
  'past_due',
  'pause',
  'resume',
  'cancel',
  'cancel_at_period_end',
  'refund',
] as const;
export const testEventSchema = z.object({ event: z.enum(TEST_EVENTS) });
export const testSubscriptionSchema = z
  .object({
    id: z.string(),
    status: z.string(),
    period_ends_at: z.string().nullable(),
    cancels_at: z.string().nullable(),
  })
  .nullable();
