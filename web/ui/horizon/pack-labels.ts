export interface Label {
  /** Of the pin's middle, in px. */
  x: number;
  /** Of the name alone, in px. */
  width: number;
}

export interface PackedLabel {
  /** Null: it stands short, just above the ruler. */
  row: number | null;
  named: boolean;
}

interface Room {
  rows: number;
  /** Where the last name has to end, in px. */
  right: number;
  /** A pin without room for its name on the right keeps its row, where short pins would be too small to tell apart. */
  keepRow: boolean;
}

/** From the pin's middle to its name, and air after the name, in px. */
export const NAME_OFFSET = 12;
const AIR = 10;
/** How far left of its middle a pin reaches for what stands there already. */
const CLEARANCE = 6;

/**
 * Gives every label its row, left to right: one below the lowest earlier label that still covers its place, so that no
 * stem crosses a name. Without a row, or without room on the right, a pin has no name. Labels come in the order of `x`.
 */
export function packLabels(labels: readonly Label[], { rows, right, keepRow }: Room): PackedLabel[] {
  // Where the last name of each row ends. Short pins count as the lowest row's: the next glyph keeps away from them too.
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
