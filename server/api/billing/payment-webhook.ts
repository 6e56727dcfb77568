import { CALLS } from '../../../contract/calls/calls.ts';
import {
  type PaymentEvent,
  type PaymentProvider,
  PaymentsUnavailable,
} from '../../providers/payments/payment-provider.ts';
import { applyPaymentEvent } from '../../store/billing/payment-events.ts';
import { findSubscription } from '../../store/billing/subscriptions.ts';
import type { Api, AppParts } from '../http/api.ts';
import { type Refusal, refuse } from '../http/problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import type { AppOptions } from '../app-options.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { derivedKey } from '../auth/derived-keys.ts';
import type { Hono } from 'hono';
import type { Store } from '../../store/db/open-store.ts';
import type { AppEnv } from '../http/app-env.ts';

/** Registers the call that receives the payment provider's webhooks, the only source of subscriptions. */
export function receivePaymentEvents(api: Api, parts: AppParts, references: CheckoutReferences): void {
  const { store, payments, log } = parts;
  const warnOfSignature = throttle(MINUTE_MS, () =>
    log.warn(
      {},
      'A payment webhook was refused: its signature is wrong, or older than five seconds by the clock of this machine',
    ),
  );

  api.on(CALLS.paymentWebhook, async ({ c, now }) => {
    if (payments === null) return refuse('not_found', 'Premium is not sold on this server.');
    // The signature covers the raw bytes: never verify parsed and re-serialised JSON.
    const rawBody = await c.req.text();
    return refuseIfUnavailable(log, async () => {
      const event = await payments.readEvent(rawBody, c.req.header('paddle-signature') ?? '');
      if (event === null) {
        warnOfSignature(now);
        return refuse('invalid_signature', 'The signature is not valid for this body.');
      }
      await apply(await ignoreOtherProducts(event, payments), payments, now);
      return { data: null };
    });
  });

  /**
   * Returns the event. If it is about a new subscription to another product of the seller, replaces its change with one of the
   * kind 'other': a browser can open a checkout with any of the seller's prices.
   */
  async function ignoreOtherProducts(event: PaymentEvent, provider: PaymentProvider): Promise<PaymentEvent> {
    const { change } = event;
    if (change.kind !== 'subscription') return event;
    if ((await findSubscription(store, change.subscriptionId)) !== null) return event;
    if (await provider.sells(change)) return event;
    log.info({ event: event.id, price: change.priceId }, 'A subscription to something else was ignored');
    return { ...event, change: { kind: 'other' } };
  }

  /**
   * Applies an event. Cancels its subscription if the account was deleted, and any surplus subscriptions of the account. @throws
   * PaymentsUnavailable; the provider then sends the event again
   */
  async function apply(event: PaymentEvent, provider: PaymentProvider, now: number): Promise<void> {
    const { change } = event;
    const referredTo = change.kind === 'subscription' ? references.read(change.reference) : null;
    const { outcome, accountId, surplus } = await applyPaymentEvent(store, event, { referredTo, now });
    if (accountId === null && change.kind === 'subscription' && change.status !== 'canceled') {
      const context = { event: event.id, subscription: change.subscriptionId };
      if (referredTo !== null) {
        // The signature of the reference is valid, so the subscription was bought here. Its account was deleted before this event
        // arrived.
        await provider.cancel(change.subscriptionId);
        log.warn(
          context,
          'A subscription was bought for a deleted account. We cancelled it: refund its payment in Paddle',
        );
      } else if (outcome === 'ignored') log.warn(context, 'An active subscription belongs to no account');
    }
    for (const subscription of surplus) {
      await provider.cancel(subscription);
      log.warn(
        { account: accountId, subscription },
        'An account subscribed more than once. We cancelled this extra subscription: refund its payment in Paddle',
      );
    }
  }
}

/** Throttles `work` to one call per interval: anybody can send wrong signatures, and they must not flood the log. */
function throttle(intervalMs: number, work: () => void): (now: number) => void {
  let nextAt = 0;
  return (now) => {
    if (now < nextAt) return;
    nextAt = now + intervalMs;
    work();
  };
}

/** Returns the result of `work`, or a refusal if it throws PaymentsUnavailable. */
export async function refuseIfUnavailable<T>(
  log: AppOptions['log'],
  work: () => Promise<T>,
): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PaymentsUnavailable)) throw error;
    log.error({ err: error }, 'the payment provider is unavailable');
    return refuse('payments_unavailable', 'The payment service is not responding. Try again in a moment.');
  }
}

export interface CheckoutReferences {
  /** Returns the reference by which the payment provider's webhooks identify the account. */
  of(accountId: string): string;
  /** Returns the account's id; null if the signature is invalid. */
  read(reference: string): string | null;
}

/** Creates references: account ids, signed (HMAC-SHA256) because the browser controls a checkout's custom data. */
export function createCheckoutReferences(secret: string): CheckoutReferences {
  const key = derivedKey(secret, 'checkout-reference');
  const sign = (accountId: string) => createHmac('sha256', key).update(accountId).digest();
  return {
    of: (accountId) => `${accountId}.${sign(accountId).toString('base64url')}`,
    read(reference) {
      const [accountId = '', signature = '', ...rest] = reference.split('.');
      const presented = Buffer.from(signature, 'base64url');
      const expected = sign(accountId);
      const isValid =
        rest.length === 0 && presented.length === expected.length && timingSafeEqual(presented, expected);
      return isValid ? accountId : null;
    },
  };
}

/**
 * Connects the test mode of payments to the app without network requests. `app` is a function, because the app is created
 * later than the payments; it is called for each webhook.
 */
export function connectTestMode(options: { store: Store; sessionSecret: string; app: () => Hono<AppEnv> }) {
  const { store, sessionSecret, app } = options;
  return {
    secret: derivedKey(sessionSecret, 'test-payments').toString('hex'),
    subscriptionOf: (id: string) => findSubscription(store, id),
    async deliver({ body, signature }: { body: string; signature: string }): Promise<number> {
      const headers = { 'content-type': 'application/json', 'paddle-signature': signature };
      const answer = await app().request('/api/payment/webhook', { method: 'POST', headers, body });
      return answer.status;
    },
  };
}
