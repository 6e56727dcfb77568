import type { AlertSeverity } from './alert.ts';
import { nextWallClock, wallClock } from './local-time.ts';
import type { QuietHours } from './settings.ts';

/** When a message may leave: `now`, or the end of the quiet hours in which it falls (ms UTC). */
export function leavesAt(
  now: number,
  severity: AlertSeverity,
  { quietHours, timeZone }: { quietHours: QuietHours | null; timeZone: string | null },
): number {
  if (quietHours === null || (severity === 'critical' && quietHours.criticalAlways)) return now;
  const { fromMinute, toMinute } = quietHours;
  const { minute } = wallClock(now, timeZone);
  const isQuiet =
    fromMinute <= toMinute
      ? minute >= fromMinute && minute < toMinute
      : minute >= fromMinute || minute < toMinute;
  return isQuiet ? nextWallClock(now, timeZone, { minute: toMinute }) : now;
}
