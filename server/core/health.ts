import { DAY_MS, MINUTE_MS } from '../../contract/durations.ts';
import { MAIL_MAX_DELAY_MS } from './retry.ts';

/** Checks and alerts count as late above this delay. It is far longer than a busy worker or a restart takes. */
export const OVERDUE_MS = 10 * MINUTE_MS;

/** Returns whether work that has been due since `at` (ms UTC) is late; false for null, which means that none is due. */
export function isOverdue(at: number | null, now: number): boolean {
  return at !== null && now - at > OVERDUE_MS;
}

/**
 * When an alarm is mailed to the operator: at the age of `minAgeMs`, so that short problems cause no mail, and again after
 * `repeatMs`. A mail that could not be sent for `expiresAfterMs` is dropped.
 */
export const ALARM_MAIL = { minAgeMs: 5 * MINUTE_MS, repeatMs: DAY_MS, expiresAfterMs: DAY_MS } as const;

/**
 * A mail counts as evidence of an outage of the mail server after this many failed attempts over at least `lastsMs`, which is longer than servers
 * defer mail from unknown senders (greylisting).
 */
export const MAIL_FAILURE = { attempts: 4, lastsMs: 15 * MINUTE_MS } as const;
/** Longer than any delay between two attempts, so every waiting mail has been tried at least once in this time. */
const MAX_RETRY_DELAY_MS = MAIL_MAX_DELAY_MS + 10 * MINUTE_MS;

/** A recipient whose mail fails as `MAIL_FAILURE` says. */
export interface FailingRecipient {
  address: string;
  /** Time of the first failed attempt, ms UTC. */
  since: number;
  /** Whether the error is an SMTP reply about one mail. Other errors (no connection, refused login) are about the server. */
  isReply: boolean;
}

/**
 * Returns since when (ms UTC) the mail server has been down; null if it works. Counts errors of the server, and replies about mails
 * to two or more domains. `deliveredAt`: when the server last accepted a mail (ms UTC); 0 if it never did.
 */
export function mailOutageSince(
  failing: readonly FailingRecipient[],
  { deliveredAt, now }: { deliveredAt: number; now: number },
): number | null {
  const stillFailing = failing.filter(
    ({ since, isReply }) =>
      // A delivery shows that the server works, so older errors do not count. Errors of the server count again if nothing was delivered in the
      // time in which every waiting mail is retried.
      since > deliveredAt || (!isReply && deliveredAt < now - MAX_RETRY_DELAY_MS),
  );
  // Replies from one domain prove nothing: a mailbox may be full, or its server may defer mail for days.
  const domains = new Set(stillFailing.map(({ address }) => address.slice(address.lastIndexOf('@') + 1)));
  if (stillFailing.every(({ isReply }) => isReply) && domains.size < 2) return null;
  return Math.max(deliveredAt, Math.min(...stillFailing.map(({ since }) => since)));
}
