import type { HorizonFrame } from './horizon-layout.ts';

/** Below this width, in px, a card's horizon is drawn for a telephone. */
const NARROW = 600;
const ROOMY = 900;

/** Two rows are enough for a few; the height then stays as it is, whatever part of them is in view. */
export function rowsFor(dated: { expired: number; ahead: number }): 2 | 4 {
  return dated.ahead <= 4 && dated.expired <= 2 ? 2 : 4;
}

/** A horizon in a card: expired ones at its left, what ends after `days` at its right. */
export function cardFrame(width: number, days: number, rows: 2 | 4): HorizonFrame {
  if (width < NARROW)
    return {
      width,
      days: 21,
      todayX: 34,
      // So much is left that the glyph of the last day stays inside.
      axisEnd: width - 8,
      expiredX: 9,
      rows,
      rowHeight: 23,
      nameSize: 12,
      narrow: true,
      hasLater: false,
    };
  const isRoomy = width >= ROOMY;
  return {
    width,
    days,
    todayX: isRoomy ? 188 : 148,
    axisEnd: width - (isRoomy ? 104 : 76),
    expiredX: 20,
    rows,
    rowHeight: 25,
    nameSize: 12,
    narrow: false,
    hasLater: true,
  };
}
