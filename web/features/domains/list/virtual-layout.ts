interface PlacedRow {
  /** In px from the top of the document. */
  start: number;
  end: number;
}

interface Frame {
  /** Where the list begins, in px from the top of the document. */
  scrollMargin: number;
  /** What the style sheet puts between two rows. */
  gap: number;
  /** Of all rows, in px. */
  total: number;
}

/** The space in px that stands for the rows left out before each of the mounted ones, and after the last of them. */
export function gapsBefore(rows: readonly PlacedRow[], { scrollMargin, gap, total }: Frame) {
  let end = scrollMargin - gap;
  const gaps = rows.map((row) => {
    const before = Math.max(0, row.start - end - gap);
    end = row.end;
    return before;
  });
  return { gaps, after: rows.length === 0 ? total : Math.max(0, scrollMargin + total - end) };
}

/** The rows with one more among them, in order. */
export function withRow(rows: readonly number[], row: number | null, count: number): number[] {
  if (row === null || row >= count || rows.includes(row)) return [...rows];
  return [...rows, row].toSorted((left, right) => left - right);
}
