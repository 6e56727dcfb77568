import type { EmailChannel, EmailMessage } from '../channels/email/email-channel.ts';
import { nextAttemptAt } from '../core/retry.ts';
import { consumeMailQuota, HELD_BY_QUOTA, refundMailQuota } from '../store/mail/mail-quota.ts';
import type { Store } from '../store/db/open-store.ts';
import { withSpan } from '../telemetry/trace-context.ts';
import type { Clock, Log } from './clock.ts';
import type { Alarms } from './operator-alarm.ts';

export interface SenderOptions {
  store: Store;
  email: EmailChannel;
  clock: Clock;
  /** Returns a random number in [0, 1) that spreads the retries. */
  random: () => number;
  publicUrl: URL;
  productName: string;
  log: Log;
}

export interface SenderParts {
  alarms: Alarms;
  /** Called once if the mail server delays its replies. */
  onSlow: () => void;
}

/**
 * The result of one attempt; used as a metric label. `superseded`: dropped without sending, for example because it is outdated.
 * `held`: postponed, and the attempt is not counted.
 */
export type AttemptOutcome = 'delivered' | 'retried' | 'failed' | 'superseded' | 'held';

/** A claimed row of an outbox, ready to send, and the calls that record the result. */
export interface OutgoingRow {
  id: string;
  message: EmailMessage;
  /** Number of the attempt, from 1. */
  attempt: number;
  firstAttemptAt: number;
  /** Whether the recipient is a verified address or the operator. Unverified addresses have a daily mail quota. */
  isProven: boolean;
  /** Whether the mail contains a secret link that verifies an address, confirms a recipient or sets a new password. */
  isLink: boolean;
  /** Returns whether the mail is outdated at a time (ms UTC). */
  isPast(at: number): boolean;
  settle(settled: {
    outcome: 'delivered' | 'failed';
    detail: string;
    /** Set if the server refused the address. */
    because?: { refusedAddress: string };
    now: number;
  }): Promise<unknown>;
  retry(nextAttemptAt: number, detail: string, now: number): Promise<unknown>;
  hold(until: number, detail: string): Promise<unknown>;
}

/** The alarm that a failed attempt raises, by its cause. A delivered mail clears all of them. */
const ALARMS = {
  operator: 'smtp_refuses_us',
  unencrypted: 'smtp_unencrypted',
  no_reply: 'smtp_no_reply',
} as const;

/**
 * Makes one attempt to send a mail. Settles the row after sending; after a crash in between, the mail is sent again with the same
 * Message-ID. Mail above the quota of an unverified address is held, and the attempt is not counted.
 */
export async function makeSendAttempt(
  { message, isProven, isLink, ...outgoing }: OutgoingRow,
  { store, email, clock, random, log, alarms, onSlow }: SenderOptions & SenderParts,
  stopping: AbortSignal,
): Promise<AttemptOutcome> {
  if (!isProven) {
    const allowance = await consumeMailQuota(store, { address: message.to, isLink, now: clock.now() });
    if (!allowance.granted) {
      await outgoing.hold(allowance.until, HELD_BY_QUOTA);
      return 'held';
    }
  }
  const sent = await withSpan('send', {}, () => email.deliver(message, stopping, onSlow));
  const cause = sent.outcome === 'delivered' ? undefined : sent.cause;
  const mayHaveArrived = cause === 'no_reply';
  if (sent.outcome !== 'delivered' && !mayHaveArrived && !isProven) await refundMailQuota(store, message.to);

  const now = clock.now();
  const { detail } = sent;
  // If this process is stopping, we end the connection ourselves: then a missing reply is not the mail server's fault.
  if ((cause === 'operator' || cause === 'unencrypted' || mayHaveArrived) && !stopping.aborted)
    await alarms.raise(ALARMS[cause], detail);
  const { attempt, firstAttemptAt } = outgoing;
  const next = nextAttemptAt('mail', { attempt, firstAttemptAt, now, jitter: random(), mayHaveArrived });
  if (sent.outcome === 'retry' && next !== null && !outgoing.isPast(next)) {
    await outgoing.retry(next, detail, now);
    return 'retried';
  }
  const outcome = sent.outcome === 'delivered' ? 'delivered' : 'failed';
  if (outcome === 'failed') log.warn({ id: outgoing.id, detail }, 'a mail was not accepted');
  const isRefused = sent.outcome === 'failed' && sent.cause === 'refused_address';
  await outgoing.settle({
    outcome,
    detail,
    now,
    ...(isRefused && { because: { refusedAddress: message.to } }),
  });
  if (outcome === 'delivered')
    for (const code of Object.values(ALARMS)) if (alarms.mayBeRaised(code)) await alarms.clear(code);
  return outcome;
}
