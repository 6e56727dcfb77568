import { accountMessage } from '../channels/messages/account-message.ts';
import {
  isSuppressible,
  LINK_MAIL_KINDS,
  OPERATOR_MAIL_KINDS,
  type UnsubscribePair,
} from '../core/account-mail.ts';
import { ACCOUNT_MAIL } from '../core/alerting/settings.ts';
import { type ClaimedMail, deferMail, retryMail, settleMail } from '../store/mail/mails.ts';
import { isSuppressed } from '../store/mail/suppressions.ts';
import { unsubscribeTokens } from '../store/mail/unsubscriptions.ts';
import { CLOCK_WAIT_MS, type OwnNetwork } from './own-network.ts';
import {
  type AttemptOutcome,
  makeSendAttempt,
  type SenderOptions,
  type SenderParts,
} from './send-attempt.ts';

export interface MailerOptions extends SenderOptions, SenderParts {
  /** Keys of the unsubscribe tokens. */
  unsubscribeKeys: UnsubscribePair<Buffer>;
  ownNetwork: OwnNetwork;
}

/**
 * Sends a claimed mail that is not an alert, or settles or defers it without sending: for example if it expired or the clock is
 * wrong.
 */
export async function sendMail(
  claimed: ClaimedMail,
  options: MailerOptions,
  stopping: AbortSignal,
): Promise<AttemptOutcome> {
  const { store, clock, productName, publicUrl } = options;
  const { id, leaseToken, attempt, content, messageId, firstAttemptAt, createdAt, isProven, timeZone } =
    claimed;
  const lease = { leaseToken, rows: { ids: [id], firstAttemptAt } };
  const isPast = (at: number) => claimed.expiresAt !== null && claimed.expiresAt <= at;
  const isLink = LINK_MAIL_KINDS.includes(content.kind);
  // Send links even if the clock is wrong, because a person waits for them. Send mails to the operator too: they may be about the
  // clock.
  const ignoresClock = OPERATOR_MAIL_KINDS.includes(content.kind) || (isLink && !isPast(clock.now()));
  if (!ignoresClock && !(await options.ownNetwork.clockIsRight())) {
    const until = clock.now() + CLOCK_WAIT_MS;
    await deferMail(store, { ...lease, until, detail: 'Waiting: the server’s clock is wrong.' });
    return 'held';
  }
  if (isPast(clock.now())) {
    const detail = 'The mail expired before it could be sent.';
    await settleMail(store, { ...lease, now: clock.now(), outcome: 'expired', detail });
    return 'superseded';
  }
  if (isSuppressible(content.kind) && (await isSuppressed(store.db, claimed.recipient))) {
    const detail = `Not sent: ${claimed.recipient} refused mail before.`;
    await settleMail(store, { ...lease, now: clock.now(), outcome: 'failed', detail });
    return 'failed';
  }
  const message = accountMessage({
    content,
    createdAt,
    productName,
    publicUrl,
    timeZone,
    ...(content.kind === 'digest' && { unsubscribeTokens: digestTokens(claimed, options) }),
  });
  return makeSendAttempt(
    {
      message: { to: claimed.recipient, messageId, ...message },
      id,
      attempt,
      firstAttemptAt,
      isProven,
      isPast,
      isLink,
      settle: (settled) => settleMail(store, { ...lease, ...settled }),
      retry: (nextAttemptAt, detail, now) => retryMail(store, { ...lease, nextAttemptAt, detail, now }),
      hold: (until, detail) => deferMail(store, { ...lease, until, detail }),
    },
    options,
    stopping,
  );
}

function digestTokens(
  { accountId }: ClaimedMail,
  { unsubscribeKeys }: MailerOptions,
): UnsubscribePair<string> {
  const subject = { accountId: accountId ?? '', channelKey: ACCOUNT_MAIL, monitorId: null };
  return unsubscribeTokens(unsubscribeKeys, subject);
}
