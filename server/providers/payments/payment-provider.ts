/** What is sold, per month. `unitPrice` is in minor units of `currency` (ISO 4217). */
export interface Product {
  productId: string;
  priceId: string;
  unitPrice: number;
  currency: string;
}

/** News of the payment provider, read from a webhook whose signature was right. Instants are ms UTC. */
export interface PaymentEvent {
  /** The provider's id; the same at every repetition. */
  id: string;
  type: string;
  occurredAt: number;
  change:
    | SubscriptionChange
    /** Money of a subscription was given back in full, or (`refunded` false) taken back again. */
    | {
        kind: 'refund';
        subscriptionId: string;
        refunded: boolean;
        /** Of the period that the money was for; null where that is not known. */
        periodEndsAt: number | null;
      }
    | { kind: 'other' };
}

export interface SubscriptionChange {
  kind: 'subscription';
  subscriptionId: string;
  customerId: string;
  /** The checkout's reference, as it came; empty where there is none. */
  reference: string;
  /** Of the item that is on offer here, else of the first one. */
  priceId: string;
  productId: string;
  status: 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';
  periodStartsAt: number | null;
  periodEndsAt: number | null;
  /** The end that is already decided on. */
  cancelsAt: number | null;
}

/** The provider did not answer, or refused us; nothing is known to have happened. */
export class PaymentsUnavailable extends Error {
  override name = 'PaymentsUnavailable';
}

/** Every call ends within 15 s. */
export interface PaymentProvider {
  mode: 'paddle' | 'test';
  /** @throws PaymentsUnavailable */
  products(): Promise<Product[]>;
  /**
   * Whether a subscription is for what is sold here, at today's price or an earlier one: whoever opens a checkout in a
   * browser may choose any price of the seller's. @throws PaymentsUnavailable
   */
  sells(subscription: { priceId: string; productId: string }): Promise<boolean>;
  /**
   * Address of the customer portal; null where the customer has another address than `email`, whose invoices they are
   * then. @throws PaymentsUnavailable
   */
  portalUrl(customer: {
    customerId: string;
    email: string;
    subscriptionIds: string[];
  }): Promise<string | null>;
  /** Ends a subscription at once; one that has ended already is fine. @throws PaymentsUnavailable */
  cancel(subscriptionId: string): Promise<void>;
  /** null where the signature is not right for these very bytes. @throws PaymentsUnavailable */
  readEvent(rawBody: string, signature: string): Promise<PaymentEvent | null>;
  /** What only test mode does; null elsewhere. */
  test: TestPayments | null;
}

/** Plays the people at the other end: the customer, their bank and the seller. All of it ends in signed webhooks. */
export interface TestPayments {
  /**
   * Completes a checkout. `earlier` is how many subscriptions the account has had: the same checkout paid twice, even at
   * the same moment, is one purchase.
   */
  pay(checkout: {
    accountId: string;
    reference: string;
    earlier: number;
  }): Promise<{ transactionId: string; currency: string; total: number }>;
  happen(event: TestEvent, subscriptionId: string): Promise<void>;
}

export type TestEvent =
  'renew' | 'past_due' | 'pause' | 'resume' | 'cancel' | 'cancel_at_period_end' | 'refund';
