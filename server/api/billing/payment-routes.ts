import { CALLS } from '../../../contract/calls/calls.ts';
import { blockingSubscription } from '../../core/plan.ts';
import type { PaymentProvider, Product } from '../../providers/payments/payment-provider.ts';
import { listSubscriptions, type StoredSubscription } from '../../store/billing/subscriptions.ts';
import type { Api, AppParts } from '../http/api.ts';
import { createCheckoutReferences, receivePaymentEvents, refuseIfUnavailable } from './payment-webhook.ts';
import { type Refusal, refuse } from '../http/problem.ts';
import { refuseUnverified } from '../auth/verified-address.ts';

const NOT_SOLD = refuse('not_found', 'Premium is not sold on this server.');
const NO_TEST_MODE = refuse('not_found', 'The API has no such call.');

/** Registers the calls to buy Premium and to open the billing portal, the provider's webhook, and test mode's calls. */
export function paymentRoutes(api: Api, parts: AppParts): void {
  const { store, payments, secrets, log } = parts;
  const references = createCheckoutReferences(secrets.session);
  const whenAvailable = <T>(work: () => Promise<T>) => refuseIfUnavailable(log, work);

  api.on(CALLS.listProducts, async () => {
    if (payments === null) return NOT_SOLD;
    return whenAvailable(async () => ({ data: (await payments.products()).map(productWire) }));
  });

  api.on(CALLS.openCheckout, async ({ body, session: { account }, now }) => {
    if (payments === null) return NOT_SOLD;
    return whenAvailable(async () => {
      const refusal = await refuseSale(
        payments,
        body.price_id,
        await listSubscriptions(store, account.id),
        now,
      );
      if (refusal) return refusal;
      const { paddleId, email } = account;
      return {
        data: { price_id: body.price_id, customer_id: paddleId, email, reference: references.of(account.id) },
      };
    });
  });

  api.on(CALLS.billing, async ({ session: { account } }) => {
    if (payments === null) return { data: { url: '' } };
    const subscriptions = await listSubscriptions(store, account.id);
    const customers = [subscriptions[0]?.customerId ?? '', account.paddleId].filter((id) => id !== '');
    if (customers.length === 0) return { data: { url: '' } };
    // The portal shows invoices and payment methods, so the address must be verified.
    const unverified = refuseUnverified(account, 'invoices', parts);
    if (unverified) return unverified;
    return whenAvailable(async () => {
      for (const customerId of new Set(customers)) {
        const subscriptionIds = subscriptions
          .filter((each) => each.customerId === customerId && each.status !== 'canceled')
          .map(({ id }) => id);
        const url = await payments.portalUrl({ customerId, email: account.email, subscriptionIds });
        if (url !== null) return { data: { url } };
      }
      return refuse(
        'billing_elsewhere',
        'You paid with a different email address than that of this account. The receipts that you got by mail link to your invoices.',
      );
    });
  });

  receivePaymentEvents(api, parts, references);

  const test = payments?.test ?? null;
  api.on(CALLS.testPay, async ({ body, session: { account }, now }) => {
    if (payments === null || test === null) return NO_TEST_MODE;
    // A test payment is free, so only the account itself may make it. At a real checkout, anybody may pay for the account.
    if (references.read(body.reference) !== account.id)
      return refuse('not_found', 'There is no such checkout.');
    return whenAvailable(async () => {
      const subscriptions = await listSubscriptions(store, account.id);
      const refusal = await refuseSale(payments, body.price_id, subscriptions, now);
      if (refusal) return refusal;
      const { reference } = body;
      const paid = await test.pay({ accountId: account.id, reference, earlier: subscriptions.length });
      return { data: { transaction_id: paid.transactionId, currency: paid.currency, total: paid.total } };
    });
  });

  api.on(CALLS.testSubscription, async ({ session: { account } }) => {
    if (test === null) return NO_TEST_MODE;
    const subscription = await shownSubscription(parts, account.id);
    return { data: subscription && subscriptionWire(subscription) };
  });

  api.on(CALLS.testEvent, async ({ body, session: { account } }) => {
    if (test === null) return NO_TEST_MODE;
    const subscription = await shownSubscription(parts, account.id);
    if (subscription === null || subscription.status === 'canceled')
      return refuse('not_found', 'There is no active subscription.');
    return whenAvailable(async () => {
      await test.simulate(body.event, subscription.id);
      return { data: null };
    });
  });
}

/** Returns the account's running subscription, else its latest one; null if it never had one. */
async function shownSubscription({ store }: AppParts, accountId: string): Promise<StoredSubscription | null> {
  const subscriptions = await listSubscriptions(store, accountId);
  return subscriptions.find(({ status }) => status !== 'canceled') ?? subscriptions[0] ?? null;
}

async function refuseSale(
  payments: PaymentProvider,
  priceId: string,
  subscriptions: StoredSubscription[],
  now: number,
): Promise<Refusal | null> {
  const blocking = blockingSubscription(subscriptions, now);
  if (blocking !== null) return refuse('already_subscribed', SALE_REFUSALS[blocking.status]);
  const isOffered = (await payments.products()).some((product) => product.priceId === priceId);
  return isOffered
    ? null
    : refuse('price_gone', 'This offer has ended. Reload the page for the current one.');
}

const SALE_REFUSALS: Record<StoredSubscription['status'], string> = {
  active: 'You already have Premium.',
  trialing: 'You already have Premium.',
  past_due:
    'Your subscription is active, but its last payment failed. Update your payment details under Billing.',
  paused: 'Your subscription is paused. Resume it under Billing.',
  canceled: 'Your subscription has ended.',
};

function productWire({ productId, priceId, unitPrice, currency }: Product) {
  return { product_id: productId, price_id: priceId, unit_price: unitPrice, currency };
}

function subscriptionWire({ id, status, periodEndsAt, cancelsAt }: StoredSubscription) {
  const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());
  return { id, status, period_ends_at: iso(periodEndsAt), cancels_at: iso(cancelsAt) };
}
