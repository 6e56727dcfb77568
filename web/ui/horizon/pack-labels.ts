export interface Label {
  /** Centre of the pin, in px. */
  x: number;
  /** Width of the name, in px. */
  width: number;
}

export interface PackedLabel {
  /** Null: a short pin just above the ruler. */
  row: number | null;
  named: boolean;
}

interface Room {
  rows: number;
  /** Right limit of names, in px. */
  right: number;
  /** A pin without room for its name keeps its row; on phones short pins would be hard to tell apart. */
  keepRow: boolean;
}

/** From the pin's centre to its name, and space after it, in px. */
export const NAME_OFFSET = 12;
const AIR = 10;
/** Space to the left of a pin's centre. */
const CLEARANCE = 6;

/**
 * Assigns rows to labels, left to right: the row below the lowest earlier label that still covers the position, so that no stem
 * crosses a name. A pin without a row or without room has no name. Labels must be sorted by `x`.
 */
export function packLabels(labels: readonly Label[], { rows, right, keepRow }: Room): PackedLabel[] {
  // The right end of each row's last name. Short pins count for the lowest row, so that the next glyph keeps its distance.
  const ends = Array.from({ length: rows }, () => -Infinity);
  return labels.map(({ x, width }) => {
    const row = ends.findLastIndex((end) => end > x - CLEARANCE) + 1;
    const end = x + NAME_OFFSET + width + AIR;
    const named = row < rows && end <= right;
    const isShort = !named && (!keepRow || row >= rows);
    const taken = isShort ? rows - 1 : row;
    ends[taken] = Math.max(ends[taken] ?? -Infinity, named ? end : x + AIR);
    return { row: isShort ? null : row, named };
  });
}
