import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../contract/durations.ts';

/** Kind of retry schedule: `mail` for SMTP servers; `http` for webhooks and chats, as Standard Webhooks recommends. */
export type RetrySchedule = 'mail' | 'http';

const MAIL_FIRST_DELAY_MS = 15 * SECOND_MS;
export const MAIL_MAX_DELAY_MS = HOUR_MS;
const MAIL_GIVE_UP_AFTER_MS = 96 * HOUR_MS;

/**
 * Delays between attempts, about 75 hours in all: https://github.com/standard-webhooks/standard-webhooks, "Deliverability and
 * reliability".
 */
const HTTP_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** Time from the first attempt to each retry. */
const HTTP_RETRIES_AT_MS = HTTP_DELAYS_MS.map((_, index) =>
  HTTP_DELAYS_MS.slice(0, index + 1).reduce((sum, delay) => sum + delay, 0),
);
/** Share of a retry's due time from which the retry counts as made. It allows for jitter, which makes retries up to a tenth earlier. */
const EARLIEST_SHARE = 0.85;
/** Shortest and longest pause after an attempt that may have delivered the mail. */
const MAIL_REPEAT_DELAY_MS = { min: 10 * MINUTE_MS, max: 6 * HOUR_MS };
/** The longest Retry-After that is honoured: a receiver must not delay an alert for longer. */
const MAX_RETRY_AFTER_MS = HOUR_MS;

export interface FailedAttempt {
  /** Number of the failed attempt, from 1. */
  attempt: number;
  /** Time of the first attempt, ms UTC. */
  firstAttemptAt: number;
  /** Time of the failure, ms UTC. */
  now: number;
  /** Random number in [0, 1) that spreads retries. */
  jitter: number;
  /** The pause in ms that the receiver requested. Capped at an hour. */
  afterMs?: number;
  /**
   * Whether the mail server may have accepted the mail, because it received all of it but its reply did not arrive. The pause is then
   * at least as long as the time since the first attempt, within `MAIL_REPEAT_DELAY_MS`, so that at most 22 copies arrive.
   */
  mayHaveArrived?: boolean;
}

/** Returns when to retry a failed delivery, ms UTC; null if there is no further attempt. */
export function nextAttemptAt(schedule: RetrySchedule, failed: FailedAttempt): number | null {
  const { attempt, firstAttemptAt, now, jitter, afterMs = 0, mayHaveArrived = false } = failed;
  const { min, max } = MAIL_REPEAT_DELAY_MS;
  const repeatDelay = mayHaveArrived ? Math.min(max, Math.max(min, now - firstAttemptAt)) : 0;
  const delay = schedule === 'mail' ? mailDelay(attempt, jitter) : httpDelay(failed);
  if (delay === null) return null;
  const next = Math.floor(now + Math.max(delay, repeatDelay, Math.min(afterMs, MAX_RETRY_AFTER_MS)));
  return schedule === 'mail' && next > firstAttemptAt + MAIL_GIVE_UP_AFTER_MS ? null : next;
}

/**
 * Returns the delay before the next mail attempt in ms. Delays double from 15 s to an hour, with a jitter of 50 to 100 %.
 * `nextAttemptAt` stops four days after the first attempt.
 */
function mailDelay(attempt: number, jitter: number): number {
  const delay = Math.min(MAIL_MAX_DELAY_MS, MAIL_FIRST_DELAY_MS * 2 ** Math.max(0, attempt - 1));
  return delay * (0.5 + 0.5 * jitter);
}

/**
 * Returns the delay before the next of nine retries in ms, up to a tenth shorter or longer; null after the last. `attempt` also counts attempts
 * that a crash of our process cut off. So that these use up no retries, counts at most as many as are due by now.
 */
function httpDelay({ attempt, firstAttemptAt, now, jitter }: FailedAttempt): number | null {
  const passed = HTTP_RETRIES_AT_MS.filter((due) => now - firstAttemptAt >= due * EARLIEST_SHARE).length;
  const delay = HTTP_DELAYS_MS[Math.max(0, Math.min(attempt - 1, passed))];
  return delay === undefined ? null : delay * (0.9 + 0.2 * jitter);
}

/**
 * Longer than both retry schedules (75 h, 96 h): a retried delivery fails for good only when its schedule ends, so a
 * shorter time would make no difference to it.
 */
const CHANNEL_LOST_AFTER_MS = 5 * DAY_MS;

/** Why a channel was lost: its receiver is gone, its address refused mail, or it accepted nothing for five days. */
export type ChannelLossReason = 'gone' | 'refused' | 'failing';

/**
 * Returns why a channel was lost with a failed attempt; null if it was not. `failingSince`: the first failure after the last
 * success (ms UTC). The last success itself is no measure, because a rarely used channel may have had it long ago. `disabledBy` is
 * null if the address refused mail: the channel stays on, because the suppression already stops the mail of all accounts to it.
 */
export function channelLoss(
  failed: { ended: 'gone' | 'refused' | null; isFinal: boolean; failingSince: number },
  now: number,
): { reason: ChannelLossReason; disabledBy: Exclude<ChannelLossReason, 'refused'> | null } | null {
  const { ended, isFinal, failingSince } = failed;
  if (ended === 'refused') return { reason: ended, disabledBy: null };
  const isFailing = isFinal && now - failingSince >= CHANNEL_LOST_AFTER_MS;
  const reason = ended ?? (isFailing ? 'failing' : null);
  return reason && { reason, disabledBy: reason };
}
