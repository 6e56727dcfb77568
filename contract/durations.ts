/** Milliseconds in a second, a minute, an hour, a day (24 hours) and a week. Every folder may import this file. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
export const WEEK_MS = 604_800_000;

/** Returns ms since an arbitrary start. Setting the machine's clock does not change it, so it suits ages and time windows in memory. */
export type Monotonic = () => number;

/** Matches a month such as '2027-03', or a first and a last day such as '2026-11-22..2026-12-05'. */
export const PERIOD_PATTERN =
  /^\d{4}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])\.\.\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))?$/;

/** Returns the start and the end of a period in UTC, in ms. `until` is the first instant after the period. */
export function periodBounds(period: string): { from: number; until: number } {
  const [first = '', last] = period.split('..');
  const from = Date.parse(first);
  if (last !== undefined) return { from, until: Date.parse(last) + DAY_MS };
  const month = new Date(from);
  return { from, until: month.setUTCMonth(month.getUTCMonth() + 1) };
}

const INSTANT = /\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC/g;

/** Replaces the instants in a sentence of the server, such as '22 November 2026, 14:32 UTC'. `written` gets them in ms UTC. */
export function replaceInstants(text: string, written: (instant: number) => string): string {
  return text.replaceAll(INSTANT, (words) => {
    const instant = Date.parse(words.replace(',', ''));
    return instant ? written(instant) : words;
  });
}
