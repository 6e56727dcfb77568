import { CALLS } from '../../../contract/calls.ts';
import type { PaymentEvent, PaymentProvider } from '../../providers/payments/index.ts';
import { applyPaymentEvent } from '../../store/billing/payment-events.ts';
import { subscriptionById } from '../../store/billing/subscriptions.ts';
import type { Api, AppParts } from '../http/api.ts';
import type { CheckoutReferences } from './checkout-reference.ts';
import { refuseWithoutProvider } from './payments-unavailable.ts';
import { refuse } from '../http/problem.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

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
