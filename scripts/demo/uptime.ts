import { randomUUID } from 'node:crypto';
import type { Store } from '../../server/store/open-store.ts';
import type { DemoHost, Outage } from './hosts.ts';
import { tellPastOutage } from './told.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KEPT_MS = 90 * DAY_MS;
/** Of those before, nobody kept the receipts. */
const TOLD_MS = 30 * DAY_MS;
const STRIP_CHECKS = 90;
const AT_ONCE = 400;
const USUAL_ANSWER_MS = 60;

interface Past {
  accountId: string;
  monitorId: string;
  host: DemoHost;
  /** When the first check was, ms UTC. */
  since: number;
  checkEveryMinutes: number;
  now: number;
}

/** Writes down what the checks of three months told of a host's uptime: every answer, and every outage as an incident. */
export async function liveUptime(store: Store, past: Past): Promise<void> {
  const { accountId, monitorId, host, now } = past;
  const { verdict_id: verdictId } = await store.db
    .selectFrom('monitors')
    .select('verdict_id')
    .where('id', '=', monitorId)
    .executeTakeFirstOrThrow();
  const { observation: looked } = await store.db
    .selectFrom('checks')
    .select('observation')
    .where('monitor_id', '=', monitorId)
    .orderBy('finished_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  const since = Math.max(past.since, now - KEPT_MS + HOUR_MS);
  const outages = (host.outages ?? []).map((outage) => spanOf(outage, now));
  const checks = instantsOf(past, since, outages).map((at, index) => {
    const outage = outages.find((span) => at >= span.from && at < (span.to ?? now));
    const isReached = outage === undefined || outage.cause === 'server_error';
    return {
      id: randomUUID(),
      monitor_id: monitorId,
      started_at: at - 100,
      finished_at: at,
      reached: isReached ? (1 as const) : (0 as const),
      observation: isReached ? looked : JSON.stringify({ addresses: [] }),
      verdict_id: verdictId,
      uptime: outage ? ('down' as const) : ('up' as const),
      response_ms: outage ? null : answerMs(host, index),
      down_message: outage ? `${host.name} ${outage.message}` : null,
    };
  });
  const incidents = outages.map(({ from, to, cause, message }) => ({
    id: randomUUID(),
    monitor_id: monitorId,
    ...{ problem: 'down' as const, fingerprint: '', facts: '{}', recovered: Number(to !== null) },
    started_at: from,
    confirmed_at: from + 30_000,
    ended_at: to,
    cause,
    message: `${host.name} ${message}`,
  }));
  const last = checks.at(-1);
  const lasting = outages.find(({ to }) => to === null);
  await store.db.transaction().execute(async (db) => {
    for (let from = 0; from < checks.length; from += AT_ONCE)
      await db
        .insertInto('checks')
        .values(checks.slice(from, from + AT_ONCE))
        .execute();
    if (incidents.length > 0) await db.insertInto('incidents').values(incidents).execute();
    await db
      .updateTable('monitors')
      .set({
        uptime: last?.uptime ?? null,
        uptime_since: past.since,
        suspected_since: null,
        down_since: lasting?.from ?? null,
        down_seen_at: lasting === undefined ? null : (last?.finished_at ?? null),
        unreachable_since: last?.reached === 0 ? (lasting?.from ?? null) : null,
        response_ms: checks.findLast(({ response_ms: ms }) => ms !== null)?.response_ms ?? null,
        recent_checks: checks
          .slice(-STRIP_CHECKS)
          .map(({ uptime }) => (uptime === 'up' ? 'u' : 'd'))
          .join(''),
      })
      .where('id', '=', monitorId)
      .execute();
  });
  for (const incident of incidents)
    // What is down since a moment ago is left to the real check.
    if (incident.started_at < now - HOUR_MS && incident.started_at > now - TOLD_MS)
      await tellPastOutage(store, { accountId, incident });
}

interface Span extends Pick<Outage, 'cause' | 'message'> {
  from: number;
  /** null while it lasts. */
  to: number | null;
}

function spanOf({ hoursAgo, minutes, cause, message }: Outage, now: number): Span {
  const from = now - hoursAgo * HOUR_MS;
  return { from, to: minutes === undefined ? null : from + minutes * MINUTE_MS, cause, message };
}

/** The plan's interval for as long as the strip goes back, before that daily; and of each outage its first check. */
function instantsOf({ checkEveryMinutes, now }: Past, since: number, outages: readonly Span[]): number[] {
  const interval = checkEveryMinutes * MINUTE_MS;
  const instants = outages.flatMap(({ from, to }) => [
    ...[from, from + 30_000],
    // What is down is looked at every hour, and the last look was not long ago.
    ...(to === null ? [Math.max(from + 30_000, now - HOUR_MS / 2)] : []),
  ]);
  for (let at = now - interval / 2; at > since;) {
    instants.push(at);
    at -= at > now - STRIP_CHECKS * interval ? interval : DAY_MS / 4;
  }
  return [...new Set(instants)].filter((at) => at > since && at < now).toSorted((one, other) => one - other);
}

/** Uneven as answers are: a wave over the day, and now and then a slow one. */
function answerMs({ answersInMs = USUAL_ANSWER_MS, name }: DemoHost, index: number): number {
  const phase = name.length + index;
  const wave = 1 + 0.18 * Math.sin(phase / 3.7) + 0.1 * Math.sin(phase * 1.9);
  const isSlow = (phase * 7919) % 43 === 0;
  return Math.round(answersInMs * wave * (isSlow ? 3.4 : 1));
}
