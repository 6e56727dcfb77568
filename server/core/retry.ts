import { MINUTE_MS, HOUR_MS } from '../../contract/durations.ts';

const SECOND_MS = 1_000;

/** `mail`: to SMTP servers; `http`: to whatever listens for webhooks, as Standard Webhooks recommends. */
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
/** When each of these tries is due after the first one. */
const HTTP_TRIES_MS = HTTP_DELAYS_MS.map((_, index) =>
  HTTP_DELAYS_MS.slice(0, index + 1).reduce((sum, delay) => sum + delay, 0),
);
/** A try counts as made from here on: what jitter brings forward is a tenth. */
const EARLIEST = 0.85;
/** What a receiver may ask for; who asks for more does not hold up what people have to know. */
const LONGEST_WISH_MS = HOUR_MS;

export interface FailedAttempt {
  /** From 1. */
  attempt: number;
  /** ms UTC, as `now`. */
  firstAttemptAt: number;
  now: number;
  /** In [0, 1); spreads the attempts of many. */
  jitter: number;
  /** How long the receiver asked to be left alone; an hour at most counts. */
  afterMs?: number;
}

/** When to try a delivery again that failed for now. Null once there is no other try. */
export function nextAttemptAt(schedule: RetrySchedule, failed: FailedAttempt): number | null {
  const { attempt, firstAttemptAt, now, jitter, afterMs = 0 } = failed;
  const delay = schedule === 'mail' ? mailDelay(attempt, jitter) : httpDelay(failed);
  if (delay === null) return null;
  const next = Math.floor(now + Math.max(delay, Math.min(afterMs, LONGEST_WISH_MS)));
  return schedule === 'mail' && next > firstAttemptAt + MAIL_GIVE_UP_AFTER_MS ? null : next;
}

/** Delays double from 15 s up to an hour, each between a half and the whole of that; for four days since the first try. */
function mailDelay(attempt: number, jitter: number): number {
  const delay = Math.min(MAIL_LONGEST_DELAY_MS, MAIL_FIRST_DELAY_MS * 2 ** Math.max(0, attempt - 1));
  return delay * (0.5 + 0.5 * jitter);
}

/**
 * Nine more tries, each a tenth earlier or later than its time. Attempts that a crash of ours cut off are counted too, so the
 * time that has passed says how many of them were tries.
 */
function httpDelay({ attempt, firstAttemptAt, now, jitter }: FailedAttempt): number | null {
  const passed = HTTP_TRIES_MS.filter((due) => now - firstAttemptAt >= due * EARLIEST).length;
  const delay = HTTP_DELAYS_MS[Math.max(0, Math.min(attempt - 1, passed))];
  return delay === undefined ? null : delay * (0.9 + 0.2 * jitter);
}
