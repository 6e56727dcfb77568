import { CALLS } from '../../../contract/calls.ts';
import { uptimeHistory, type UptimeHistory } from '../../store/checks/uptime.ts';
import type { Api, AppParts } from '../http/api.ts';
import { REFUSALS } from './domain-refusals.ts';
import type { UptimeWire } from '../../../contract/uptime.ts';
import { iso, isoOrNull } from '../http/wire.ts';

/** Serves the uptime history of a domain. */
export function domainUptimeRoute(api: Api, { store }: AppParts): void {
  api.on(CALLS.domainUptime, async ({ params, session, now }) => {
    const history = await uptimeHistory(store, {
      accountId: session.account.id,
      monitorId: params.id,
      now,
    });
    return history === null ? REFUSALS.notFound() : { data: uptimeWire(history) };
  });
}

/** Maps the uptime history to its wire format. */
function uptimeWire(history: UptimeHistory): UptimeWire {
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
