import { DAY_MS } from '../../../contract/constants.ts';

const HALF_A_YEAR_MS = 182 * DAY_MS;

const dayMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const dayMonthYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** '22 November' within half a year of `now` (ms UTC), '22 November 2027' beyond it; local time. */
export function dayAndMonth(instant: string, now: number): string {
  const at = Date.parse(instant);
  return (Math.abs(at - now) < HALF_A_YEAR_MS ? dayMonth : dayMonthYear).format(at);
}

/** '22 Nov', for where the long form stands next to it; ms UTC in, local time out. */
export function shortDay(instant: number): string {
  return short.format(instant);
}
