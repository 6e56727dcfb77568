import {
  dayAxis,
  type DayAxis,
  endOfView,
  type MonthName,
  monthNames,
  type Tick,
  ticksOf,
  xOf,
} from './day-axis.ts';
import { AIR, NAME_OFFSET, nameStart, type PackedLabel, packLabels } from './pack-labels.ts';
import { cutToFit, type TextMeasure } from './text-measure.ts';
import { type AttentionReason, CRITICAL_DAYS, SOON_DAYS } from '../../../contract/words.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { grouped } from '../../lib/format.ts';

/**
 * State of a pin's certificate. `fault`: its worst problem is critical, and is not the expiry; `flaw`: its worst problem is
 * not critical.
 */
export type PinStatus = 'expired' | 'critical' | 'soon' | 'ok' | 'revoked' | 'fault' | 'flaw';

export interface HorizonEntry {
  id: string;
  /** The display name. */
  name: string;
  /** In ms UTC. */
  notAfter: number;
  status: PinStatus;
  /** Number of certificates; more than one if the server merged those that expire on the same day. */
  count: number;
  /** Set if several domains serve the certificate. */
  shared?: { fingerprint: string; domains: number } | undefined;
  /** A problem other than expiry, for example 'down' or 'down on 2 of 3 domains'. */
  trouble?: string | undefined;
  /** The state that `trouble` names. */
  troubleState?: AttentionReason | undefined;
  /** Text about the renewal of a short-lived certificate: 'renews on schedule, due in 2 days'. */
  schedule?: string | undefined;
  /** True if the pin is drawn faintly, because the current filter does not match it. */
  isDimmed?: boolean;
}

/** Size and settings of a drawing. Lengths and positions are in px, from the top left. */
export interface HorizonFrame {
  width: number;
  /** Number of days on the axis. */
  days: number;
  todayX: number;
  axisEnd: number;
  /** Left edge of the labels of expired certificates. */
  expiredX: number;
  /** Number of rows of pins. */
  rows: number;
  rowHeight: number;
  /** Font size of names. */
  nameSize: number;
  /** Whether to use the phone layout: short month names, and no names for expired certificates. */
  narrow: boolean;
  /** Whether certificates that expire after the end of the axis are shown, to the right of it. */
  hasLater: boolean;
}

export interface HorizonPin {
  place: 'expired' | 'axis' | 'later';
  entry: HorizonEntry;
  x: number;
  y: number;
  /** Text beside the pin: the certificate's name, shortened if it is long, or the number of certificates. Null if there is no room. */
  label: string | null;
  /** Left end of the text, in px. */
  labelX: number;
  labelWidth: number;
}

/** A note with a number: of the expired certificates that do not fit, or of all later ones. */
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
  /** Vertical position of the ruler. */
  base: number;
  ticks: readonly Tick[];
  months: readonly MonthName[];
  /** Right ends of the bands that start at "Today". */
  criticalEnd: number;
  soonEnd: number;
  bandNames: readonly { x: number; text: string }[];
  /** Pins, ordered by date. */
  pins: readonly HorizonPin[];
  /** All certificates on the axis, ordered by date, if they are too many for single pins; else empty. */
  crowd: readonly HorizonEntry[];
  moreExpired: HorizonNote | null;
  later: HorizonNote | null;
}

export const GLYPH = 13;
export const TOP_LABELS_Y = 20;
const FIRST_ROW = 42;
const BELOW_ROWS = 48;
const BELOW_BASE = 36;
const SHORT_PIN = 10;
const MAX_EXPIRED = 4;
/** If there are more certificates on the axis, they are drawn as bars. */
export const MAX_SINGLE = 40;
const MAX_LATER = 3;
const LATER_STEP = 16;
const MAX_NAME_WIDTH = 220;
const MAX_NAME_WIDTH_NARROW = 152;
/** A name is only cut if at least this much of it is left, in px from its pin. */
const MIN_NAME_WIDTH = 80;
/** Half the width of the Today pill. */
export const TODAY_HALF_WIDTH = 27;

/** Returns the height of a drawing in px; the same with and without pins. */
export function horizonHeight({ rows, rowHeight }: Pick<HorizonFrame, 'rows' | 'rowHeight'>): number {
  return baseOf({ rows, rowHeight }) + BELOW_BASE;
}

const baseOf = ({ rows, rowHeight }: Pick<HorizonFrame, 'rows' | 'rowHeight'>) =>
  BELOW_ROWS + rows * rowHeight;

export interface HorizonContent {
  /** Certificates, ordered by date. */
  entries: readonly HorizonEntry[];
  /** In ms UTC. */
  now: number;
}

/** Lays out a horizon for its frame. */
export function layOutHorizon(
  frame: HorizonFrame,
  { entries, now }: HorizonContent,
  measure: TextMeasure,
): HorizonLayout {
  const axis = dayAxis(now, frame.days, { from: frame.todayX, to: frame.axisEnd });
  const base = baseOf(frame);
  // End of the band in which the badge has one colour. Badges count days of 24 hours from now, not from midnight.
  const bandEnd = (days: number) =>
    Math.max(frame.todayX, Math.min(frame.width, xOf(axis, now + (days + 1) * DAY_MS)));
  const criticalEnd = bandEnd(CRITICAL_DAYS);
  const soonEnd = bandEnd(SOON_DAYS);
  const end = endOfView(now, frame.days);
  const expired = entries.filter(({ notAfter }) => notAfter < now);
  const inView = entries.filter(({ notAfter }) => notAfter >= now && notAfter < end);
  const beyond = entries.filter(({ notAfter }) => notAfter >= end);
  const isCrowded = countOf(inView) > MAX_SINGLE;
  const bucket = expiredPins(expired, frame, { base, measure });
  return {
    frame,
    axis,
    base,
    height: base + BELOW_BASE,
    ticks: ticksOf(axis),
    months: monthNames(axis, {
      short: frame.narrow,
      left: frame.todayX + TODAY_HALF_WIDTH + 6,
      right: frame.width - 4,
      widthOf: measure.label,
    }),
    criticalEnd,
    soonEnd,
    bandNames: bandNames({ from: frame.todayX, criticalEnd, soonEnd }, measure),
    pins: [
      ...bucket.pins,
      ...(isCrowded ? [] : axisPins(inView, frame, { axis, base, measure })),
      ...laterPins(beyond, frame, base),
    ],
    crowd: isCrowded ? inView : [],
    moreExpired: bucket.more,
    later: laterNote(beyond, frame, measure),
  };
}

export const countOf = (entries: readonly HorizonEntry[]) =>
  entries.reduce((sum, { count }) => sum + count, 0);
/** Aligns a glyph of 13 px and its stem to whole pixels. */
const crisp = (x: number) => Math.floor(x) + 0.5;
export const rowY = (frame: HorizonFrame, row: number) => FIRST_ROW + row * frame.rowHeight;

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
  // The label of the second band may be wider than the band, because nothing else is drawn there.
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
  const rows = Math.min(MAX_EXPIRED, frame.rows);
  const shown = expired.slice(0, rows);
  const room = frame.todayX - x - NAME_OFFSET - 6;
  const widthOf = (text: string) => measure.name(text, frame.nameSize);
  const pins = shown.map((entry, row): HorizonPin => {
    const label = frame.narrow ? null : nameLabel(entry, room, widthOf);
    return {
      place: 'expired',
      entry,
      x,
      y: rowY(frame, row),
      label,
      labelX: x + NAME_OFFSET,
      labelWidth: label === null ? 0 : widthOf(label),
    };
  });
  // The label says how many certificates the pin stands for.
  const count = countOf(expired) - (frame.narrow ? shown.length : countOf(shown));
  if (count === 0) return { pins, more: null };
  const text = `+${grouped(count)}`;
  const noteX = frame.narrow ? 4 : x + NAME_OFFSET;
  return { pins, more: { x: noteX, y: base - 8, text, width: measure.label(text), count } };
}

function axisPins(
  entries: readonly HorizonEntry[],
  frame: HorizonFrame,
  { axis, base, measure }: { axis: DayAxis; base: number; measure: TextMeasure },
): HorizonPin[] {
  const labels = entries.map((entry) => {
    // The last hours of the axis come after its last midnight.
    const x = crisp(Math.min(xOf(axis, entry.notAfter), frame.axisEnd));
    return { entry, x, ...entryLabel(entry, frame, measure) };
  });
  return named(labels, frame, measure).map(({ entry, x, text, width, row, side }): HorizonPin => ({
    place: 'axis',
    entry,
    x,
    y: row === null ? base - SHORT_PIN : rowY(frame, row),
    label: side && text,
    labelX: nameStart({ x, width }, side),
    labelWidth: side ? width : 0,
  }));
}

export interface EntryLabel {
  entry: HorizonEntry;
  /** Centre of the pin. */
  x: number;
  text: string;
  width: number;
}

/**
 * Returns the index of the certificate that must have its name: the first healthy one. If some are dimmed, the first that is
 * not dimmed, a healthy one if possible. -1 if there is none.
 */
function placeToName(labels: readonly EntryLabel[]): number {
  const isHealthy = ({ entry }: EntryLabel) => entry.status === 'ok';
  const isDimmed = ({ entry }: EntryLabel) => entry.isDimmed === true;
  const lit = labels.some(isDimmed) ? labels.filter((label) => !isDimmed(label)) : [];
  const first = lit.find(isHealthy) ?? lit[0] ?? labels.find(isHealthy);
  return first === undefined ? -1 : labels.indexOf(first);
}

/**
 * Places the names. The certificate of `placeToName` must get its name. If it got none, places the names again and keeps
 * earlier names out of the bottom row, which it then uses; if its name does not fit there either, it gets the top row.
 */
export function named<L extends EntryLabel>(
  given: readonly L[],
  frame: HorizonFrame,
  measure: TextMeasure,
): (L & PackedLabel)[] {
  const { rows } = frame;
  const room = { rows, left: frame.todayX, right: namesEnd(frame), keepRow: frame.narrow };
  const cut = (label: L, width: number): L => ({
    ...label,
    ...entryLabel(label.entry, frame, measure, width - NAME_OFFSET - AIR),
  });
  // A name that is too long for the room beside its pin is cut, unless too little would be left.
  const first = packLabels(given, room);
  const labels = given.map((label, index) =>
    first[index]?.side === null && label.x + NAME_OFFSET + MIN_NAME_WIDTH + AIR <= room.right
      ? cut(label, room.right - label.x)
      : label,
  );
  const place = placeToName(labels);
  const preferred = labels[place];
  const dense = packLabels(labels, room);
  if (preferred === undefined || dense[place]?.side !== null) return dense;
  const before = labels.map((label, index) => (index < place ? { ...label, rows: rows - 1 } : label));
  const spared = packLabels(before, room);
  if (spared[place]?.side !== null) return spared;

  const { x } = preferred;
  const top = cut(preferred, Math.max(x - room.left, room.right - x));
  const side = x + NAME_OFFSET + top.width + AIR <= room.right ? 'right' : 'left';
  // The stem of this pin crosses all rows. So names before it are cut, unless too little of them would be left.
  const others = labels
    .toSpliced(place, 1)
    .map((label) => (label.x < x - MIN_NAME_WIDTH ? cut(label, x - label.x) : label));
  return packLabels(others, { ...room, rows: rows - 1, stem: x })
    .map((label) => ({ ...label, row: label.row === null ? null : label.row + 1 }))
    .toSpliced(place, 0, { ...top, row: 0, side });
}

/** Returns the right limit of names on the axis, in px. */
function namesEnd(frame: HorizonFrame): number {
  return (frame.hasLater ? frame.axisEnd : frame.width) - 4;
}

/** Returns the text beside a pin: a name, cut to `room` px; for several certificates that are all healthy, their number. */
export function entryLabel(
  entry: Pick<HorizonEntry, 'name' | 'count' | 'shared' | 'status'>,
  frame: HorizonFrame,
  measure: TextMeasure,
  room = Infinity,
): { text: string; width: number } {
  const { count, status } = entry;
  if (count > 1 && status === 'ok') return { text: String(count), width: measure.label(String(count)) };
  const wide = (text: string) => measure.name(text, frame.nameSize);
  const text = nameLabel(entry, Math.min(room, frame.narrow ? MAX_NAME_WIDTH_NARROW : MAX_NAME_WIDTH), wide);
  return { text, width: wide(text) };
}

/** Returns the name, cut to fit, with '+3' if the pin stands for four certificates, or for one on four domains. */
function nameLabel(
  { name, count, shared }: Pick<HorizonEntry, 'name' | 'count' | 'shared'>,
  room: number,
  widthOf: (text: string) => number,
): string {
  const number = count > 1 ? count : (shared?.domains ?? 1);
  const more = number === 1 ? '' : ` +${number - 1}`;
  return cutToFit(name, room - widthOf(more), widthOf) + more;
}

function laterPins(beyond: readonly HorizonEntry[], frame: HorizonFrame, base: number): HorizonPin[] {
  if (!frame.hasLater) return [];
  return beyond.slice(0, MAX_LATER).map((entry, index): HorizonPin => ({
    place: 'later',
    entry,
    x: crisp(frame.axisEnd + 16 + index * LATER_STEP),
    y: base - SHORT_PIN,
    label: null,
    labelX: 0,
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
  const x = frame.axisEnd + 10;
  const words = count === 0 ? 'Later' : `${grouped(count)} later`;
  const text = x + measure.label(words) <= frame.width - 6 ? words : `+${grouped(count)}`;
  return { x, y: TOP_LABELS_Y, text, width: measure.label(text), count };
}
