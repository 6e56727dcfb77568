import { DAY_MS } from '../../contract/durations.ts';
import { dateFormat } from '../lib/format.ts';

const HALF_A_YEAR_MS = 182 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

const dayMonth = dateFormat({ day: 'numeric', month: 'long' });
const dayMonthYear = dateFormat({ day: 'numeric', month: 'long', year: 'numeric' });
const short = dateFormat({ day: 'numeric', month: 'short' });
const shortMonth = dateFormat({ month: 'short', year: 'numeric' });

/** Returns '22 November' within half a year of `now` (ms UTC), otherwise '22 November 2027'; in local time. */
export function dayAndMonth(instant: string, now: number): string {
  const at = Date.parse(instant);
  return (Math.abs(at - now) < HALF_A_YEAR_MS ? dayMonth : dayMonthYear)(at);
}

/**
 * Returns a formatter for short dates next to a long one: '22 Nov', or 'Nov 2026' if the span is so long that day and month
 * leave the year open. Parameters in ms UTC; formats local time.
 */
export function shortDays(from: number, to: number): (instant: number) => string {
  return to - from < YEAR_MS ? short : shortMonth;
}
