import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../contract/durations.ts';

/** `mail`: for SMTP servers; `http`: for webhook receivers, as Standard Webhooks recommends. */
export type RetrySchedule = 'mail' | 'http';

const MAIL_FIRST_DELAY_MS = 15 * SECOND_MS;
const MAIL_LONGEST_DELAY_MS = HOUR_MS;
const MAIL_GIVE_UP_AFTER_MS = 96 * HOUR_MS;

/** https://github.com/standard-webhooks/standard-webhooks, "Deliverability and reliability": about 75 hours in all. */
const HTTP_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** When each retry is due after the first attempt. */
const HTTP_RETRIES_AT_MS = HTTP_DELAYS_MS.map((_, index) =>
  HTTP_DELAYS_MS.slice(0, index + 1).reduce((sum, delay) => sum + delay, 0),
);
/** A retry counts as made from this share of its time on; jitter makes it at most a tenth earlier. */
const EARLIEST_SHARE = 0.85;
/** The longest Retry-After that is honoured: a longer one must not hold up what people have to know. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

export interface FailedAttempt {
  /** From 1. */
  attempt: number;
  /** ms UTC, as `now`. */
  firstAttemptAt: number;
  now: number;
  /** In [0, 1); spreads retries. */
  jitter: number;
  /** The pause that the receiver asked for; at most an hour counts. */
  afterMs?: number;
}

/** Returns when to retry a failed delivery, ms UTC; null if there is no further attempt. */
export function nextAttemptAt(schedule: RetrySchedule, failed: FailedAttempt): number | null {
  const { attempt, firstAttemptAt, now, jitter, afterMs = 0 } = failed;
  const delay = schedule === 'mail' ? mailDelay(attempt, jitter) : httpDelay(failed);
  if (delay === null) return null;
  const next = Math.floor(now + Math.max(delay, Math.min(afterMs, MAX_RETRY_AFTER_MS)));
  return schedule === 'mail' && next > firstAttemptAt + MAIL_GIVE_UP_AFTER_MS ? null : next;
}

/** Delays double from 15 s to an hour, with a jitter of 50 to 100 %, until four days after the first attempt. */
function mailDelay(attempt: number, jitter: number): number {
  const delay = Math.min(MAIL_LONGEST_DELAY_MS, MAIL_FIRST_DELAY_MS * 2 ** Math.max(0, attempt - 1));
  return delay * (0.5 + 0.5 * jitter);
}

/**
 * Nine retries, each up to a tenth earlier or later. Attempts cut off by a crash of ours are counted too, so the
 * elapsed time decides how many were retries.
 */
function httpDelay({ attempt, firstAttemptAt, now, jitter }: FailedAttempt): number | null {
  const passed = HTTP_RETRIES_AT_MS.filter((due) => now - firstAttemptAt >= due * EARLIEST_SHARE).length;
  const delay = HTTP_DELAYS_MS[Math.max(0, Math.min(attempt - 1, passed))];
  return delay === undefined ? null : delay * (0.9 + 0.2 * jitter);
}

const CHANNEL_LOST_AFTER_MS = 5 * DAY_MS;

/**
 * Returns whether a channel on which a delivery just failed for good is to be switched off: it had no success for five days. A retry
 * proves nothing, as the last message may be long ago. `failingSince` is the first failure since the last success (ms UTC).
 */
export function isChannelLost(failingSince: number, now: number): boolean {
  return now - failingSince >= CHANNEL_LOST_AFTER_MS;
}
