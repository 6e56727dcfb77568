const DAY_MONTH = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const DAY_MONTH_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

/** '22 November' within half a year of `now` (ms UTC), '22 November 2027' beyond it; local time. */
export function dayAndMonth(instant: string, now: number): string {
  const at = Date.parse(instant);
  const HALF_A_YEAR_MS = 182 * 86_400_000;
  return (Math.abs(at - now) < HALF_A_YEAR_MS ? DAY_MONTH : DAY_MONTH_YEAR).format(at);
}
