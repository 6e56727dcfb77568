import { type Kysely, sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { AlertFacts, AlertStep, Problem } from '../../core/alerting/alert.ts';
import {
  type CertificateGroup,
  isSilent,
  type KnownIncident,
  REMEMBER_INCIDENTS_MS,
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
import { notifiedOf } from './incidents.ts';
import { hasOtherOpen, isAboutCertificate, leadId, reportedEnd } from './leaving-domains.ts';
import { parseAccountSettings, parseDomainSettings } from './stored-alerts.ts';

/** A problem with one certificate of an account. */
interface CertificateProblem {
  accountId: string;
  problem: Problem;
  fingerprint: string;
}

/** An active domain that serves a certificate, or had an incident about it. */
interface CertificateDomain extends Targeted {
  id: string;
  lastCheckedAt: number | null;
  /** Its open incident; null if there is none. */
  incident: Pick<KnownIncident, 'acknowledgedAt' | 'snoozedUntil' | 'clearingSince'> | null;
  hadIncident: boolean;
  /** Whether the certificate is the last one that was read there. */
  isServing: boolean;
  isInMaintenance: boolean;
  settings: AlertSettings;
  /** Keys of channels whose reader unsubscribed from everything or from this domain. */
  unsubscribed: string[];
}

/** A group with the id of the incident that carries its alerts; null if no incident is open yet. */
export type StoredGroup = CertificateGroup & { id: string | null };

/** Reads the groups of these certificates without the given monitor. Call it after `lockAlerts`, so that no alert is sent twice. */
export async function certificateGroups(
  store: Store,
  trx: Transaction<Tables>,
  read: {
    key: MonitorKey;
    certificates: readonly ConcernedCertificate[];
    now: number;
  },
): Promise<StoredGroup[]> {
  const { key, now } = read;
  const groups: StoredGroup[] = [];
  for (const { problem, fingerprint, isEnding } of read.certificates) {
    const about = { accountId: key.accountId, problem, fingerprint };
    const hasOthersOpen = await hasOtherOpen(trx, key, about);
    // The end of an incident is only reported if no other is open. Otherwise the domains are not needed.
    const domains = isEnding && hasOthersOpen ? [] : await domainsOf(store, trx, { ...about, now });
    const others = domains.filter(({ id }) => id !== key.monitorId);
    const id = await openGroup(trx, { ...about, now });
    groups.push({
      id,
      problem,
      fingerprint,
      ...(await notifiedOf(trx, key.accountId, id)),
      othersServing: others.filter(({ isServing }) => isServing).length,
      hasOthersOpen,
      choices: distinct(
        others
          .filter(({ hadIncident }) => hadIncident || problem !== 'not_deployed')
          .filter((one) => !isSilent(one, { problem, step: null, now }))
          .map(({ settings, unsubscribed }) => ({ settings, unsubscribed })),
      ),
    });
  }
  return groups;
}

const distinct = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

/**
 * Returns the id of the incident that a new incident about the certificate joins. A change is over at once, so its incident also
 * counts for a week. An incident whose end was reported takes no others.
 */
export async function openGroup(
  trx: Transaction<Tables>,
  { accountId, problem, fingerprint, now }: CertificateProblem & { now: number },
): Promise<string | null> {
  const row = await trx
    .selectFrom('incidents')
    .select(leadId.as('id'))
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .where(isAboutCertificate)
    .where('problem', '=', problem)
    .where((eb) =>
      problem === 'changed'
        ? eb.or([eb('ended_at', 'is', null), eb('ended_at', '>', now - REMEMBER_INCIDENTS_MS)])
        : eb('ended_at', 'is', null),
    )
    .where((eb) => eb.not(eb.exists(reportedEnd(eb, accountId, leadId))))
    .orderBy('started_at')
    // With its table, because `id` alone would be the selected one, which is not in the index.
    .orderBy('incidents.id')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Reads the active domains of a certificate, by name. */
async function domainsOf(
  store: Store,
  db: Kysely<Tables>,
  { accountId, problem, fingerprint, now }: CertificateProblem & { now: number },
): Promise<CertificateDomain[]> {
  const account = await db
    .selectFrom('accounts')
    .select(['plan', 'plan_status', 'plan_source', 'plan_ends_at', 'time_zone', 'alert_settings'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const { plan } = entitlementAt(store, storedEntitlement(account), now);
  const ofAccount = parseAccountSettings(account.alert_settings);
  const had = db
    .selectFrom('incidents')
    .select('monitor_id as id')
    .where('account_id', '=', accountId)
    .where('fingerprint', '=', fingerprint)
    .where(isAboutCertificate)
    .where('problem', '=', problem);
  const serving = db
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', accountId)
    .where('certificate_fingerprint', '=', fingerprint);
  const rows = await db
    .selectFrom('monitors')
    .leftJoin('incidents', (join) =>
      join
        .onRef('incidents.account_id', '=', 'monitors.account_id')
        .onRef('incidents.monitor_id', '=', 'monitors.id')
        .on('incidents.problem', '=', problem)
        .on('incidents.fingerprint', '=', fingerprint)
        .on('incidents.ended_at', 'is', null),
    )
    .select(['monitors.id', 'host', 'port', 'target', 'last_checked_at'])
    .select(['alert_settings', 'certificate_fingerprint'])
    .select(['incidents.id as incident_id', 'acknowledged_at', 'snoozed_until', 'clearing_since'])
    .select(sql<number>`case when monitors.id in (${had}) then 1 else 0 end`.as('had_incident'))
    .where('monitors.account_id', '=', accountId)
    // Another domain that serves the new certificate did not necessarily change.
    .where('monitors.id', 'in', problem === 'changed' ? had : serving.union(had))
    .where(isActive)
    .orderBy('host')
    .orderBy('port')
    .execute();
  const unsubscribed = [...(await unsubscriptionsOf(db, accountId))];
  const isInMaintenance = await maintenanceOfDomains(db, { accountId, now, timeZone: account.time_zone });
  return rows.map((row) => ({
    id: row.id,
    ...nameOf(row),
    lastCheckedAt: row.last_checked_at,
    incident:
      row.incident_id === null
        ? null
        : {
            acknowledgedAt: row.acknowledged_at,
            snoozedUntil: row.snoozed_until,
            clearingSince: row.clearing_since,
          },
    hadIncident: row.had_incident === 1,
    isServing: row.certificate_fingerprint === fingerprint,
    isInMaintenance: isInMaintenance(row.id),
    settings: effectiveSettings(ofAccount, parseDomainSettings(row.alert_settings), plan),
    unsubscribed: unsubscribed
      .filter(([, { all, monitorIds }]) => all || monitorIds.includes(row.id))
      .map(([channelKey]) => channelKey),
  }));
}

/** The domains that an alert names, by name, and the number of those that no longer have the problem. */
export interface AlertedGroup {
  domains: Pick<CertificateDomain, 'id' | 'host' | 'port' | 'target' | 'lastCheckedAt'>[];
  changed: number;
}

/**
 * Returns the domains that an alert about a certificate names on a channel: those that had the problem at their last check and are not
 * silenced; for a recovery, those that had it before.
 */
export async function alertedGroup(
  store: Store,
  about: CertificateProblem & { step: AlertStep; channelKey: string; now: number },
): Promise<AlertedGroup> {
  const { step, channelKey, problem } = about;
  const isOver = step === 'resolved' || problem === 'changed';
  const domains = await domainsOf(store, store.db, about);
  const all = domains.filter(({ hadIncident }) => hadIncident);
  const deployed = problem === 'not_deployed' ? domains.length - all.length : 0;
  const isChanged = ({ incident }: CertificateDomain) => incident === null || incident.clearingSince !== null;
  const named = isOver
    ? all
    : all.filter((one) => !isChanged(one) && !isSilent(one, about) && !one.unsubscribed.includes(channelKey));
  return {
    domains: named.map(({ id, host, port, lastCheckedAt }) => ({ id, host, port, lastCheckedAt })),
    changed: isOver ? 0 : deployed + all.filter(isChanged).length,
  };
}

/** A problem for which incidents are opened before a check of their domains finds it. */
interface SharedProblem extends CertificateProblem {
  /** The incident that carries the alerts; null: the first one. */
  groupId: string | null;
  confirmedAt: number | null;
  facts: AlertFacts;
  now: number;
}

/**
 * Opens incidents for the active domains that serve the certificate of `facts`, before their own checks: an alert names all of them.
 * Returns the ids of the monitors whose incident is new.
 */
export async function openForOthers(trx: Transaction<Tables>, shared: SharedProblem): Promise<string[]> {
  const serving = await trx
    .selectFrom('monitors')
    .select('id')
    .where('account_id', '=', shared.accountId)
    .where('certificate_fingerprint', '=', shared.facts.certificate?.fingerprint ?? '')
    .where(isActive)
    .execute();
  return openIncidents(
    trx,
    serving.map(({ id }) => id),
    shared,
  );
}

/** Opens incidents for these monitors, except those that have one. Returns the ids of the monitors whose incident is new. */
export async function openIncidents(
  trx: Transaction<Tables>,
  monitorIds: readonly string[],
  { accountId, problem, fingerprint, groupId, confirmedAt, facts, now }: SharedProblem,
): Promise<string[]> {
  if (monitorIds.length === 0) return [];
  const having = await trx
    .selectFrom('incidents')
    .select('monitor_id')
    .where('account_id', '=', accountId)
    .where('monitor_id', 'in', monitorIds)
    .where('problem', '=', problem)
    .where('fingerprint', '=', fingerprint)
    .where('ended_at', 'is', null)
    .execute();
  const known = new Set(having.map(({ monitor_id: id }) => id));
  const missing = monitorIds.filter((id) => !known.has(id));
  const lead = groupId ?? randomUUID();
  const opened = {
    account_id: accountId,
    problem,
    fingerprint,
    started_at: now,
    confirmed_at: confirmedAt,
    recovered: 0,
    cause: problem,
    message: facts.message ?? '',
    facts: JSON.stringify(facts),
  };
  const rows = missing.map((id, index) =>
    groupId === null && index === 0
      ? { ...opened, id: lead, group_id: null, monitor_id: id }
      : { ...opened, id: randomUUID(), group_id: lead, monitor_id: id },
  );
  for (const batch of batches(rows))
    await trx
      .insertInto('incidents')
      .values(batch)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return missing;
}
