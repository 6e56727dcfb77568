export interface Label {
  /** Centre of the pin, in px. */
  x: number;
  /** Width of the name, in px. */
  width: number;
  /** Number of rows from the top that the label may use. Default: all. */
  rows?: number;
}

export interface PackedLabel {
  /** Row of the label; null for a short pin just above the ruler. */
  row: number | null;
  /** On which side of the pin the name is; null if the pin has no name. */
  side: 'right' | 'left' | null;
}

interface Room {
  rows: number;
  /** Left limit of names, in px. */
  left: number;
  /** Right limit of names, in px. */
  right: number;
  /** True if a pin without room for its name keeps its row. On phones, short pins would be hard to tell apart. */
  keepRow: boolean;
  /** Position in px of a stem that crosses all rows, so that no name may cross it. */
  stem?: number;
}

/** Distance from the pin's centre to its name, and free space after the name, in px. */
export const NAME_OFFSET = 12;
export const AIR = 10;
/** Free space to the left of a pin's centre, in px. */
const CLEARANCE = 6;

/**
 * Assigns rows to labels that are sorted by `x`. A label goes into the row below the lowest earlier label that still covers
 * its position, so that no stem crosses a name. A name is to the left of its pin if there is no room on the right. A pin has
 * no name if no row is free or neither side has room.
 */
export function packLabels<L extends Label>(
  labels: readonly L[],
  { rows, left, right, keepRow, stem: crossing = Infinity }: Room,
): (L & PackedLabel)[] {
  // The right end of the last name in each row. Short pins count as part of the lowest row, so that the next glyph keeps its
  // distance from them.
  const ends = Array.from({ length: rows }, () => -Infinity);
  const stems = [{ x: crossing, row: -1 }];
  return labels.map((label) => {
    const { x, width, rows: usable = rows } = label;
    const free = ends.findLastIndex((end) => end > x - CLEARANCE) + 1;
    const end = x + NAME_OFFSET + width + AIR;
    const start = x - NAME_OFFSET - width - AIR;
    // The name on the left may be in a lower row, but no stem of an earlier pin may cross it.
    const hasRoomLeft = (row: number) =>
      row >= free &&
      start >= left &&
      (ends[row] ?? 0) <= start &&
      stems.every((stem) => stem.x < start || stem.x >= x || stem.row > row);
    const fitsRight = free < usable && end <= (x < crossing ? Math.min(right, crossing) : right);
    const leftRow = fitsRight ? -1 : ends.findIndex((_, row) => row < usable && hasRoomLeft(row));
    const side = fitsRight ? 'right' : leftRow >= 0 ? 'left' : null;
    const row = side === 'left' ? leftRow : free;
    const isShort = side === null && (!keepRow || row >= usable);
    const taken = isShort ? usable - 1 : row;
    ends[taken] = Math.max(ends[taken] ?? -Infinity, side === 'right' ? end : x + AIR);
    stems.push({ x, row: isShort ? rows : row });
    return { ...label, row: isShort ? null : row, side };
  });
}

/** Returns where a name begins, in px. */
export function nameStart({ x, width }: Label, side: PackedLabel['side']): number {
  return side === 'left' ? x - NAME_OFFSET - width : x + NAME_OFFSET;
}
