import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { addCheckToHour, type OpenHour, packHour, withHour } from '../../server/store/checks/day-figures.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { packSamples, type Sample } from '../../server/store/checks/samples.ts';
import type { Tables } from '../../server/store/schema/tables.ts';
import type { DemoHost, Outage } from './hosts.ts';
import { alertPastOutage } from './past-alerts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const HISTORY_MS = 90 * DAY_MS;
/** Maximum age in ms of outages with alerts. Older outages have none, as if their alerts had been deleted by now. */
const ALERT_HISTORY_MS = 30 * DAY_MS;
const STRIP_CHECKS = 90;
const USUAL_ANSWER_MS = 60;

interface Past {
  accountId: string;
  monitorId: string;
  host: DemoHost;
  /** Time of the first check, ms UTC. */
  since: number;
  checkEveryMinutes: number;
  now: number;
}

/** Writes three months of past checks of a host into the store, and its outages as incidents with their alerts. */
export async function createPastUptime(store: Store, past: Past): Promise<void> {
  const { accountId, monitorId, host, now } = past;
  const monitorKey = { account_id: accountId, monitor_id: monitorId };
  const since = Math.max(past.since, now - HISTORY_MS + HOUR_MS);
  const outages = (host.outages ?? []).map((outage) => spanOf(outage, now));
  const checks = instantsOf(past, since, outages).map((at, index): Sample => {
    const outage = outages.find((span) => at >= span.from && at < (span.to ?? now));
    return {
      at,
      state: outage ? 'down' : 'up',
      responseMs: outage ? null : answerMs(host, index),
      message: outage ? `${host.name} ${outage.message}` : null,
    };
  });
  const incidents = outages.map(({ from, to, cause, message }) => ({
    ...monitorKey,
    id: randomUUID(),
    problem: 'down' as const,
    facts: '{}',
    recovered: Number(to !== null),
    started_at: from,
    confirmed_at: from + 30_000,
    ended_at: to,
    cause,
    message: `${host.name} ${message}`,
  }));
  const last = checks.at(-1);
  const openOutage = outages.find(({ to }) => to === null);
  const isReached = openOutage === undefined || openOutage.cause === 'server_error';
  await store.db.transaction().execute(async (db) => {
    const { verdict_id: verdictId, evidence_id: evidenceId } = await db
      .selectFrom('monitor_states')
      .select(['verdict_id', 'evidence_id'])
      .where('account_id', '=', accountId)
      .where('monitor_id', '=', monitorId)
      .executeTakeFirstOrThrow();
    await replaceRuns(db, monitorKey, {
      checks,
      ids: { verdict_id: verdictId ?? '', evidence_id: evidenceId ?? '' },
      cause: (at) => outages.find((span) => at >= span.from && at < (span.to ?? now))?.cause ?? null,
    });
    for (const incident of incidents) {
      const { account_id, id, problem } = incident;
      await db.insertInto('incidents').values({ account_id, id, problem, fingerprint: '' }).execute();
      await db
        .insertInto('incident_members')
        .values({ ...incident, incident_id: id })
        .execute();
    }
    await db
      .updateTable('monitors')
      .set({
        uptime: last?.state ?? null,
        uptime_since: past.since,
        suspected_since: null,
        down_since: openOutage?.from ?? null,
        down_seen_at: openOutage === undefined ? null : (last?.at ?? null),
        unreachable_since: isReached ? null : (openOutage?.from ?? null),
        response_ms: checks.findLast(({ responseMs }) => responseMs !== null)?.responseMs ?? null,
        recent_checks: checks
          .slice(-STRIP_CHECKS)
          .map(({ state }) => (state === 'up' ? 'u' : 'd'))
          .join(''),
      })
      .where('account_id', '=', accountId)
      .where('id', '=', monitorId)
      .execute();
  });
  for (const incident of incidents)
    // Skip outages that began within the last hour, because the real check handles them.
    if (incident.started_at < now - HOUR_MS && incident.started_at > now - ALERT_HISTORY_MS)
      await alertPastOutage(store, { accountId, incident });
}

/** Replaces the check runs and uptime days that `createPastChecks` left in the store with those of `checks`. */
async function replaceRuns(
  db: Transaction<Tables>,
  monitorKey: { account_id: string; monitor_id: string },
  {
    checks,
    ids,
    cause,
  }: {
    checks: readonly Sample[];
    ids: { verdict_id: string; evidence_id: string };
    cause: (at: number) => string | null;
  },
): Promise<void> {
  type Run = Omit<Tables['check_runs'], 'account_id' | 'monitor_id'>;
  const runs: Run[] = [];
  const days = new Map<number, ReturnType<typeof withHour>>();
  let hour: OpenHour | null = null;
  for (const check of checks) {
    const currentRun = runs.at(-1);
    if (currentRun && currentRun.uptime === check.state && currentRun.down_message === check.message) {
      currentRun.last_at = check.at;
      currentRun.checks += 1;
    } else {
      const isReached = [null, 'server_error'].includes(cause(check.at));
      runs.push({
        ...ids,
        number: runs.length + 1,
        first_at: check.at,
        last_at: check.at,
        checks: 1,
        reached: Number(isReached),
        uptime: check.state,
        down_message: check.message,
      });
    }
    const step = addCheckToHour(hour, check);
    hour = step.open;
    if (step.finished === null) continue;
    const dayAt = Math.floor(step.finished.at / DAY_MS) * DAY_MS;
    days.set(dayAt, withHour(days.get(dayAt), step.finished));
  }
  const last = runs.at(-1);
  if (last === undefined || hour === null) return;
  for (const table of ['check_runs', 'monitor_days'] as const)
    await db
      .deleteFrom(table)
      .where('account_id', '=', monitorKey.account_id)
      .where('monitor_id', '=', monitorKey.monitor_id)
      .execute();
  await db
    .insertInto('check_runs')
    .values(runs.map((run) => ({ ...monitorKey, ...run, last_at: run === last ? null : run.last_at })))
    .execute();
  if (days.size > 0)
    await db
      .insertInto('monitor_days')
      .values([...days.values()].map((day) => ({ ...monitorKey, ...day })))
      .execute();
  await db
    .updateTable('monitor_states')
    .set({
      run_number: last.number,
      run_last_at: last.last_at ?? last.first_at,
      run_checks: last.checks,
      samples: packSamples(checks),
      hour_at: hour.at,
      hour: packHour(hour),
    })
    .where('account_id', '=', monitorKey.account_id)
    .where('monitor_id', '=', monitorKey.monitor_id)
    .execute();
}

interface Span extends Pick<Outage, 'cause' | 'message'> {
  from: number;
  /** End of the outage, ms UTC; null while it continues. */
  to: number | null;
}

function spanOf({ hoursAgo, minutes, cause, message }: Outage, now: number): Span {
  const from = now - hoursAgo * HOUR_MS;
  return { from, to: minutes === undefined ? null : from + minutes * MINUTE_MS, cause, message };
}

/**
 * Returns the times of the past checks in ms UTC, ascending. The last 90 checks are one check interval apart, the ones before six
 * hours. Further checks are at the start of each outage, 30 s later, and within the last half hour of an outage that continues.
 */
function instantsOf({ checkEveryMinutes, now }: Past, since: number, outages: readonly Span[]): number[] {
  const interval = checkEveryMinutes * MINUTE_MS;
  const instants = outages.flatMap(({ from, to }) => [
    from,
    from + 30_000,
    // The worker checks a down host at least once an hour, so put its last check at most 30 minutes ago.
    ...(to === null ? [Math.max(from + 30_000, now - HOUR_MS / 2)] : []),
  ]);
  for (let at = now - interval / 2; at > since;) {
    instants.push(at);
    at -= at > now - STRIP_CHECKS * interval ? interval : DAY_MS / 4;
  }
  return [...new Set(instants)].filter((at) => at > since && at < now).toSorted((one, other) => one - other);
}

/** Returns a response time in ms. Successive checks vary in waves, and a few of them are slow. */
function answerMs({ answersInMs = USUAL_ANSWER_MS, name }: DemoHost, index: number): number {
  const phase = name.length + index;
  const wave = 1 + 0.18 * Math.sin(phase / 3.7) + 0.1 * Math.sin(phase * 1.9);
  const isSlow = (phase * 7919) % 43 === 0;
  return Math.round(answersInMs * wave * (isSlow ? 3.4 : 1));
}
