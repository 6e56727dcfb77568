import { periodBounds } from '../../../../contract/durations.ts';
import { type DayAxis, dayOf } from '../../../ui/horizon/day-axis.ts';
import {
  countOf,
  entryLabel,
  type HorizonEntry,
  type HorizonLayout,
  type HorizonPin,
  named,
  type PinStatus,
  rowY,
} from '../../../ui/horizon/horizon-layout.ts';
import { nameStart } from '../../../ui/horizon/pack-labels.ts';
import type { TextMeasure } from '../../../ui/horizon/text-measure.ts';
import { periodName } from '../../../domain/day-and-month.ts';
import { grouped } from '../../../lib/format.ts';
import { daysPeriod, utcDay } from './horizon-links.ts';

/** The certificates that expire on one day (UTC, like the filter of the list). Lengths and positions are in px. */
export interface DayBar {
  /** Number of the day on the axis; 0 is today. */
  column: number;
  /** The period that the bar stands for: one day. The first and the last bar of the axis can stand for two. */
  period: string;
  /** Certificates that expire in the period, ordered by date. */
  entries: readonly [HorizonEntry, ...HorizonEntry[]];
  count: number;
  /** Horizontal centre and top of the bar. */
  x: number;
  y: number;
  left: number;
  width: number;
  /** Parts of the bar by state, from the bottom, most urgent first. */
  parts: readonly { status: PinStatus; y: number; height: number; isDimmed: boolean }[];
  /**
   * Names above the bar: of its most urgent certificate, and of the first healthy certificate of all bars if it is in this one. A name without
   * room is left out.
   */
  pins: readonly HorizonPin[];
}

/** A range of days by their places on the axis, both included. */
export interface DayRange {
  from: number;
  to: number;
}

const URGENCY: readonly PinStatus[] = ['revoked', 'fault', 'expired', 'critical', 'flaw', 'soon', 'ok'];
/** Rows of names above the bars. */
const NAME_ROWS = 2;
const BELOW_NAMES = 12;
/** Height of the text below the line of the tallest bar, in px. */
const SCALE_HEIGHT = 18;
/** Minimum height in px, which keeps a single certificate visible beside a bar of hundreds. */
const MIN_HEIGHT = 3;

/** Returns the height of the tallest bar, in px. */
export function tallestBar({ frame, base }: Pick<HorizonLayout, 'frame' | 'base'>): number {
  return base - rowY(frame, NAME_ROWS - 1) - BELOW_NAMES;
}

/** Returns the bars of a crowded layout, by date. Their heights are proportional to their numbers of certificates. */
export function dayBars(layout: HorizonLayout, measure: TextMeasure): DayBar[] {
  const { axis, base, crowd } = layout;
  const columns = new Map<number, [HorizonEntry, ...HorizonEntry[]]>();
  for (const entry of crowd) {
    const column = columnOf(axis, utcDay(entry.notAfter));
    const others = columns.get(column);
    if (others) others.push(entry);
    else columns.set(column, [entry]);
  }
  const most = Math.max(...[...columns.values()].map(countOf));
  const scale = tallestBar(layout) / most;
  const bars = [...columns]
    .toSorted(([one], [other]) => one - other)
    .map(([column, entries]): DayBar => {
      const parts = stacked(entries, scale, base);
      return {
        column,
        period: daysPeriod(utcDay(entries[0].notAfter), utcDay((entries.at(-1) ?? entries[0]).notAfter)),
        entries,
        count: countOf(entries),
        ...sidesOf(axis, column),
        y: parts.at(-1)?.y ?? base,
        parts,
        pins: [],
      };
    });
  return withNames(bars, layout, measure);
}

/** Returns whether the filter matches none of the entries. */
const areDimmed = (entries: readonly HorizonEntry[]): boolean =>
  entries.every(({ isDimmed }) => isDimmed === true);

function stacked(entries: readonly HorizonEntry[], scale: number, base: number): DayBar['parts'] {
  let y = base;
  return URGENCY.flatMap((status) => {
    const its = entries.filter((entry) => entry.status === status);
    const count = countOf(its);
    if (count === 0) return [];
    const height = Math.max(MIN_HEIGHT, Math.round(count * scale));
    y -= height;
    return { status, y, height, isDimmed: areDimmed(its) };
  });
}

function sidesOf({ from, dayWidth }: DayAxis, column: number): Pick<DayBar, 'x' | 'left' | 'width'> {
  const start = Math.round(from + column * dayWidth);
  const width = Math.round(from + (column + 1) * dayWidth) - start;
  const gap = Math.min(2, Math.floor(width / 4));
  return { x: start + Math.floor(width / 2) + 0.5, left: start + gap, width: Math.max(1, width - gap) };
}

function withNames(bars: readonly DayBar[], { frame }: HorizonLayout, measure: TextMeasure): DayBar[] {
  const all = bars.flatMap(({ entries }) => entries);
  const isHealthy = ({ status }: HorizonEntry) => status === 'ok';
  const healthy = all.find((entry) => isHealthy(entry) && entry.isDimmed !== true) ?? all.find(isHealthy);
  const labels = bars.flatMap((bar) => {
    const wrong = bar.entries.filter((entry) => !isHealthy(entry));
    const first = URGENCY.flatMap((status) => wrong.find((entry) => entry.status === status) ?? [])[0];
    const shown = [
      first && { ...first, count: countOf(wrong) },
      healthy && bar.entries.includes(healthy) && { ...healthy, count: 1 },
    ].filter((entry) => entry !== undefined && entry !== false);
    return shown.map((entry) => ({ bar, entry, x: bar.x, ...entryLabel(entry, frame, measure) }));
  });
  const packed = named(labels, { ...frame, rows: NAME_ROWS, narrow: false }, measure);
  const pins = packed.flatMap(({ bar, entry, x, text, width, row, side }) => {
    if (side === null || row === null) return [];
    const place = {
      x,
      y: rowY(frame, row),
      label: text,
      labelX: nameStart({ x, width }, side),
      labelWidth: width,
    };
    return { bar, pin: { place: 'axis', entry, ...place } as const };
  });
  return bars.map((bar) => ({
    ...bar,
    // From the top, so that a mark is drawn over the stem of the pin above it.
    pins: pins.flatMap((one) => (one.bar === bar ? one.pin : [])).toSorted((one, other) => one.y - other.y),
  }));
}

/**
 * Returns the left end, in px, of the number that labels the height of the tallest bar. If later certificates are shown after
 * the axis, the number stands there; else as far to the right as no bar or stem covers it. Null if there is no such place.
 */
export function scaleStart({ axis, frame, base }: HorizonLayout, bars: readonly DayBar[], width: number) {
  if (frame.hasLater) return frame.axisEnd + 8;
  const below = base - tallestBar({ frame, base }) + SCALE_HEIGHT;
  const tall = bars.filter(({ y, pins }) => y < below || pins.length > 0);
  const ends = [axis.to, ...tall.map(({ left }) => left)].map((end) => end - 4).toSorted((a, b) => b - a);
  const end = ends.find((end) => {
    const start = end - width - 4;
    return start >= axis.from && tall.every((bar) => bar.left >= end || bar.left + bar.width <= start);
  });
  return end === undefined ? null : end - width;
}

/** Returns the accessible name of a bar, with what its tooltip shows. */
export function barName({ entries, count, period }: DayBar): string {
  const wrong = countOf(entries.filter(({ status }) => ['fault', 'flaw', 'revoked'].includes(status)));
  const filtered = areDimmed(entries) ? ', not in the list below' : '';
  const problems = wrong === 0 ? '' : `, ${grouped(wrong)} with a problem`;
  const what = count === 1 ? `${entries[0].name} expires` : `${grouped(count)} certificates expire`;
  return `${what} on ${periodName(period)}${problems}${filtered}`;
}

/** Returns the bar of a day on the axis, or the nearest bar within `reach` days. */
export function barAt(bars: readonly DayBar[], column: number, reach: number): DayBar | null {
  const distance = (bar: DayBar) => Math.abs(bar.column - column);
  const [nearest = null] = bars.toSorted((one, other) => distance(one) - distance(other));
  return nearest && distance(nearest) <= reach ? nearest : null;
}

/** Returns the period of a range of days. */
export function periodOf({ midnights }: DayAxis, { from, to }: DayRange): string {
  const dayAt = (column: number): string => {
    const midnight = new Date(midnights[column] ?? 0);
    return utcDay(Date.UTC(midnight.getFullYear(), midnight.getMonth(), midnight.getDate()));
  };
  return daysPeriod(dayAt(from), dayAt(to));
}

/** Returns the part of a period that is on the axis; null if no part is. */
export function rangeOf(axis: DayAxis, period: string): DayRange | null {
  const { from, until } = periodBounds(period);
  const [first, last] = [placeOf(axis, utcDay(from)), placeOf(axis, utcDay(until - 1))];
  const end = axis.midnights.length - 2;
  return first > end || last < 0 || first > last
    ? null
    : { from: Math.max(first, 0), to: Math.min(last, end) };
}

/** Returns the number of a day on the axis; outside of the axis, a number before its start or after its end. */
function placeOf(axis: DayAxis, day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return dayOf(axis, new Date(year, month - 1, date).getTime());
}

/** In some time zones, a certificate of the first or the last day (UTC) would be beyond the axis. */
const columnOf = (axis: DayAxis, day: string): number =>
  Math.min(Math.max(placeOf(axis, day), 0), axis.midnights.length - 2);
