import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

const DAY_MINUTES = 1_440;

/** Cache of formats by time zone: creating a format is expensive, and there are few time zones. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/**
 * Returns the canonical name of an IANA time zone, or 'UTC' if `timeZone` is null or unknown to this Node. A browser may send a
 * zone that Node's tz data lacks, and that must not stop an alert.
 */
export function knownZone(timeZone: string | null): string {
  if (timeZone === null) return 'UTC';
  try {
    return formatOf(timeZone).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return 'UTC';
    throw error;
  }
}

/**
 * Returns how far a zone (IANA name; null and unknown ones count as UTC) is ahead of UTC at an instant, in ms. Drops the
 * seconds of historical zones.
 */
export function zoneOffsetMs(at: number, timeZone: string | null): number {
  const zone = knownZone(timeZone);
  if (zone === 'UTC') return 0;
  const parts = formatOf(zone).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return local - Math.floor(at / MINUTE_MS) * MINUTE_MS;
}

/** Returns the local time as minutes after midnight and day of the week (0 is Sunday). */
export function localTime(at: number, timeZone: string | null): { minute: number; weekday: number } {
  const local = at + zoneOffsetMs(at, timeZone);
  const minute = Math.floor(local / MINUTE_MS) % DAY_MINUTES;
  return { minute, weekday: new Date(local).getUTCDay() };
}

/**
 * Returns the next instant after `at` (ms UTC) at which local clocks show `minute` after midnight, on `weekday` (0 is Sunday) if given. If clocks
 * skip this time, returns the instant an hour later. If they show it twice, returns the second instant: with the first, quiet hours that a
 * message reaches between the two would last until the next day.
 */
export function nextLocalTime(
  at: number,
  timeZone: string | null,
  { minute, weekday }: { minute: number; weekday?: number },
): number {
  const localMidnight = Math.floor((at + zoneOffsetMs(at, timeZone)) / DAY_MS) * DAY_MS;
  for (let day = 0; day <= 8; day++) {
    const local = localMidnight + day * DAY_MS + minute * MINUTE_MS;
    if (weekday !== undefined && new Date(local).getUTCDay() !== weekday) continue;
    // The offsets before and after a clock change nearby. They give different instants only if clocks skip or repeat `local`.
    const offsets = [local - DAY_MS, local + DAY_MS].map((nearby) => zoneOffsetMs(nearby, timeZone));
    const instant = local - Math.min(...offsets.map((offset) => zoneOffsetMs(local - offset, timeZone)));
    if (instant > at) return instant;
  }
  return at + DAY_MS;
}
