import type { UptimeWire } from '../../../contract/uptime.ts';
import type { UptimeHistory } from '../../store/checks/uptime.ts';
import { iso, isoOrNull } from '../http/wire.ts';

/** The uptime of a domain in the wire's form. */
export function uptimeWire(history: UptimeHistory): UptimeWire {
  return {
    state: history.state,
    percent: history.percent,
    window_days: history.windowDays,
    since: isoOrNull(history.since),
    checks: history.checks.map(({ at, state, responseMs, message }) => ({
      at: iso(at),
      state,
      response_ms: responseMs,
      message,
    })),
    incidents: history.incidents.map(({ id, startedAt, endedAt, cause, message }) => ({
      id,
      started_at: iso(startedAt),
      ended_at: isoOrNull(endedAt),
      cause,
      message,
    })),
    response_times: history.responseTimes.map(({ at, averageMs, slowestMs }) => ({
      at: iso(at),
      average_ms: averageMs,
      slowest_ms: slowestMs,
    })),
  };
}
