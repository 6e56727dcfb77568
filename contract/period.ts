import { DAY_MS } from './durations.ts';

/** Matches a month such as '2027-03', or the first and the last of some days, such as '2026-11-22..2026-12-05'. */
export const PERIOD =
  /^\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])\.\.\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))?$/;

/** Returns the start and the end of a period in UTC, in ms; the end is the first instant after it. */
export function boundsOf(period: string): { from: number; until: number } {
  const [first = '', last] = period.split('..');
  const from = Date.parse(first);
  if (last !== undefined) return { from, until: Date.parse(last) + DAY_MS };
  const month = new Date(from);
  return { from, until: month.setUTCMonth(month.getUTCMonth() + 1) };
}
