/** The first and the last row (from 0) of a stretch that is in view. */
export type RowRange = readonly [first: number, last: number];

/** The share of a page that is read ahead of what is in view, on both sides. */
const AHEAD = 0.4;

/** The numbers (from 1) of the pages that hold the rows in view and those that may come into view next, in order. */
export function pagesInView(ranges: readonly RowRange[], pageSize: number): number[] {
  const ahead = Math.floor(pageSize * AHEAD);
  const pageOf = (index: number) => Math.floor(Math.max(0, index) / pageSize) + 1;
  const pages = new Set<number>();
  for (const [first, last] of ranges)
    for (let page = pageOf(first - ahead); page <= pageOf(last + ahead); page += 1) pages.add(page);
  return [...pages].toSorted((left, right) => left - right);
}

/** The stretches without holes that these rows, in ascending order, make up. */
export function rangesOf(rows: readonly number[]): RowRange[] {
  const ranges: [number, number][] = [];
  for (const row of rows) {
    const range = ranges.at(-1);
    if (range && range[1] === row - 1) range[1] = row;
    else ranges.push([row, row]);
  }
  return ranges;
}
