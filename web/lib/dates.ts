import { dateFormat } from './date-format.ts';
import { MINUTE_MS, DAY_MS } from '../../contract/durations.ts';

const long = dateFormat({ day: 'numeric', month: 'long', year: 'numeric' });
const longTime = dateFormat({
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const utc = dateFormat({
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
let relative: Intl.RelativeTimeFormat | undefined;

/** '22 November 2026', in the reader's time zone. Instants are ms UTC or what the wire carries (ISO 8601). */
export function longDate(instant: number | string): string {
  return long(new Date(instant).getTime());
}

/** '22 November 2026 at 14:32', in the reader's time zone. */
export function longDateTime(instant: number | string): string {
  return longTime(new Date(instant).getTime());
}

/** '22 November 2026 at 14:32 UTC', for tooltips. */
export function utcTitle(instant: number | string): string {
  return `${utc(new Date(instant).getTime())} UTC`;
}

/** '2 min ago' up to 24 hours back, then the long date. */
export function relativeTime(instant: number | string, now: number): string {
  const elapsed = now - new Date(instant).getTime();
  if (elapsed >= DAY_MS) return longDate(instant);
  const minutes = Math.floor(Math.max(0, elapsed) / MINUTE_MS);
  if (minutes < 1) return 'just now';
  relative ??= new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto', style: 'short' });
  return minutes < 60
    ? relative.format(-minutes, 'minute')
    : relative.format(-Math.floor(minutes / 60), 'hour');
}
