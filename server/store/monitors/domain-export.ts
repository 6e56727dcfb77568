import type { Kysely } from 'kysely';
import { parseFacts } from '../checks/certificates.ts';
import { checkRunsOf } from '../checks/check-runs.ts';
import { describeVerdict } from '../../core/report/describe-finding.ts';
import { checkWords, forecastMessage } from '../../core/forecast/forecast-words.ts';
import { selectMembers } from '../alerts/incidents.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { parseSamples } from '../checks/samples.ts';
import { forecastOf } from '../forecasts/forecasts.ts';
import { selectCertificateHistory } from '../checks/check-evidence.ts';
import { parseVerdict } from '../checks/verdict-row.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { monitorOf } from '../db/dialect.ts';

/** Limits that apply to the export of a large account. All other data is exported completely. */
export const EXPORT_LIMITS = {
  checksOfDays: 90,
  /**
   * Maximum number of check runs per domain, newest first. For accounts with many domains it is lower, so that the total is about
   * `checksInAll`.
   */
  checksOfADomain: 1_000,
  checksInAll: 50_000,
  leastChecksOfADomain: 10,
  incidentsOfADomain: 1_000,
  certificatesOfADomain: 1_000,
  verdictsOfADomain: 100,
  evidenceOfADomain: 100,
} as const;

/**
 * Returns the dated records of one domain, as the export writes them: incidents, certificates, the forecast, verdicts, evidence, at most `limit`
 * runs of checks, the last checks and daily figures.
 */
export async function exportHistoryOf(
  db: Kysely<Tables>,
  key: MonitorKey,
  { limit, now }: { limit: number; now: number },
) {
  const since = now - EXPORT_LIMITS.checksOfDays * DAY_MS;
  const runs = await checkRunsOf(db, { ...key, since, limit });
  const certificates = await selectCertificateHistory(db, key)
    .limit(EXPORT_LIMITS.certificatesOfADomain)
    .execute();
  return {
    incidents: await incidentsOf(db, key),
    certificates: certificates.map(({ fingerprint, role, first_seen_at, last_seen_at, facts }) => ({
      fingerprint,
      role,
      first_seen_at,
      last_seen_at,
      facts: parseFacts(facts),
    })),
    forecast: await forecastIn(db, key),
    verdicts: await verdictsOf(db, key),
    evidence: await evidenceOf(db, key),
    checks: runs.map((run) => ({
      first_at: run.firstAt,
      last_at: run.lastAt,
      checks: run.checks,
      reached: run.reached,
      uptime: run.uptime,
      down_message: run.downMessage,
      verdict_id: run.verdictId,
      evidence_id: run.evidenceId,
    })),
    last_checks: await samplesOf(db, key),
    days: await daysOf(db, key),
  };
}

/** Returns the forecast of the next renewal in words; null if there is none. */
async function forecastIn(db: Kysely<Tables>, key: MonitorKey) {
  const forecast = await forecastOf({ db }, key);
  if (forecast === null || forecast === 'pending') return null;
  const { at, outcome, expectedAt, checks } = forecast;
  return {
    made_at: at,
    outcome,
    expected_at: expectedAt,
    message: forecastMessage(forecast),
    checks: checks.map((check) => ({ state: check.state, names: check.names, ...checkWords(check) })),
  };
}

async function incidentsOf(db: Kysely<Tables>, { accountId, monitorId }: MonitorKey) {
  return selectMembers(db, accountId)
    .select(['members.id', 'members.problem', 'fingerprint', 'started_at', 'confirmed_at', 'ended_at'])
    .select(['cause', 'message', 'acknowledged_at', 'snoozed_until'])
    .where('monitor_id', '=', monitorId)
    .orderBy('started_at', 'desc')
    .limit(EXPORT_LIMITS.incidentsOfADomain)
    .execute();
}

/** Returns the verdicts in words, because readers of an export do not know the codes. */
async function verdictsOf(db: Kysely<Tables>, { accountId, monitorId }: MonitorKey) {
  const rows = await db
    .selectFrom('verdicts')
    .innerJoin('monitors', monitorOf('verdicts'))
    .select(['verdicts.id', 'judged_at', 'verdict', 'host', 'port', 'protocol', 'target'])
    .where('verdicts.account_id', '=', accountId)
    .where('verdicts.monitor_id', '=', monitorId)
    .orderBy('judged_at', 'desc')
    .limit(EXPORT_LIMITS.verdictsOfADomain)
    .execute();
  return rows.map(({ id, judged_at, verdict: text, ...endpoint }) => {
    const verdict = parseVerdict(text);
    return { id, judged_at, verdict: verdict && describeVerdict(verdict, endpoint) };
  });
}

async function evidenceOf(db: Kysely<Tables>, { accountId, monitorId }: MonitorKey) {
  const rows = await db
    .selectFrom('evidence')
    .select(['id', 'first_seen_at', 'observation'])
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .orderBy('first_seen_at', 'desc')
    .limit(EXPORT_LIMITS.evidenceOfADomain)
    .execute();
  return rows.map((row) => ({ ...row, observation: JSON.parse(row.observation) as unknown }));
}

async function samplesOf(db: Kysely<Tables>, { accountId, monitorId }: MonitorKey) {
  const row = await db
    .selectFrom('monitor_states')
    .select('samples')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .executeTakeFirst();
  return parseSamples(row?.samples ?? null).map(({ at, state, responseMs, message }) => ({
    at,
    state,
    response_ms: responseMs,
    message,
  }));
}

async function daysOf(db: Kysely<Tables>, { accountId, monitorId }: MonitorKey) {
  const rows = await db
    .selectFrom('monitor_days')
    .select(['day_at', 'checks', 'up', 'down', 'unknown', 'answered', 'response_sum', 'response_max'])
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .orderBy('day_at', 'desc')
    .execute();
  return rows;
}
