import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';
import { daysText } from '../../contract/state/schedule.ts';
import { count } from '../../contract/words.ts';

const formatIn = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long', year: 'numeric' });

/** Created once: every check writes instants, and creating a format took a fifth of the whole check (measured). */
const inUtc = formatIn('UTC');

/** Returns a date as "22 November 2026" in the given zone (IANA name). Throws a RangeError if the zone is unknown. */
export function longDate(at: number, timeZone: string): string {
  return formatIn(timeZone).format(at);
}

/**
 * Returns an instant as "23 November 2026, 17:41 UTC". Sentences that pages and mails show have this form, never a date alone, so that
 * `replaceInstants` can put them in the reader's time zone.
 */
export function longInstant(at: number): string {
  return `${inUtc.format(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`;
}

/** Time added before rounding down: a message is sent a little after its step and should still say "in 14 days". */
const ROUNDING_MS = 5 * MINUTE_MS;

/**
 * Returns a duration as "3 days", from two years as "9 years", below two days as "47 hours", in the last hour as "25 minutes".
 * All are rounded down. `ms` must be positive.
 */
export function duration(ms: number): string {
  const rounded = ms + ROUNDING_MS;
  if (rounded >= 2 * DAY_MS) return daysText(Math.floor(rounded / DAY_MS));
  if (ms >= HOUR_MS - ROUNDING_MS) return count(Math.floor(rounded / HOUR_MS), 'hour');
  return count(Math.max(1, Math.floor(ms / MINUTE_MS)), 'minute');
}
