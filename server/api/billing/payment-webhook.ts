import { CALLS } from '../../../contract/calls/calls.ts';
import {
  type PaymentEvent,
  type PaymentProvider,
  PaymentsUnavailable,
} from '../../providers/payments/index.ts';
import { applyPaymentEvent } from '../../store/billing/payment-events.ts';
import { subscriptionById } from '../../store/billing/subscriptions.ts';
import type { Api, AppParts } from '../http/api.ts';
import { type Refusal, refuse } from '../http/problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import type { AppOptions } from '../app-options.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { derivedKey } from '../auth/derived-keys.ts';
import type { Hono } from 'hono';
import type { Store } from '../../store/db/open-store.ts';
import type { AppEnv } from '../http/app-env.ts';

/** Takes the payment provider's webhooks: nothing else writes subscriptions. */
export function receivePaymentEvents(api: Api, parts: AppParts, references: CheckoutReferences): void {
  const { store, payments, log } = parts;
  const complain = atMostOnceIn(MINUTE_MS, () =>
    log.warn(
      {},
      'A payment webhook was refused: its signature is wrong, or older than five seconds by the clock of this machine',
    ),
  );

  api.on(CALLS.paymentWebhook, async ({ c, now }) => {
    if (payments === null) return refuse('not_found', 'Nothing is sold here.');
    // The very bytes that were signed, never JSON that was read and written again.
    const rawBody = await c.req.text();
    return refuseWithoutProvider(log, async () => {
      const event = await payments.readEvent(rawBody, c.req.header('paddle-signature') ?? '');
      if (event === null) {
        complain(now);
        return refuse('invalid_signature', 'The signature is not valid for this body.');
      }
      await take(await asFarAsItIsOurs(event, payments), payments, now);
      return { data: null };
    });
  });

  /** A seller may sell other things, and a checkout can be opened with any of their prices: those give no Premium. */
  async function asFarAsItIsOurs(event: PaymentEvent, provider: PaymentProvider): Promise<PaymentEvent> {
    const { change } = event;
    if (change.kind !== 'subscription') return event;
    if ((await subscriptionById(store, change.subscriptionId)) !== null) return event;
    if (await provider.sells(change)) return event;
    log.info({ event: event.id, price: change.priceId }, 'A subscription to something else was ignored');
    return { ...event, change: { kind: 'other' } };
  }

  /** @throws PaymentsUnavailable: then the provider sends the event again. */
  async function take(event: PaymentEvent, provider: PaymentProvider, now: number): Promise<void> {
    const { change } = event;
    const referredTo = change.kind === 'subscription' ? references.read(change.reference) : null;
    const { outcome, accountId, surplus } = await applyPaymentEvent(store, event, { referredTo, now });
    if (accountId === null && change.kind === 'subscription' && change.status !== 'canceled') {
      const context = { event: event.id, subscription: change.subscriptionId };
      if (referredTo !== null) {
        // We wrote the reference, so it was bought here, for an account that was deleted before the news came.
        await provider.cancel(change.subscriptionId);
        log.warn(
          context,
          'A subscription was bought for an account that is deleted: it was cancelled, its payment should be given back',
        );
      } else if (outcome === 'ignored') log.warn(context, 'A subscription that runs belongs to no account');
    }
    for (const subscription of surplus) {
      await provider.cancel(subscription);
      log.warn(
        { account: accountId, subscription },
        'An account subscribed twice: the second subscription was cancelled, its payment should be given back',
      );
    }
  }
}

/** Whoever knows the address can send wrong signatures: they must not fill the log. */
function atMostOnceIn(intervalMs: number, work: () => void): (now: number) => void {
  let nextAt = 0;
  return (now) => {
    if (now < nextAt) return;
    nextAt = now + intervalMs;
    work();
  };
}

/** Answers what `work` answers, or that the payment provider cannot be had. */
export async function refuseWithoutProvider<T>(
  log: AppOptions['log'],
  work: () => Promise<T>,
): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PaymentsUnavailable)) throw error;
    log.error({ err: error }, 'The payment provider cannot be had');
    return refuse('payments_unavailable', 'The payment service does not answer. Try again in a moment.');
  }
}

export interface CheckoutReferences {
  /** Says in the payment provider's webhooks whose checkout it was. */
  of(accountId: string): string;
  /** The account's id; null where we never wrote the reference. */
  read(reference: string): string | null;
}

/** Account ids with our signature: the custom data of a checkout is whatever the browser says. */
export function createCheckoutReferences(secret: string): CheckoutReferences {
  const key = derivedKey(secret, 'checkout-reference');
  const sign = (accountId: string) => createHmac('sha256', key).update(accountId).digest();
  return {
    of: (accountId) => `${accountId}.${sign(accountId).toString('base64url')}`,
    read(reference) {
      const [accountId = '', signature = '', ...rest] = reference.split('.');
      const shown = Buffer.from(signature, 'base64url');
      const own = sign(accountId);
      const isOurs = rest.length === 0 && shown.length === own.length && timingSafeEqual(shown, own);
      return isOurs ? accountId : null;
    },
  };
}

/** What test mode of payments has in the place of a network; `app` is asked for when there is something to deliver. */
export function linkTestMode(options: { store: Store; sessionSecret: string; app: () => Hono<AppEnv> }) {
  const { store, sessionSecret, app } = options;
  return {
    secret: derivedKey(sessionSecret, 'test-payments').toString('hex'),
    subscriptionOf: (id: string) => subscriptionById(store, id),
    async deliver({ body, signature }: { body: string; signature: string }): Promise<number> {
      const headers = { 'content-type': 'application/json', 'paddle-signature': signature };
      const answer = await app().request('/api/payment/webhook', { method: 'POST', headers, body });
      return answer.status;
    },
  };
}
