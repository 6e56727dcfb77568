import { dateFormat } from '../../lib/date-format.ts';
import { DAY_MS } from '../../../contract/durations.ts';

const HALF_A_YEAR_MS = 182 * DAY_MS;
const YEAR_MS = 365 * DAY_MS;

const dayMonth = dateFormat({ day: 'numeric', month: 'long' });
const dayMonthYear = dateFormat({ day: 'numeric', month: 'long', year: 'numeric' });
const short = dateFormat({ day: 'numeric', month: 'short' });
const shortMonth = dateFormat({ month: 'short', year: 'numeric' });

/** '22 November' within half a year of `now` (ms UTC), '22 November 2027' beyond it; local time. */
export function dayAndMonth(instant: string, now: number): string {
  const at = Date.parse(instant);
  return (Math.abs(at - now) < HALF_A_YEAR_MS ? dayMonth : dayMonthYear)(at);
}

/**
 * Writes days as '22 Nov', for where the long form stands next to it, and as 'Nov 2026' where the span that they
 * belong to is so long that a day and a month leave the year open. ms UTC in, local time out.
 */
export function shortDays(from: number, to: number): (instant: number) => string {
  return to - from < YEAR_MS ? short : shortMonth;
}
