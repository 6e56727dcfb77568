import type { Kysely } from 'kysely';
import { isUptimeConfirmed, type Uptime, uptimePercent } from '../../core/check/uptime.ts';
import { type HourlyResponseTimes, hoursOf, type OpenHour, parseHour } from './day-figures.ts';
import { isDownIncident } from '../alerts/incidents.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import type { Store } from '../db/open-store.ts';
import { downtimeByMonitor, uptimeWindowOf } from './downtime.ts';
import { isComplete, parseSamples, type Sample } from './samples.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';

export interface UptimeIncident {
  id: string;
  startedAt: number;
  endedAt: number | null;
  cause: string;
  message: string;
}

/** The uptime of a monitor over the window of its plan. Times are ms UTC. */
export interface UptimeHistory {
  /**
   * Confirmed uptime. A single failed check does not change it. Null before the first conclusive check after adding or resuming.
   */
  state: Uptime | null;
  windowDays: number;
  /**
   * Start of the figures, ms UTC: the first conclusive check or the start of the window, whichever is later; null before the
   * first conclusive check.
   */
  since: number | null;
  percent: number | null;
  /** The last 90 checks, oldest first. */
  checks: Sample[];
  /** `down` incidents that overlap the window, newest first, at most 100. */
  incidents: UptimeIncident[];
  /**
   * Response times in at most 120 equal spans, oldest first. Spans without an answer are omitted. `at` is the start of the span,
   * ms UTC.
   */
  responseTimes: { at: number; averageMs: number; slowestMs: number }[];
}

const MAX_INCIDENTS = 100;
const MAX_SPANS = 120;

/** Returns the uptime of a monitor over the window of its account's plan; null if the account has no such monitor. */
export async function uptimeHistory(
  store: Store,
  { accountId, monitorId, now }: MonitorKey & { now: number },
): Promise<UptimeHistory | null> {
  const { db } = store;
  const monitor = await db
    .selectFrom('monitors')
    .leftJoin('monitor_states as states', (join) =>
      join
        .onRef('states.account_id', '=', 'monitors.account_id')
        .onRef('states.monitor_id', '=', 'monitors.id'),
    )
    .select(['id', 'uptime', 'uptime_since', 'recent_checks', 'samples', 'hour_at', 'hour'])
    .where('monitors.id', '=', monitorId)
    .where('monitors.account_id', '=', accountId)
    .executeTakeFirst();
  if (!monitor) return null;
  const key = { accountId, monitorId };
  const samples = parseSamples(monitor.samples);
  const windowDays = await uptimeWindowOf(store, accountId, now);
  const windowStart = now - windowDays * DAY_MS;
  const from = Math.max(windowStart, monitor.uptime_since ?? windowStart);
  const downMs =
    (await downtimeByMonitor(db, { accountId, ids: [monitorId], from: windowStart, now })).get(monitorId) ??
    0;
  const known =
    monitor.uptime_since !== null &&
    isUptimeConfirmed({ uptime: monitor.uptime, recentChecks: monitor.recent_checks, downMs });
  return {
    state: monitor.uptime,
    windowDays,
    since: known ? from : null,
    percent: known ? uptimePercent({ from, now, downMs }) : null,
    checks: samples.toSorted((one, other) => one.at - other.at),
    incidents: await incidentsSince(db, key, windowStart),
    responseTimes: await responseTimes(db, key, { samples, open: parseHour(monitor), from, now }),
  };
}

async function incidentsSince(
  db: Kysely<Tables>,
  { accountId, monitorId }: MonitorKey,
  from: number,
): Promise<UptimeIncident[]> {
  const rows = await db
    .selectFrom('incident_members')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where(isDownIncident)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', from)]))
    .orderBy('started_at', 'desc')
    .limit(MAX_INCIDENTS)
    .execute();
  return rows.map(({ id, started_at: startedAt, ended_at: endedAt, cause, message }) => ({
    id,
    startedAt,
    endedAt,
    cause,
    message,
  }));
}

type Span = UptimeHistory['responseTimes'][number];

/**
 * Returns average and maximum response times in at most 120 spans. If the recent checks include all checks in the window, uses
 * them, in spans of any length. Otherwise uses the hourly figures, in spans of whole hours.
 */
async function responseTimes(
  db: Kysely<Tables>,
  key: MonitorKey,
  {
    samples,
    open,
    from,
    now,
  }: { samples: readonly Sample[]; open: OpenHour | null; from: number; now: number },
): Promise<Span[]> {
  const [oldest] = samples.toSorted((one, other) => one.at - other.at);
  if (isComplete(samples) || (oldest !== undefined && oldest.at <= from)) {
    const answers = samples.flatMap(({ at, responseMs }) =>
      responseMs === null || at < from || at > now
        ? []
        : [{ at, answered: 1, responseSum: responseMs, responseMax: responseMs }],
    );
    return spansOf(answers, { from, spanMs: Math.max(1, Math.ceil((now - from + 1) / MAX_SPANS)) });
  }
  const begin = Math.floor(from / HOUR_MS) * HOUR_MS;
  const days = await db
    .selectFrom('monitor_days')
    .select(['day_at', 'hours'])
    .where('account_id', '=', key.accountId)
    .where('monitor_id', '=', key.monitorId)
    .where('day_at', '>', begin - DAY_MS)
    .where('day_at', '<=', now)
    .orderBy('day_at')
    .execute();
  const hours = [...days.flatMap(hoursOf), ...(open ? [{ at: open.at, ...open.figures }] : [])].filter(
    ({ at, answered }) => at >= begin && at <= now && answered > 0,
  );
  const spans = spansOf(hours, {
    from: begin,
    spanMs: Math.ceil((now - begin + 1) / HOUR_MS / MAX_SPANS) * HOUR_MS,
  });
  // The first span begins with a whole hour, which may have begun before the window.
  return spans.map((span) => ({ ...span, at: Math.max(from, span.at) }));
}

function spansOf(
  answers: readonly HourlyResponseTimes[],
  { from, spanMs }: { from: number; spanMs: number },
): Span[] {
  const bySpan = Map.groupBy(answers, ({ at }) => Math.floor((at - from) / spanMs));
  return [...bySpan]
    .toSorted(([one], [other]) => one - other)
    .map(([index, all]) => {
      const sum = all.reduce((total, { responseSum }) => total + responseSum, 0);
      const count = all.reduce((total, { answered }) => total + answered, 0);
      const slowestMs = Math.max(...all.map(({ responseMax }) => responseMax));
      return { at: from + index * spanMs, averageMs: Math.round(sum / count), slowestMs };
    });
}
