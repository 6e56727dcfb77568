import type { UptimeWire } from '../../../../contract/uptime.ts';
import { longDate, longDateTime } from '../../../lib/dates.ts';
import { durationText } from '../../../lib/duration.ts';
import { HOUR_MS, DAY_MS } from '../../../../contract/durations.ts';

type Check = UptimeWire['checks'][number];

/** '340 ms', '1.2 s' */
export function responseText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** What the percentage is of: 'over the last 7 days', or where it is watched for less, 'since 19 November 2026'. */
export function windowWords({ window_days: days, since }: UptimeWire, now: number): string {
  const isShorter = since !== null && Date.parse(since) > now - days * DAY_MS + HOUR_MS;
  return isShorter ? `since ${longDate(since)}` : `over the last ${days} days`;
}

/** One check, as its tick tells it. */
export function checkWords({ state, response_ms: responseMs, message }: Check): string {
  if (state === 'down') return message ?? 'Failed';
  if (state === 'unknown') return message ?? 'Could not be told';
  return responseMs === null ? 'Up' : `Up, ${responseText(responseMs)}`;
}

/** '20 November 2026 at 14:32, 8 min' */
export function incidentWords(
  { started_at: startedAt, ended_at: endedAt }: UptimeWire['incidents'][number],
  now: number,
): { when: string; duration: string } {
  const start = Date.parse(startedAt);
  if (endedAt === null)
    return { when: `Ongoing since ${longDateTime(startedAt)}`, duration: durationText(now - start) };
  return {
    when: `${longDateTime(startedAt)} – ${endWords(startedAt, endedAt)}`,
    duration: durationText(Date.parse(endedAt) - start),
  };
}

// Of an end on the same day, the time alone.
function endWords(startedAt: string, endedAt: string): string {
  const end = longDateTime(endedAt);
  return longDate(startedAt) === longDate(endedAt) ? end.slice(-5) : end;
}
