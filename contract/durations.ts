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

const INSTANT =
  /(?<![\p{L}\d])(\d{1,2}) (?:(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Septem|Octo|Novem|Decem)ber) (\d{4}), (\d\d:\d\d) UTC(?![\p{L}\d])/gu;

/**
 * Replaces the instants in a sentence of the server, such as '22 November 2026, 14:32 UTC'. `written` gets them in ms UTC. Keeps days
 * and times that do not exist, because the text of a certificate may contain them.
 */
export function replaceInstants(text: string, written: (instant: number) => string): string {
  return text.replaceAll(INSTANT, (words, day: string, year: string, time: string) => {
    const instant = Date.parse(words.replace(',', ''));
    // Date.parse reads 31 February as 3 March, and the year 0001 as 2001.
    const read = Number.isNaN(instant) ? '' : new Date(instant).toISOString();
    return read.startsWith(year) && read.slice(8, 16) === `${day.padStart(2, '0')}T${time}`
      ? written(instant)
      : words;
  });
}
