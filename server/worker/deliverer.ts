import { alertMessage } from '../channels/messages/index.ts';
import { type ClaimedDelivery, holdDelivery, retryDelivery, settleDelivery } from '../store/deliveries.ts';
import { type SenderOptions, sendOnce } from './send-once.ts';

/** One attempt at a claimed delivery. The text is rendered anew each time, for "in 2 days" is not true for long. */
export async function deliver(
  delivery: ClaimedDelivery,
  options: SenderOptions,
  stopping: AbortSignal,
): Promise<void> {
  const { store, clock, productName, publicUrl } = options;
  const lease = { id: delivery.id, leaseToken: delivery.leaseToken };
  if (delivery.superseded) {
    const detail = 'A newer certificate or a later alert took its place.';
    await settleDelivery(store, { ...lease, now: clock.now(), outcome: 'superseded', detail });
    return;
  }
  const { subject, html, text } = alertMessage({
    alert: delivery.alert,
    alertedAt: delivery.createdAt,
    monitor: delivery.monitor,
    certificate: delivery.certificate,
    revoked: delivery.revoked,
    now: clock.now(),
    productName,
    publicUrl,
    timeZone: delivery.account.timeZone,
  });
  const { account, messageId, id, attempt, firstAttemptAt } = delivery;
  await sendOnce(
    {
      message: { to: account.email, subject, html, text, messageId },
      ...{ id, attempt, firstAttemptAt },
      isProven: account.emailVerified,
      isLink: false,
      isPast: () => false,
      settle: (outcome, detail, now) => settleDelivery(store, { ...lease, outcome, detail, now }),
      retry: (nextAttemptAt, detail, now) => retryDelivery(store, { ...lease, nextAttemptAt, detail, now }),
      hold: (until, detail) => holdDelivery(store, { ...lease, until, detail }),
    },
    options,
    stopping,
  );
}
