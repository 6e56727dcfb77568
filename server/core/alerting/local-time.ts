import { MINUTE_MS, DAY_MS } from '../../../contract/durations.ts';

const DAY_MINUTES = 1_440;

/** Making a format is dear, and there are only so many zones. */
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

/** The zone itself, or UTC: zones come and go, and one that a browser knew must not keep an alert from leaving. */
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
 * How far the clocks of a zone (IANA name; null and unknown ones: UTC) are ahead of UTC at an instant, in ms. Seconds of
 * historical zones are left out.
 */
export function zoneOffsetMs(at: number, timeZone: string | null): number {
  const zone = knownZone(timeZone);
  if (zone === 'UTC') return 0;
  const parts = formatOf(zone).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return local - Math.floor(at / MINUTE_MS) * MINUTE_MS;
}

/** Minutes after midnight and the day of the week (0: Sunday) that a clock on the wall shows. */
export function wallClock(at: number, timeZone: string | null): { minute: number; weekday: number } {
  const local = at + zoneOffsetMs(at, timeZone);
  const minute = Math.floor(local / MINUTE_MS) % DAY_MINUTES;
  return { minute, weekday: new Date(local).getUTCDay() };
}

/**
 * The first instant after `at` (ms UTC) at which clocks on the wall show `minute` after midnight, on `weekday` (0: Sunday)
 * where given. A time that is left out when summer begins comes as much later as the clocks jump.
 */
export function nextWallClock(
  at: number,
  timeZone: string | null,
  { minute, weekday }: { minute: number; weekday?: number },
): number {
  const localMidnight = Math.floor((at + zoneOffsetMs(at, timeZone)) / DAY_MS) * DAY_MS;
  for (let day = 0; day <= 8; day++) {
    const local = localMidnight + day * DAY_MS + minute * MINUTE_MS;
    if (weekday !== undefined && new Date(local).getUTCDay() !== weekday) continue;
    const guess = local - zoneOffsetMs(local, timeZone);
    const instant = local - zoneOffsetMs(guess, timeZone);
    if (instant > at) return instant;
  }
  return at + DAY_MS;
}
