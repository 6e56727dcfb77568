import { accountMessage } from '../channels/messages/index.ts';
import { type ClaimedMail, holdMail, retryMail, settleMail } from '../store/mails.ts';
import { type SenderOptions, type SenderParts, sendOnce } from './send-once.ts';

/** One attempt at a claimed mail that is no alert; what came too late to be of use is dropped. */
export async function mail(
  claimed: ClaimedMail,
  options: SenderOptions & SenderParts,
  stopping: AbortSignal,
): Promise<void> {
  const { store, clock, productName, publicUrl } = options;
  const { id, leaseToken, attempt, content, messageId, firstAttemptAt, createdAt, isProven, timeZone } =
    claimed;
  const lease = { id, leaseToken };
  const isPast = (at: number) => claimed.expiresAt !== null && claimed.expiresAt <= at;
  if (isPast(clock.now())) {
    const detail = 'Its link had ended before it could be sent.';
    await settleMail(store, { ...lease, now: clock.now(), outcome: 'expired', detail });
    return;
  }
  const message = accountMessage({ content, createdAt, productName, publicUrl, timeZone });
  await sendOnce(
    {
      message: { to: claimed.recipient, messageId, ...message },
      ...{ id, attempt, firstAttemptAt, isProven, isPast },
      isLink: content.kind === 'verify_email' || content.kind === 'reset_password',
      settle: (settled) => settleMail(store, { ...lease, ...settled }),
      retry: (nextAttemptAt, detail, now) => retryMail(store, { ...lease, nextAttemptAt, detail, now }),
      hold: (until, detail) => holdMail(store, { ...lease, until, detail }),
    },
    options,
    stopping,
  );
}
