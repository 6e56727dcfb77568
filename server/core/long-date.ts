import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const formatIn = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long', year: 'numeric' });

/** Every check has dates in its findings, and making a format was measured to cost a fifth of the whole check. */
const inUtc = formatIn('UTC');

/** "22 November 2026" in the given zone (IANA name). */
export function longDate(at: number, timeZone: string): string {
  return (timeZone === 'UTC' ? inUtc : formatIn(timeZone)).format(at);
}

/** "23 November 2026, 17:41 UTC" */
export function longInstant(at: number): string {
  return `${longDate(at, 'UTC')}, ${new Date(at).toISOString().slice(11, 16)} UTC`;
}

/** A message that leaves at a step arrives a little after it; it still says "in 14 days". */
const ROUNDING_MS = 5 * MINUTE_MS;

/** "3 days", from two days down "47 hours", in the last hour "25 minutes". `ms` must be positive. */
export function duration(ms: number): string {
  const rounded = ms + ROUNDING_MS;
  if (rounded >= 2 * DAY_MS) return count(Math.floor(rounded / DAY_MS), 'day');
  if (ms >= HOUR_MS - ROUNDING_MS) return count(Math.floor(rounded / HOUR_MS), 'hour');
  return count(Math.max(1, Math.floor(ms / MINUTE_MS)), 'minute');
}

/** "1 day", "2 days" */
export function count(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}
