import { DAY_MS } from '../../../contract/constants.ts';

const HALF_A_YEAR_MS = 182 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

const dayMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const dayMonthYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const shortMonth = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' });

/** '22 November' within half a year of `now` (ms UTC), '22 November 2027' beyond it; local time. */
export function dayAndMonth(instant: string, now: number): string {
  const at = Date.parse(instant);
  return (Math.abs(at - now) < HALF_A_YEAR_MS ? dayMonth : dayMonthYear).format(at);
}

/**
 * Writes days as '22 Nov', for where the long form stands next to it, and as 'Nov 2026' where the span that they
 * belong to is so long that a day and a month leave the year open. ms UTC in, local time out.
 */
export function shortDays(from: number, to: number): (instant: number) => string {
  const format = to - from < YEAR_MS ? short : shortMonth;
  return (instant) => format.format(instant);
}
