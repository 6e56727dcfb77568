import { DAY_MS } from '../../../contract/durations.ts';
import type { HorizonFrame } from './horizon-layout.ts';

/** Cards narrower than this (px) get the phone layout. */
const NARROW = 600;
const ROOMY = 900;

/** Returns the number of rows of names: two for few certificates. Does not depend on the visible span, so that the height stays. */
export function rowsFor(dated: { expired: number; ahead: number }): 2 | 4 {
  return dated.ahead <= 4 && dated.expired <= 2 ? 2 : 4;
}

/** Spans, in days, to which a chart without certificates is extended. */
const WIDER = [90, 365];

/** Returns the number of days to show: more than the chosen `days` if nothing expires within them, so that no chart is empty. */
export function shownDays(days: number, entries: readonly { notAfter: number }[], now: number): number {
  const next = entries.find(({ notAfter }) => notAfter >= now);
  const needed = next === undefined ? 0 : (next.notAfter - now) / DAY_MS;
  return [days, ...WIDER].find((some) => some >= days && some > needed) ?? Math.ceil(needed * 1.1);
}

/**
 * Returns the frame of a horizon in a card: expired certificates at the left, those that expire after `days` at the right. A
 * narrow card shows 21 days and no later certificates.
 */
export function cardFrame(width: number, days: number, rows: 2 | 4): HorizonFrame {
  if (width < NARROW)
    return {
      width,
      days: 21,
      todayX: 34,
      // Leaves space at the right for half of the last day's glyph.
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
