import { dayAxis, dayOf, endOfView, monthNames, ticksOf, xOf } from './day-axis.ts';
import type { DayAxis, MonthName, Tick } from './day-axis.ts';
import { NAME_OFFSET, packLabels } from './pack-labels.ts';
import { cutToFit } from './text-measure.ts';
import type { TextMeasure } from './text-measure.ts';
import { CRITICAL_DAYS, SOON_DAYS } from '../../../contract/words.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** `fault`: something else is wrong than its date. */
export type PinStatus = 'expired' | 'critical' | 'soon' | 'ok' | 'revoked' | 'fault';

export interface HorizonEntry {
  id: string;
  /** As people read it. */
  name: string;
  /** In ms UTC. */
  notAfter: number;
  status: PinStatus;
  /** More than one where several that end on a day came as one. */
  count: number;
  /** What is wrong besides its date, in a word or two; absent where nothing is. */
  trouble?: string | undefined;
}

/** The places of a drawing, in px from its left edge and its top. */
export interface HorizonFrame {
  width: number;
  days: number;
  todayX: number;
  axisEnd: number;
  /** The words of the bucket of expired ones begin here. */
  expiredX: number;
  rows: number;
  rowHeight: number;
  nameSize: number;
  /** A telephone: short months, and in the bucket of expired ones no names. */
  narrow: boolean;
  /** Whether there is a bucket for what ends beyond the axis. */
  hasLater: boolean;
}

export interface HorizonPin {
  place: 'expired' | 'axis' | 'later';
  /** In the order of their dates; more than one where a day's were merged. */
  entries: readonly [HorizonEntry, ...HorizonEntry[]];
  status: PinStatus;
  count: number;
  x: number;
  y: number;
  /** The name, cut to its room, or how many stand behind the pin. Null where there was no room. */
  label: string | null;
  labelWidth: number;
}

/** A word of the drawing that stands for what is not drawn. */
export interface HorizonNote {
  x: number;
  y: number;
  text: string;
  width: number;
  count: number;
}

export interface HorizonLayout {
  frame: HorizonFrame;
  axis: DayAxis;
  height: number;
  /** The ruler's line. */
  base: number;
  ticks: readonly Tick[];
  months: readonly MonthName[];
  /** Where the bands end that begin at Today. */
  criticalEnd: number;
  soonEnd: number;
  bandNames: readonly { x: number; text: string }[];
  /** In the order of their dates. */
  pins: readonly HorizonPin[];
  moreExpired: HorizonNote | null;
  later: HorizonNote | null;
}

export const GLYPH = 13;
export const WORDS_Y = 20;
const FIRST_ROW = 42;
const BELOW_ROWS = 48;
const BELOW_BASE = 36;
const SHORT_PIN = 10;
const MOST_EXPIRED = 4;
const MOST_SINGLE = 40;
const MOST_LATER = 3;
const LATER_STEP = 16;
const LONGEST_NAME = 220;
const LONGEST_NAME_NARROW = 152;
/** Half of the pill that says Today. */
export const TODAY_HALF = 27;

/** How high a drawing of the frame is, in px; the same with and without pins. */
export function horizonHeight({ rows, rowHeight }: Pick<HorizonFrame, 'rows' | 'rowHeight'>): number {
  return baseOf({ rows, rowHeight }) + BELOW_BASE;
}

const baseOf = ({ rows, rowHeight }: Pick<HorizonFrame, 'rows' | 'rowHeight'>) =>
  BELOW_ROWS + rows * rowHeight;

export interface HorizonContent {
  /** In the order of their dates. */
  entries: readonly HorizonEntry[];
  /** In ms UTC. */
  now: number;
}

/** Lays a horizon out for the width of its frame. */
export function layOutHorizon(
  frame: HorizonFrame,
  { entries, now }: HorizonContent,
  measure: TextMeasure,
): HorizonLayout {
  const axis = dayAxis(now, frame.days, { from: frame.todayX, to: frame.axisEnd });
  const base = baseOf(frame);
  // Where the badge changes: it counts whole days from now, not from midnight.
  const bandEnd = (days: number) =>
    Math.max(frame.todayX, Math.min(frame.width, xOf(axis, now + (days + 1) * DAY_MS)));
  const criticalEnd = bandEnd(CRITICAL_DAYS);
  const soonEnd = bandEnd(SOON_DAYS);
  const end = endOfView(now, frame.days);
  const expired = entries.filter(({ notAfter }) => notAfter < now);
  const inView = entries.filter(({ notAfter }) => notAfter >= now && notAfter < end);
  const beyond = entries.filter(({ notAfter }) => notAfter >= end);
  const bucket = expiredPins(expired, frame, { base, measure });
  return {
    frame,
    axis,
    base,
    height: base + BELOW_BASE,
    ticks: ticksOf(axis),
    months: monthNames(axis, {
      short: frame.narrow,
      left: frame.todayX + TODAY_HALF + 6,
      right: frame.width - 4,
      widthOf: measure.label,
    }),
    criticalEnd,
    soonEnd,
    bandNames: bandNames({ from: frame.todayX, criticalEnd, soonEnd }, measure),
    pins: [
      ...bucket.pins,
      ...axisPins(mergedByDay(inView, axis), frame, { axis, base, measure }),
      ...laterPins(beyond, frame, base),
    ],
    moreExpired: bucket.more,
    later: laterNote(beyond, frame, measure),
  };
}

const countOf = (entries: readonly HorizonEntry[]) => entries.reduce((sum, { count }) => sum + count, 0);
/** A glyph of 13 px and its stem then fall on whole pixels. */
const crisp = (x: number) => Math.floor(x) + 0.5;
const rowY = (frame: HorizonFrame, row: number) => FIRST_ROW + row * frame.rowHeight;

function bandNames(
  { from, criticalEnd, soonEnd }: { from: number; criticalEnd: number; soonEnd: number },
  { label }: TextMeasure,
): { x: number; text: string }[] {
  const fits = (text: string, inset: number, width: number) => inset + label(text) + 2 <= width;
  if (
    fits(`${CRITICAL_DAYS} days`, 8, criticalEnd - from) &&
    fits(`${SOON_DAYS} days`, 7, soonEnd - criticalEnd)
  )
    return [
      { x: from + 8, text: `${CRITICAL_DAYS} days` },
      { x: criticalEnd + 7, text: `${SOON_DAYS} days` },
    ];
  // The second may run beyond its band, where nothing else is written.
  return [
    { x: from + 4, text: `${CRITICAL_DAYS}d` },
    { x: Math.max(criticalEnd, from + 4 + label(`${CRITICAL_DAYS}d`)) + 4, text: `${SOON_DAYS}d` },
  ];
}

function expiredPins(
  expired: readonly HorizonEntry[],
  frame: HorizonFrame,
  { base, measure }: { base: number; measure: TextMeasure },
): { pins: HorizonPin[]; more: HorizonNote | null } {
  const x = crisp(frame.expiredX + 5);
  const rows = Math.min(MOST_EXPIRED, frame.rows);
  const shown = expired.slice(0, rows);
  const room = frame.todayX - x - NAME_OFFSET - 6;
  const widthOf = (text: string) => measure.name(text, frame.nameSize);
  const pins = shown.map((entry, row): HorizonPin => {
    const label = frame.narrow ? null : cutToFit(entry.name, room, widthOf);
    return {
      place: 'expired',
      entries: [entry],
      status: entry.status,
      count: 1,
      x,
      y: rowY(frame, row),
      label,
      labelWidth: label === null ? 0 : widthOf(label),
    };
  });
  const count = countOf(expired) - shown.length;
  if (count === 0) return { pins, more: null };
  const text = `+${count}`;
  const noteX = frame.narrow ? 4 : x + NAME_OFFSET;
  return { pins, more: { x: noteX, y: base - 8, text, width: measure.label(text), count } };
}

/** What is urgent or revoked stays by itself, however many there are. */
function mergedByDay(inView: readonly HorizonEntry[], axis: DayAxis): [HorizonEntry, ...HorizonEntry[]][] {
  if (countOf(inView) <= MOST_SINGLE) return inView.map((entry) => [entry]);
  const days = new Map<number, [HorizonEntry, ...HorizonEntry[]]>();
  const groups: [HorizonEntry, ...HorizonEntry[]][] = [];
  for (const entry of inView) {
    const day = dayOf(axis, entry.notAfter);
    const sameDay = entry.status === 'ok' ? days.get(day) : undefined;
    if (sameDay) sameDay.push(entry);
    else {
      const group: [HorizonEntry, ...HorizonEntry[]] = [entry];
      groups.push(group);
      if (entry.status === 'ok') days.set(day, group);
    }
  }
  return groups;
}

function axisPins(
  groups: readonly [HorizonEntry, ...HorizonEntry[]][],
  frame: HorizonFrame,
  { axis, base, measure }: { axis: DayAxis; base: number; measure: TextMeasure },
): HorizonPin[] {
  const longest = frame.narrow ? LONGEST_NAME_NARROW : LONGEST_NAME;
  const wide = (text: string) => measure.name(text, frame.nameSize);
  const labels = groups.map((entries) => {
    const [first] = entries;
    const count = countOf(entries);
    // The last hours of the last day are beyond the last midnight.
    const x = crisp(Math.min(xOf(axis, first.notAfter), frame.axisEnd));
    if (count === 1 || first.status !== 'ok') {
      const more = count === 1 ? '' : ` +${count - 1}`;
      const text = cutToFit(first.name, longest - wide(more), wide) + more;
      return { entries, first, count, x, text, width: wide(text) };
    }
    return { entries, first, count, x, text: String(count), width: measure.label(String(count)) };
  });
  const packed = packLabels(labels, {
    rows: frame.rows,
    right: (frame.hasLater ? frame.axisEnd : frame.width) - 4,
    keepRow: frame.narrow,
  });
  return labels.map(({ entries, first, count, x, text, width }, index): HorizonPin => {
    const { row, named } = packed[index] ?? { row: null, named: false };
    return {
      place: 'axis',
      entries,
      status: first.status,
      count,
      x,
      y: row === null ? base - SHORT_PIN : rowY(frame, row),
      label: named ? text : null,
      labelWidth: named ? width : 0,
    };
  });
}

function laterPins(beyond: readonly HorizonEntry[], frame: HorizonFrame, base: number): HorizonPin[] {
  if (!frame.hasLater) return [];
  return beyond.slice(0, MOST_LATER).map((entry, index): HorizonPin => ({
    place: 'later',
    entries: [entry],
    status: entry.status,
    count: entry.count,
    x: crisp(frame.axisEnd + 16 + index * LATER_STEP),
    y: base - SHORT_PIN,
    label: null,
    labelWidth: 0,
  }));
}

function laterNote(
  beyond: readonly HorizonEntry[],
  frame: HorizonFrame,
  measure: TextMeasure,
): HorizonNote | null {
  if (!frame.hasLater) return null;
  const count = countOf(beyond);
  const text = count === 0 ? 'Later' : `${count} later`;
  return { x: frame.axisEnd + 10, y: WORDS_Y, text, width: measure.label(text), count };
}
