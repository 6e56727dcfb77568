import { z } from 'zod';

/** A product on sale; the page offers the first. `unit_price`: minor units of `currency` (ISO 4217) per month. */
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
  /** Empty until the payment provider knows the account. */
  customer_id: z.string(),
  email: z.string(),
  /** Signed reference to the account, which the checkout passes to the webhook as custom data `account`. */
  reference: z.string(),
});
export type CheckoutWire = z.infer<typeof checkoutSchema>;

/** URL of the customer portal; empty if the provider does not know the customer yet. */
export const billingSchema = z.object({ url: z.string() });

/** Test mode only: completes a checkout without money. */
export const testPaymentSchema = z.object({
  price_id: z.string().min(1).max(100),
  reference: z.string().min(1).max(500),
});
export const testPaidSchema = z.object({
  transaction_id: z.string(),
  currency: z.string(),
  total: z.number().int(),
});

/** Test mode only: subscription events to simulate. Each is sent as a signed webhook, like the real provider's. */
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
