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
    | {
        kind: 'subscription';
        subscriptionId: string;
        customerId: string;
        /** The checkout's reference, as it came; empty where there is none. */
        reference: string;
        priceId: string;
        status: 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';
        periodStartsAt: number | null;
        periodEndsAt: number | null;
        /** The end that is already decided on. */
        cancelsAt: number | null;
      }
    /** Money of a subscription was given back in full, or (`refunded` false) taken back again. */
    | { kind: 'refund'; subscriptionId: string; refunded: boolean }
    | { kind: 'other' };
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
  /** Address of the customer portal. @throws PaymentsUnavailable */
  portalUrl(customer: { customerId: string; subscriptionIds: string[] }): Promise<string>;
  /** Ends a subscription at once; one that has ended already is fine. @throws PaymentsUnavailable */
  cancel(subscriptionId: string): Promise<void>;
  /** null where the signature is not right for these very bytes. */
  readEvent(rawBody: string, signature: string): Promise<PaymentEvent | null>;
}
