import type { UptimeWire } from '../../../../contract/uptime.ts';
import { longDate, longDateTime } from '../../../lib/dates.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Check = UptimeWire['checks'][number];

/** '340 ms', '1.2 s' */
export function responseText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** 'less than a minute', '8 min', '2 h 5 min', '3 days 4 h' */
export function durationText(ms: number): string {
  if (ms < MINUTE_MS) return 'less than a minute';
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const parts = [
    days > 0 && `${days} ${days === 1 ? 'day' : 'days'}`,
    hours > 0 && `${hours} h`,
    days === 0 && minutes > 0 && `${minutes} min`,
  ];
  return parts.filter((part) => part !== false).join(' ');
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
