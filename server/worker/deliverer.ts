import type { EmailChannel } from '../channels/email/index.ts';
import { expiryMessage } from '../channels/messages/index.ts';
import { nextAttemptAt } from '../core/index.ts';
import { type ClaimedDelivery, retryDelivery, settleDelivery } from '../store/deliveries.ts';
import type { Store } from '../store/open-store.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

export interface DelivererOptions {
  store: Store;
  email: EmailChannel;
  clock: Clock;
  /** In [0, 1); spreads the retries. */
  random: () => number;
  publicUrl: URL;
  productName: string;
  log: Log;
}

/**
 * One attempt at a claimed delivery. The row is settled after the channel took the message: a crash in between sends it
 * once more under the same Message-ID. The text is rendered anew each time, for "in 2 days" is not true for long.
 */
export async function deliver(
  delivery: ClaimedDelivery,
  { store, email, clock, random, publicUrl, productName, log }: DelivererOptions,
  stopping: AbortSignal,
): Promise<void> {
  const lease = { id: delivery.id, leaseToken: delivery.leaseToken };
  if (delivery.superseded) {
    const detail = 'A newer certificate or a later alert took its place.';
    await settleDelivery(store, { ...lease, now: clock.now(), outcome: 'superseded', detail });
    return;
  }
  const { subject, html, text } = expiryMessage({
    alert: delivery.alert,
    alertedAt: delivery.createdAt,
    monitor: delivery.monitor,
    certificate: delivery.certificate,
    now: clock.now(),
    productName,
    publicUrl,
    timeZone: 'UTC',
  });
  const { email: to } = delivery.account;
  const sent = await email.deliver({ to, subject, html, text, messageId: delivery.messageId }, stopping);

  const now = clock.now();
  const next = nextAttemptAt(delivery.attempt, delivery.createdAt, now, random());
  if (sent.outcome === 'retry' && next !== null) {
    await retryDelivery(store, { ...lease, nextAttemptAt: next, now, detail: sent.detail });
    return;
  }
  const outcome = sent.outcome === 'delivered' ? 'delivered' : 'failed';
  if (outcome === 'failed')
    log.warn({ delivery: delivery.id, detail: sent.detail }, 'an alert was not taken');
  await settleDelivery(store, { ...lease, now, outcome, detail: sent.detail });
}
