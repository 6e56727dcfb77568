/** Product on sale, billed monthly. `unitPrice` is in minor units of `currency` (ISO 4217). */
export interface Product {
  productId: string;
  priceId: string;
  unitPrice: number;
  currency: string;
}

/** An event from a webhook with a valid signature. Instants are ms UTC. */
export interface PaymentEvent {
  /** The provider's event id. Redeliveries have the same id. */
  id: string;
  type: string;
  occurredAt: number;
  change:
    | SubscriptionChange
    /** Full refund or chargeback of a payment; `refunded` is false if it was reversed. */
    | {
        kind: 'refund';
        subscriptionId: string;
        refunded: boolean;
        /** End of the period that the payment was for; null if unknown. */
        periodEndsAt: number | null;
      }
    | { kind: 'other' };
}

/** New state of a subscription. Instants are ms UTC. */
export interface SubscriptionChange {
  kind: 'subscription';
  subscriptionId: string;
  customerId: string;
  /** Reference that the checkout sent, unverified; empty if there is none. */
  reference: string;
  /** Price of the item that we offer. If no item is ours, the price of the first item. */
  priceId: string;
  productId: string;
  status: 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';
  periodStartsAt: number | null;
  periodEndsAt: number | null;
  /** Time at which a scheduled cancellation takes effect; null if none is scheduled. */
  cancelsAt: number | null;
}

/** Thrown if the provider did not respond, refused the request, sent no usable response or is not configured. */
export class PaymentsUnavailable extends Error {
  override name = 'PaymentsUnavailable';
}

/** Payment provider. Each request to it ends within 15 s. */
export interface PaymentProvider {
  mode: 'paddle' | 'test';
  /** Returns the products on sale. @throws PaymentsUnavailable */
  products(): Promise<Product[]>;
  /**
   * Returns whether a subscription is for our product, at the current price or an earlier one. A buyer can open a
   * checkout with any of the seller's prices. @throws PaymentsUnavailable
   */
  sells(subscription: { priceId: string; productId: string }): Promise<boolean>;
  /**
   * Returns the URL of the customer portal. Returns null if the customer's email is not `email`, because the invoices then belong
   * to another person. @throws PaymentsUnavailable
   */
  portalUrl(customer: {
    customerId: string;
    email: string;
    subscriptionIds: string[];
  }): Promise<string | null>;
  /** Cancels a subscription at once. Succeeds if it has already ended. @throws PaymentsUnavailable */
  cancel(subscriptionId: string): Promise<void>;
  /**
   * Parses a webhook; returns null if the signature does not match the raw body. @throws PaymentsUnavailable, or another
   * error for unexpected data.
   */
  readEvent(rawBody: string, signature: string): Promise<PaymentEvent | null>;
  /** Actions of test mode; null for a real provider. */
  test: TestPayments | null;
}

/** Simulation of the customer, their bank and the seller. Every action sends signed webhooks. */
export interface TestPayments {
  /**
   * Completes a checkout. `earlier` is the number of subscriptions that the account had before. With it, paying the same checkout
   * twice has the effect of paying once, even in parallel.
   */
  pay(checkout: {
    accountId: string;
    reference: string;
    earlier: number;
  }): Promise<{ transactionId: string; currency: string; total: number }>;
  simulate(event: TestEvent, subscriptionId: string): Promise<void>;
}

export type TestEvent =
  'renew' | 'past_due' | 'pause' | 'resume' | 'cancel' | 'cancel_at_period_end' | 'refund';
