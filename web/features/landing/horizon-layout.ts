export interface Pin {
  hostname: string;
  /** Whole days from today; negative once expired. */
  days: number;
}

export interface PlacedPin extends Pin {
  x: number;
  row: number;
  /** False where there is no room for the name. */
  named: boolean;
}

export interface HorizonScale {
  /** Where Today stands, in px from the left. */
  todayX: number;
  dayWidth: number;
  width: number;
  rows: number;
  /** Width of a character of a name, in px. */
  characterWidth: number;
}

// From the pin's middle to the end of its name: half the glyph, the gap, and air after the name.
const NAME_MARGIN = 22;
const STEM_CLEARANCE = 6;

/** Places pins by date so that no stem crosses a name: one row below the lowest name that still covers the place. */
export function placePins(pins: readonly Pin[], scale: HorizonScale): PlacedPin[] {
  const placed: (PlacedPin & { end: number })[] = [];
  for (const pin of pins.toSorted((a, b) => a.days - b.days)) {
    const x = scale.todayX + pin.days * scale.dayWidth;
    if (x > scale.width) break;
    const end = x + pin.hostname.length * scale.characterWidth + NAME_MARGIN;
    const covering = placed.filter((earlier) => earlier.end > x - STEM_CLEARANCE);
    const row = covering.length === 0 ? 0 : Math.max(...covering.map((earlier) => earlier.row)) + 1;
    const named = row < scale.rows && end < scale.width;
    placed.push({
      ...pin,
      x,
      row: Math.min(row, scale.rows - 1),
      named,
      end: named ? end : x + NAME_MARGIN / 2,
    });
  }
  return placed.map(({ end: _end, ...pin }) => pin);
}
