/** How far beyond the view pages are read, as a share of a page. */
const AHEAD = 0.4;

interface PlacedRow {
  /** Start of the row, in px from the top of the document. */
  start: number;
  end: number;
}

interface Frame {
  /** Top of the list, in px from the top of the document. */
  scrollMargin: number;
  /** Gap between rows in the style sheet. */
  gap: number;
  /** Height of all rows, in px. */
  total: number;
}

/** Returns the space in px to leave before each mounted row and after the last one, for the rows that are not mounted. */
export function gapsBefore(rows: readonly PlacedRow[], { scrollMargin, gap, total }: Frame) {
  let end = scrollMargin - gap;
  const gaps = rows.map((row) => {
    const before = Math.max(0, row.start - end - gap);
    end = row.end;
    return before;
  });
  return { gaps, after: rows.length === 0 ? total : Math.max(0, scrollMargin + total - end) };
}

/** Returns the rows with `row` added, in ascending order. */
export function withRow(rows: readonly number[], row: number | null, count: number): number[] {
  if (row === null || row >= count || rows.includes(row)) return [...rows];
  return [...rows, row].toSorted((left, right) => left - right);
}

/** The first and last row (from 0) of a range in view. */
export type RowRange = readonly [first: number, last: number];

/** Returns the numbers (from 1) of the pages that hold the rows in view or close to it, in order. */
export function pagesInView(ranges: readonly RowRange[], pageSize: number): number[] {
  const ahead = Math.floor(pageSize * AHEAD);
  const pageOf = (index: number) => Math.floor(Math.max(0, index) / pageSize) + 1;
  const pages = new Set<number>();
  for (const [first, last] of ranges)
    for (let page = pageOf(first - ahead); page <= pageOf(last + ahead); page += 1) pages.add(page);
  return [...pages].toSorted((left, right) => left - right);
}

/** Groups ascending row numbers into ranges. */
export function rangesOf(rows: readonly number[]): RowRange[] {
  const ranges: [number, number][] = [];
  for (const row of rows) {
    const range = ranges.at(-1);
    if (range && range[1] === row - 1) range[1] = row;
    else ranges.push([row, row]);
  }
  return ranges;
}
