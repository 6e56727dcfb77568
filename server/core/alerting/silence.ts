import { localTime, nextLocalTime, zoneOffsetMs } from './local-time.ts';
import { WEEK_MS } from '../../../contract/durations.ts';
import type { AlertSeverity } from './alert.ts';
import type { QuietHours } from './settings.ts';

/**
 * A maintenance window, in which problems are not reported, but recoveries are. Instants are those of its first occurrence,
 * ms UTC.
 */
export interface MaintenanceWindow {
  startsAt: number;
  endsAt: number;
  repeats: 'never' | 'weekly';
}

/**
 * Returns the end of the current maintenance, ms UTC; null if there is none. A weekly window keeps its local time through
 * summer and winter time.
 */
export function maintenanceUntil(
  windows: readonly MaintenanceWindow[],
  now: number,
  timeZone: string | null,
): number | null {
  const ends = windows.flatMap(({ startsAt, endsAt, repeats }) => {
    if (now < startsAt) return [];
    if (repeats === 'never') return now < endsAt ? [endsAt] : [];
    const shift = zoneOffsetMs(now, timeZone) - zoneOffsetMs(startsAt, timeZone);
    const since = (now + shift - startsAt) % WEEK_MS;
    const left = endsAt - startsAt - since;
    return left > 0 ? [now + left] : [];
  });
  return ends.length === 0 ? null : Math.max(...ends);
}

/**
 * Returns the earliest time to send a message (ms UTC): the end of the current quiet hours, or `now` if there are none or
 * they let this severity pass.
 */
export function sendAt(
  now: number,
  severity: AlertSeverity,
  { quietHours, timeZone }: { quietHours: QuietHours | null; timeZone: string | null },
): number {
  if (quietHours === null || (severity === 'critical' && quietHours.criticalAlways)) return now;
  const { fromMinute, toMinute } = quietHours;
  const { minute } = localTime(now, timeZone);
  const isQuiet =
    fromMinute <= toMinute
      ? minute >= fromMinute && minute < toMinute
      : minute >= fromMinute || minute < toMinute;
  return isQuiet ? nextLocalTime(now, timeZone, { minute: toMinute }) : now;
}
