import type { UptimeWire } from '../../../contract/uptime.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { durationInTwoUnits } from '../../../contract/state/schedule.ts';
import { longDate, longDateTime } from '../../lib/format.ts';

type Check = UptimeWire['checks'][number];

/** Returns '340 ms' or '1.2 s'. */
export function responseText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Returns the period of the percentage: 'over the last 7 days', or 'since 19 November 2026' if monitoring started later. */
export function windowWords({ window_days: days, since }: UptimeWire, now: number): string {
  const isShorter = since !== null && Date.parse(since) > now - days * DAY_MS + HOUR_MS;
  return isShorter ? `since ${longDate(since)}` : `over the last ${days} days`;
}

/** Describes one check. */
export function checkWords({ state, response_ms: responseMs, message }: Check): string {
  if (state === 'down') return message ?? 'Failed';
  if (state === 'unknown') return message ?? 'Unknown';
  return responseMs === null ? 'Up' : `Up, ${responseText(responseMs)}`;
}

/** Returns '20 November 2026 at 14:32 – 14:40' and '8 minutes'. */
export function incidentWords(
  { started_at: startedAt, ended_at: endedAt }: UptimeWire['incidents'][number],
  now: number,
): { when: string; duration: string } {
  const start = Date.parse(startedAt);
  if (endedAt === null)
    return { when: `Ongoing since ${longDateTime(startedAt)}`, duration: durationInTwoUnits(now - start) };
  const end = Date.parse(endedAt);
  return { when: periodWords(start, end), duration: durationInTwoUnits(end - start) };
}

/** Returns '20 November 2026 at 14:32 – 14:40'; an end on another day has its date. */
export function periodWords(start: number, end: number): string {
  const last = longDateTime(end);
  return `${longDateTime(start)} – ${longDate(start) === longDate(end) ? last.slice(-5) : last}`;
}
