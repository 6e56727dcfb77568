import { type Kysely, sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { AlertFacts, AlertStep, Problem } from '../../core/alerting/alert.ts';
import {
  isSilent,
  NOT_NOTIFIED,
  REMEMBER_INCIDENTS_MS,
  type SharedIncident,
} from '../../core/alerting/incident.ts';
import { type AlertSettings, effectiveSettings } from '../../core/alerting/settings.ts';
import type { ConcernedCertificate } from '../../core/check/conclude.ts';
import { entitlementAt } from '../../core/plan.ts';
import { nameOf, type Targeted } from '../../core/target.ts';
import { storedEntitlement } from '../billing/entitlements.ts';
import { batches } from '../db/long-lists.ts';
import type { Store } from '../db/open-store.ts';
import { unsubscriptionsOf } from '../mail/unsubscriptions.ts';
import { isActive } from '../monitors/check-due.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import { maintenanceOfDomains } from './maintenance.ts';
import { isAboutCertificate, notifiedSteps, selectReportedEnd } from './incidents.ts';
import { parseAccountSettings, parseDomainSettings } from './stored-alerts.ts';
import { monitorOf } from '../db/dialect.ts';

/** A problem that an account has with a certificate, a registration or a deployment. */
interface SharedProblem {
  accountId: string;
  problem: Problem;
  fingerprint: string;
}

/** An active domain that serves the certificate of an incident, or that has or had the incident's problem. */
interface ConcernedDomain extends Targeted {
  id: string;
  lastCheckedAt: number | null;
  /** Whether the domain was ever a member of the incident. */
  isMember: boolean;
  /** Whether the domain's last check found the problem. */
  hasProblem: boolean;
  /** Whether the certificate last read at the domain is that of the incident. */
  isServing: boolean;
  isInMaintenance: boolean;
  settings: AlertSettings;
  /** Keys of channels whose reader unsubscribed from everything or from this domain. */
  unsubscribed: string[];
}

/** Reads the incidents of these certificates for a check of the monitor. Call it after `lockAlerts`, so that no alert is sent twice. */
export async function sharedIncidents(
  store: Store,
  trx: Transaction<Tables>,
  read: {
    key: MonitorKey;
    certificates: readonly ConcernedCertificate[];
    now: number;
  },
): Promise<SharedIncident[]> {
  const { key, now } = read;
  const { accountId } = key;
  const shared: SharedIncident[] = [];
  for (const { problem, fingerprint, isEnding } of read.certificates) {
    const about = { accountId, problem, fingerprint };
    const hasOthersOpen = await othersHaveProblem(trx, key, about);
    const incident = await openIncident(trx, { ...about, now });
    const id = incident?.id ?? null;
    // While other domains still have the problem, the incident does not end, so no alert needs the list of its domains.
    const domains =
      isEnding && hasOthersOpen ? [] : await concernedDomains(store, trx, { ...about, incidentId: id, now });
    const others = domains.filter((one) => one.id !== key.monitorId);
    const notified = id === null ? undefined : (await notifiedSteps(trx, accountId, [id])).get(id);
    shared.push({
      id,
      problem,
      fingerprint,
      acknowledgedAt: incident?.acknowledged_at ?? null,
      snoozedUntil: incident?.snoozed_until ?? null,
      ...(notified ?? NOT_NOTIFIED),
      othersServing: others.filter(({ isServing }) => isServing).length,
      hasOthersOpen,
      choices: distinct(
        others
          .filter(({ isMember }) => isMember || problem !== 'not_deployed')
          .filter((one) => !isSilent(one, { problem, step: null }))
          .map(({ settings, unsubscribed }) => ({ settings, unsubscribed })),
      ),
    });
  }
  return shared;
}

const distinct = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/** Returns whether another active domain has the problem. */
export async function othersHaveProblem(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  { problem, fingerprint }: Pick<SharedProblem, 'problem' | 'fingerprint'>,
): Promise<boolean> {
  const open = await membersOfSubject(trx, { accountId, problem, fingerprint })
    .innerJoin('monitors', monitorOf('incident_members'))
    .select('incident_members.id')
    .where('ended_at', 'is', null)
    .where('monitor_id', '!=', monitorId)
    .where(isActive)
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/**
 * Selects the members of all incidents of a subject. CROSS JOIN makes SQLite read incidents first, not all members of the
 * account.
 */
const membersOfSubject = (db: Kysely<Tables>, { accountId, problem, fingerprint }: SharedProblem) =>
  db
    .selectFrom('incidents')
    .crossJoin('incident_members')
    .whereRef('incident_members.account_id', '=', 'incidents.account_id')
    .whereRef('incident_members.incident_id', '=', 'incidents.id')
    .where('incidents.account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .where(isAboutCertificate)
    .where('incidents.problem', '=', problem);

/**
 * Returns the incident that a domain with the problem joins. An incident about a changed certificate ends at once, so domains
 * can join it for a week. No domain joins an incident whose end was reported.
 */
export async function openIncident(
  trx: Transaction<Tables>,
  { accountId, problem, fingerprint, now }: SharedProblem & { now: number },
) {
  return membersOfSubject(trx, { accountId, problem, fingerprint })
    .select(['incidents.id', 'acknowledged_at', 'snoozed_until'])
    .where((eb) =>
      eb.or([
        eb('ended_at', 'is', null),
        eb('reports_end', '=', 1),
        ...(problem === 'changed' ? [eb('ended_at', '>', now - REMEMBER_INCIDENTS_MS)] : []),
      ]),
    )
    .where((eb) => eb.not(eb.exists(selectReportedEnd(eb, accountId, sql`incidents.id`))))
    .limit(1)
    .executeTakeFirst();
}

/** Reads the active domains that an incident concerns, sorted by name. `incidentId` is null if the incident is not open yet. */
async function concernedDomains(
  store: Store,
  db: Kysely<Tables>,
  {
    accountId,
    incidentId,
    problem,
    fingerprint,
    now,
  }: SharedProblem & { incidentId: string | null; now: number },
): Promise<ConcernedDomain[]> {
  const account = await db
    .selectFrom('accounts')
    .select(['plan', 'plan_status', 'plan_source', 'plan_ends_at', 'time_zone', 'alert_settings'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const { plan } = entitlementAt(store, storedEntitlement(account), now);
  const ofAccount = parseAccountSettings(account.alert_settings);
  const members = db
    .selectFrom('incident_members')
    .select('monitor_id as id')
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId ?? '');
  // The key of a failing renewal is the fingerprint with the key of its cause.
  const [certificate = ''] = fingerprint.split(' ');
  const serving = db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .where('certificate_fingerprint', '=', certificate);
  const rows = await db
    .selectFrom('monitors')
    .select(['id', 'host', 'port', 'target', 'last_checked_at', 'alert_settings', 'certificate_fingerprint'])
    .select(sql<number>`case when id in (${members}) then 1 else 0 end`.as('is_member'))
    .select(
      sql<number>`case when id in (${members.where('ended_at', 'is', null).where('clearing_since', 'is', null)}) then 1 else 0 end`.as(
        'has_problem',
      ),
    )
    .where('account_id', '=', accountId)
    // For a changed certificate, take members only: other domains that serve the new certificate may have served it before.
    .where('id', 'in', problem === 'changed' ? members : serving.union(members))
    .where(isActive)
    .orderBy('host')
    .orderBy('port')
    .orderBy('target')
    .execute();
  const unsubscribed = [...(await unsubscriptionsOf(db, accountId))];
  const isInMaintenance = await maintenanceOfDomains(db, { accountId, now, timeZone: account.time_zone });
  return rows.map((row) => ({
    id: row.id,
    ...nameOf(row),
    lastCheckedAt: row.last_checked_at,
    isMember: row.is_member === 1,
    hasProblem: row.has_problem === 1,
    isServing: row.certificate_fingerprint === certificate,
    isInMaintenance: isInMaintenance(row.id),
    settings: effectiveSettings(ofAccount, parseDomainSettings(row.alert_settings), plan),
    unsubscribed: unsubscribed
      .filter(([, { all, monitorIds }]) => all || monitorIds.includes(row.id))
      .map(([channelKey]) => channelKey),
  }));
}

/** The domains that an alert names, sorted by name, and the number of members that no longer have the problem. */
export interface AlertedDomains {
  domains: Pick<ConcernedDomain, 'id' | 'host' | 'port' | 'target' | 'lastCheckedAt'>[];
  fixedCount: number;
}

/**
 * Returns the domains that an alert about a certificate names on a channel: members that had the problem at their last check and
 * are not silenced. For a recovery or a changed certificate, returns all members.
 */
export async function alertedDomains(
  store: Store,
  about: SharedProblem & { incidentId: string; step: AlertStep; channelKey: string; now: number },
): Promise<AlertedDomains> {
  const { step, channelKey, problem } = about;
  const isOver = step === 'resolved' || problem === 'changed';
  const domains = await concernedDomains(store, store.db, about);
  const members = domains.filter(({ isMember }) => isMember);
  const deployed = problem === 'not_deployed' ? domains.length - members.length : 0;
  const named = isOver
    ? members
    : members.filter(
        (one) => one.hasProblem && !isSilent(one, about) && !one.unsubscribed.includes(channelKey),
      );
  return {
    domains: named.map(({ id, lastCheckedAt, ...domain }) => ({ id, ...nameOf(domain), lastCheckedAt })),
    fixedCount: isOver ? 0 : deployed + members.filter(({ hasProblem }) => !hasProblem).length,
  };
}

/** A problem of domains that is known before their own checks find it. */
interface FoundProblem extends SharedProblem {
  /** The incident that the domains join; null for a new one. */
  incidentId: string | null;
  confirmedAt: number | null;
  facts: AlertFacts;
  now: number;
}

/**
 * Adds the active domains that serve the certificate of `facts` to an incident before their own checks, because an alert names
 * all of them. Returns the ids of the monitors that were not members yet.
 */
export async function addServingDomains(trx: Transaction<Tables>, found: FoundProblem): Promise<string[]> {
  const serving = await trx
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', found.accountId)
    .where('certificate_fingerprint', '=', found.facts.certificate?.fingerprint ?? '')
    .where(isActive)
    .execute();
  return addMembers(
    trx,
    serving.map(({ id }) => id),
    found,
  );
}

/**
 * Adds these monitors to an incident, except those that have its problem already. Returns the ids of the monitors that were
 * added.
 */
export async function addMembers(
  trx: Transaction<Tables>,
  monitorIds: readonly string[],
  { accountId, problem, fingerprint, incidentId, confirmedAt, facts, now }: FoundProblem,
): Promise<string[]> {
  if (monitorIds.length === 0) return [];
  const having = await membersOfSubject(trx, { accountId, problem, fingerprint })
    .select('monitor_id')
    .where('monitor_id', 'in', monitorIds)
    .where('ended_at', 'is', null)
    .execute();
  const known = new Set(having.map(({ monitor_id: id }) => id));
  const missing = monitorIds.filter((id) => !known.has(id));
  if (missing.length === 0) return [];
  const joined = incidentId ?? (await insertIncident(trx, { accountId, problem, fingerprint }));
  const rows = missing.map((monitorId, index) => ({
    account_id: accountId,
    id: incidentId === null && index === 0 ? joined : randomUUID(),
    incident_id: joined,
    monitor_id: monitorId,
    problem,
    started_at: now,
    confirmed_at: confirmedAt,
    recovered: 0,
    cause: problem,
    message: facts.message ?? '',
    facts: JSON.stringify(facts),
  }));
  for (const batch of batches(rows))
    await trx
      .insertInto('incident_members')
      .values(batch)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return missing;
}

/** Inserts an incident and returns its id. Give the first member the same id. */
export async function insertIncident(
  trx: Transaction<Tables>,
  { accountId, problem, fingerprint }: SharedProblem,
): Promise<string> {
  const id = randomUUID();
  await trx.insertInto('incidents').values({ account_id: accountId, id, problem, fingerprint }).execute();
  return id;
}
