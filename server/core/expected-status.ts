const LOWEST = 100;
const HIGHEST = 999;

type Range = readonly [first: number, last: number];

/**
 * Returns the canonical form of a list of HTTP statuses and ranges: sorted, without spaces, and without overlaps. "401, 200-299,
 * 300-399" gives "200-399,401". Returns null if a part is not a status or a range from 100 to 999.
 */
export function normaliseExpectedStatus(text: string): string | null {
  const merged: [number, number][] = [];
  const ranges = text.split(',').map((part) => readRange(part.trim()));
  if (!ranges.every((range) => range !== null)) return null;
  for (const [first, last] of ranges.toSorted(([one], [other]) => one - other)) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else merged.push([first, last]);
  }
  return merged.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/**
 * Returns whether an HTTP status means that the service is up. `expected` comes from `normaliseExpectedStatus`. Null accepts every status
 * except 500 to 599 (RFC 9110 §15.6), so it accepts 404, and the 999 that LinkedIn sends to robots.
 */
export function isExpectedStatus(status: number, expected: string | null): boolean {
  if (expected === null) return status < 500 || status > 599;
  return expected.split(',').some((part) => {
    const range = readRange(part);
    return range !== null && status >= range[0] && status <= range[1];
  });
}

function readRange(part: string): Range | null {
  const [, from = '', to = from] = /^(\d{3})(?: ?- ?(\d{3}))?$/.exec(part) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first >= LOWEST && first <= last && last <= HIGHEST ? [first, last] : null;
}
