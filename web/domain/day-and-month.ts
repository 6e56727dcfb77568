import { DAY_MS, periodBounds } from '../../contract/durations.ts';
import { dateFormat, listed } from '../lib/format.ts';

const HALF_A_YEAR_MS = 182 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

const dayMonth = dateFormat({ day: 'numeric', month: 'long' });
const dayMonthYear = dateFormat({ day: 'numeric', month: 'long', year: 'numeric' });
const short = dateFormat({ day: 'numeric', month: 'short' });
const shortMonth = dateFormat({ month: 'short', year: 'numeric' });
const utcMonth = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' });
const utcDay = dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Returns '22 November', or '22 November 2027' if that is more than half a year from `now` (ms UTC). Local time. */
export function dayAndMonth(instant: string, now: number, near = dayMonth): string {
  const at = Date.parse(instant);
  return (Math.abs(at - now) < HALF_A_YEAR_MS ? near : dayMonthYear)(at);
}

/** Returns '22 Nov', or '22 November 2027' if that is more than half a year from `now` (ms UTC). Local time. */
export const shortDay = (instant: string, now: number): string => dayAndMonth(instant, now, short);

/** Maximum number of days that `firstDays` names. */
const DAYS_NAMED = 3;

/** Returns the first days of these instants: '26, 27 and 28 November', and ' and later' if there are more. `now` in ms UTC. */
export function firstDays(instants: readonly string[], now: number): string {
  const days = [...new Set(instants.map((instant) => dayAndMonth(instant, now)))];
  const named = days.slice(0, DAYS_NAMED);
  const parts = named.map((day) => /^(\d+) (.*)$/.exec(day) ?? [day, day, '']);
  const [month = '', ...others] = new Set(parts.map(([, , rest]) => rest));
  const text =
    others.length === 0 ? `${listed(parts.map(([, number = '']) => number))} ${month}` : listed(named);
  return days.length > DAYS_NAMED ? `${text} and later` : text;
}

/**
 * Returns a formatter for dates on an axis: '22 Nov', or 'Nov 2026' if the axis is so long that day and month alone are
 * ambiguous. Parameters in ms UTC; formats local time.
 */
export function shortDays(from: number, to: number): (instant: number) => string {
  return to - from < YEAR_MS ? short : shortMonth;
}

/** Returns 'March 2027 (UTC)' for '2027-03', and '22 Nov – 5 Dec (UTC)' for '2026-11-22..2026-12-05'. */
export function periodName(period: string): string {
  const { from, until } = periodBounds(period);
  if (!isOfDays(period)) return `${utcMonth(from)} (UTC)`;
  const [first, last] = [utcDay(from), utcDay(until - 1)];
  return `${first === last ? first : `${first} – ${last}`} (UTC)`;
}

/** Returns 'in March 2027 (UTC)', or 'on 22 Nov – 5 Dec (UTC)'. */
export function inPeriod(period: string): string {
  return `${isOfDays(period) ? 'on' : 'in'} ${periodName(period)}`;
}

const isOfDays = (period: string): boolean => period.includes('..');
