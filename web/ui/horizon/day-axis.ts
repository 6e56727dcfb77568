import { dateFormat } from '../../lib/date-format.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** A line of days: linear in calendar days from the local midnight that today began with, whatever the clocks do meanwhile. */
export interface DayAxis {
  /** The local midnight of today and of every day after it; one more than there are days. In ms UTC. */
  midnights: readonly number[];
  /** Where today begins and where the last day ends, in px. */
  from: number;
  to: number;
  dayWidth: number;
}

/** `days` from today on, between `from` and `to` px, in the time zone of the reader. */
export function dayAxis(now: number, days: number, { from, to }: { from: number; to: number }): DayAxis {
  const today = new Date(now);
  const midnights = Array.from({ length: days + 1 }, (_, day) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + day).getTime(),
  );
  return { midnights, from, to, dayWidth: (to - from) / days };
}

/** The day of the axis that the instant falls on: 0 is today, negative before it. Days beyond the axis count on. */
export function dayOf({ midnights }: DayAxis, instant: number): number {
  const [today = 0] = midnights;
  const last = midnights.length - 1;
  // Off by one at most: a day of changed clocks is an hour or so longer or shorter than others.
  let day = Math.floor((instant - today) / DAY_MS);
  if (day < 0 || day > last) return day;
  if (instant < (midnights[day] ?? 0)) day -= 1;
  else if (day < last && instant >= (midnights[day + 1] ?? 0)) day += 1;
  return day;
}

/** Where the instant stands, in px. */
export function xOf(axis: DayAxis, instant: number): number {
  const { midnights, from, dayWidth } = axis;
  const last = midnights.length - 1;
  const day = Math.min(Math.max(dayOf(axis, instant), 0), last);
  const begin = midnights[day] ?? 0;
  // Before today and beyond the axis, days are as long as most are.
  const length = instant < begin || day === last ? DAY_MS : (midnights[day + 1] ?? 0) - begin;
  return from + (day + (instant - begin) / length) * dayWidth;
}

/**
 * What ends before this instant is within so many days, in ms UTC: before the axis is over, or with fewer than `days` times
 * 24 hours left, as the days that are left are counted.
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

// Closer than this, in px, ticks are a grey stripe and no scale.
const LEAST_GAP = 4;

/** The ruler's ticks at every midnight after today's; days and weeks are left out where they would run together. */
export function ticksOf(axis: DayAxis): Tick[] {
  return axis.midnights.slice(1).flatMap((midnight, index): Tick[] => {
    const date = new Date(midnight);
    const x = axis.from + (index + 1) * axis.dayWidth;
    if (date.getDate() === 1) return [{ x, kind: 'month' }];
    if (date.getDay() === 1) return axis.dayWidth * 7 < LEAST_GAP ? [] : [{ x, kind: 'monday' }];
    return axis.dayWidth < LEAST_GAP ? [] : [{ x, kind: 'day' }];
  });
}

export interface MonthName {
  x: number;
  text: string;
}

interface MonthRoom {
  /** Short names wherever the drawing is small. */
  short: boolean;
  /** What nothing may be written before and after, in px. */
  left: number;
  right: number;
  widthOf: (text: string) => number;
}

const AFTER_TICK = 7;
const BETWEEN_NAMES = 8;
const longName = dateFormat({ month: 'long', timeZone: 'UTC' });
const shortName = dateFormat({ month: 'short', timeZone: 'UTC' });

/** Names beside the ticks of the months, January with its year: long ones if every one has room, else short ones. */
export function monthNames(axis: DayAxis, room: MonthRoom): MonthName[] {
  const starts = axis.midnights.slice(1).flatMap((midnight, index) => {
    const date = new Date(midnight);
    return date.getDate() === 1 ? [{ date, x: Math.round(axis.from + (index + 1) * axis.dayWidth) }] : [];
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
  return months.filter(({ x, text }) => {
    const fits = x >= end && x + room.widthOf(text) <= room.right;
    if (fits) end = x + room.widthOf(text) + BETWEEN_NAMES;
    return fits;
  });
}

/** The last one may stand at the very end: a shorter name of it would often fit no better. */
function haveRoom(months: readonly MonthName[], { widthOf }: MonthRoom): boolean {
  return months.every(({ x, text }, index) => {
    const next = months[index + 1];
    return next === undefined || x + widthOf(text) + BETWEEN_NAMES <= next.x;
  });
}
