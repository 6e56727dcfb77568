import { DAY_MS } from '../../../contract/durations.ts';
import { dateFormat } from '../../lib/format.ts';

/** An axis of calendar days that starts at today's local midnight. Every day has the same width, even if it has 23 or 25 hours. */
export interface DayAxis {
  /** Local midnights of today and the following days, one more than there are days. In ms UTC. */
  midnights: readonly number[];
  /** Start of today and end of the last day, in px. */
  from: number;
  to: number;
  dayWidth: number;
}

/** Creates an axis of `days` from today, between `from` and `to` px, in local time. */
export function dayAxis(now: number, days: number, { from, to }: { from: number; to: number }): DayAxis {
  const today = new Date(now);
  const midnights = Array.from({ length: days + 1 }, (_, day) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + day).getTime(),
  );
  return { midnights, from, to, dayWidth: (to - from) / days };
}

/** Returns the number of the day of an instant: 0 is today, negative numbers are before today. Works beyond the end of the axis too. */
export function dayOf({ midnights }: DayAxis, instant: number): number {
  const [today = 0] = midnights;
  const last = midnights.length - 1;
  // The estimate is off by at most one day, because days with a clock change are longer or shorter.
  let day = Math.floor((instant - today) / DAY_MS);
  if (day < 0 || day > last) return day;
  if (instant < (midnights[day] ?? 0)) day -= 1;
  else if (day < last && instant >= (midnights[day + 1] ?? 0)) day += 1;
  return day;
}

/** Returns the position of an instant, in px. */
export function xOf(axis: DayAxis, instant: number): number {
  const { midnights, from, dayWidth } = axis;
  const last = midnights.length - 1;
  const day = Math.min(Math.max(dayOf(axis, instant), 0), last);
  const begin = midnights[day] ?? 0;
  // The axis ends at its last midnight, so the length of days outside of it is unknown: use 24 hours.
  const length = instant < begin || day === last ? DAY_MS : (midnights[day + 1] ?? 0) - begin;
  return from + (day + (instant - begin) / length) * dayWidth;
}

/**
 * Returns the end of the view in ms UTC: the end of the axis, or `days` times 24 hours from now if that is later. Remaining
 * days are counted in the same way.
 */
export function endOfView(now: number, days: number): number {
  const today = new Date(now);
  const midnight = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days).getTime();
  return Math.max(midnight, now + days * DAY_MS);
}

export interface Tick {
  x: number;
  kind: 'day' | 'monday' | 'month';
}

// Minimum distance in px. Closer ticks would look like a grey stripe.
const MIN_GAP = 4;

/** Returns the ruler's ticks, at every midnight after today's. Leaves out the ticks of days, or of weeks, if they would touch. */
export function ticksOf(axis: DayAxis): Tick[] {
  return axis.midnights.slice(1).flatMap((midnight, index): Tick[] => {
    const date = new Date(midnight);
    const x = axis.from + (index + 1) * axis.dayWidth;
    if (date.getDate() === 1) return [{ x, kind: 'month' }];
    if (date.getDay() === 1) return axis.dayWidth * 7 < MIN_GAP ? [] : [{ x, kind: 'monday' }];
    return axis.dayWidth < MIN_GAP ? [] : [{ x, kind: 'day' }];
  });
}

export interface MonthName {
  x: number;
  text: string;
}

interface MonthRoom {
  /** Short month names, for small drawings. */
  short: boolean;
  /** Left and right limit for text, in px. */
  left: number;
  right: number;
  widthOf: (text: string) => number;
}

const AFTER_TICK = 7;
const BETWEEN_NAMES = 8;
/** An axis of more days names only Januaries, with their years. */
const MAX_DAYS_BY_MONTH = 800;
const longName = dateFormat({ month: 'long', timeZone: 'UTC' });
const shortName = dateFormat({ month: 'short', timeZone: 'UTC' });

/** Returns the names of months, placed beside their ticks; January has the year. All names are long if these fit, else short. */
export function monthNames(axis: DayAxis, room: MonthRoom): MonthName[] {
  const starts = axis.midnights.slice(1).flatMap((midnight, index) => {
    const date = new Date(midnight);
    const isNamed =
      date.getDate() === 1 && (date.getMonth() === 0 || axis.midnights.length < MAX_DAYS_BY_MONTH);
    return isNamed ? [{ date, x: Math.round(axis.from + (index + 1) * axis.dayWidth) }] : [];
  });
  const named = (format: (instant: number) => string): MonthName[] =>
    starts.map(({ date, x }) => ({
      x: Math.max(x + AFTER_TICK, room.left),
      text:
        format(Date.UTC(date.getFullYear(), date.getMonth())) +
        (date.getMonth() === 0 ? ` ${date.getFullYear()}` : ''),
    }));
  const long = named(longName);
  const months = room.short || !haveRoom(long, room) ? named(shortName) : long;
  let end = -Infinity;
  return months.filter(({ x, text }, index) => {
    const nextTick = starts[index + 1]?.x ?? Infinity;
    // The left edge of the room can push the first name to the right. It must not seem to belong to the next month.
    const reachesNext = x === room.left && x + room.widthOf(text) > nextTick;
    const fits = !reachesNext && x >= end && x + room.widthOf(text) <= room.right;
    if (fits) end = x + room.widthOf(text) + BETWEEN_NAMES;
    return fits;
  });
}

/** Tells whether the names fit. The last name may touch the end, because a shorter one would rarely fit better. */
function haveRoom(months: readonly MonthName[], { widthOf }: MonthRoom): boolean {
  return months.every(({ x, text }, index) => {
    const next = months[index + 1];
    return next === undefined || x + widthOf(text) + BETWEEN_NAMES <= next.x;
  });
}
