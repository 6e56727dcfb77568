import {
  type ExpressionBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type Transaction,
} from 'kysely';
import type { KnownIncident } from '../../core/alerting/incident.ts';
import { type DialectName, lockAlerts } from '../db/dialect.ts';
import { isActive, makeDueBy } from '../monitors/check-due.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';

/** Returns whether another active domain has an open incident about the certificate. */
export async function hasOtherOpen(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
  { problem, fingerprint }: Pick<KnownIncident, 'problem' | 'fingerprint'>,
): Promise<boolean> {
  const open = await trx
    .selectFrom('incidents')
    .innerJoin('monitors', (join) =>
      join
        .onRef('monitors.account_id', '=', 'incidents.account_id')
        .onRef('monitors.id', '=', 'incidents.monitor_id'),
    )
    .select('incidents.id')
    .where('incidents.account_id', '=', accountId)
    .where('incidents.fingerprint', '=', fingerprint)
    .where(isAboutCertificate)
    .where('incidents.problem', '=', problem)
    .where('incidents.ended_at', 'is', null)
    .where('incidents.monitor_id', '!=', monitorId)
    .where(isActive)
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}

/**
 * SQL condition for incidents about a certificate. It has a literal instead of a parameter, because SQLite uses a partial index only if
 * the query has its exact text.
 */
export const isAboutCertificate = sql<boolean>`fingerprint != ''`;

/**
 * SQL for the id of the incident that carries the alerts of an incident's certificate. It names the table, because `id` alone would be
 * that of the alert in a subquery of alerts.
 */
export const leadId = sql<string>`coalesce(incidents.group_id, incidents.id)`;

/** Selects the alert that reported the end of a group; `lead` is the id of the incident that carries its alerts. */
export const reportedEnd = (
  eb: ExpressionBuilder<Tables, 'incidents'>,
  accountId: string,
  lead: string | RawBuilder<string>,
) =>
  eb
    .selectFrom('alerts')
    .select('alerts.id')
    .where('alerts.account_id', '=', accountId)
    .where('alerts.incident_id', '=', lead)
    .where('step', '=', 'resolved');

/**
 * Moves the alerts of incidents to another incident of the same certificate, so that sent alerts are not repeated and queued ones are
 * still sent. Call before deleting incidents.
 */
export async function handOverAlerts(
  trx: Transaction<Tables>,
  accountId: string,
  incidentIds: readonly string[],
): Promise<void> {
  if (incidentIds.length === 0) return;
  const members = await trx
    .selectFrom('incidents')
    .select(['id', 'monitor_id'])
    .select((eb) => eb.ref('group_id').$notNull().as('group_id'))
    .where('account_id', '=', accountId)
    .where('group_id', 'in', incidentIds)
    .where('id', 'not in', incidentIds)
    .orderBy((eb) => eb.case().when('ended_at', 'is', null).then(0).else(1).end())
    .orderBy('started_at')
    .execute();
  for (const [former, [heir]] of Map.groupBy(members, ({ group_id: id }) => id)) {
    if (heir === undefined) continue;
    const own = trx
      .selectFrom('alerts')
      .select('step')
      .where('account_id', '=', accountId)
      .where('incident_id', '=', heir.id);
    const given = await trx
      .updateTable('alerts')
      .set({ incident_id: heir.id, monitor_id: heir.monitor_id })
      .where('account_id', '=', accountId)
      .where('incident_id', '=', former)
      .where('step', 'not in', own)
      .returning('id')
      .execute();
    if (given.length > 0)
      await trx
        .updateTable('deliveries')
        .set({ incident_id: heir.id })
        .where('account_id', '=', accountId)
        .where(
          'alert_id',
          'in',
          given.map(({ id }) => id),
        )
        .execute();
    await trx
      .updateTable('incidents')
      .set((eb) => ({ group_id: eb.case().when('id', '=', heir.id).then(null).else(heir.id).end() }))
      .where('account_id', '=', accountId)
      .where('group_id', '=', former)
      .execute();
  }
}

/**
 * If only the leaving monitors still have a certificate's problem, opens the incident of the domain that changed last again and makes
 * it due: its check reports the end. Call after locking them, before they are removed or after they were paused; then publish `due`.
 */
export async function reopenLastChanged(
  trx: Transaction<Tables>,
  dialect: DialectName,
  {
    accountId,
    leaving,
    now,
  }: {
    accountId: string;
    /** Ids of the monitors that are removed or were paused now. */
    leaving: SelectQueryBuilder<Tables, 'monitors', { id: string }>;
    now: number;
  },
): Promise<void> {
  await lockAlerts(trx, dialect, accountId);
  const groups = await trx
    .selectFrom('incidents')
    .select(['problem', 'fingerprint', leadId.as('lead')])
    .select((eb) => eb.fn.min('monitor_id').as('monitor_id'))
    .where('account_id', '=', accountId)
    .where('monitor_id', 'in', leaving)
    .where('ended_at', 'is', null)
    .where('fingerprint', '!=', '')
    // An incident of this problem ends at once, and its end is not reported.
    .where('problem', '!=', 'changed')
    .groupBy(['problem', 'fingerprint', leadId])
    .execute();
  for (const { monitor_id: monitorId, lead: group, ...about } of groups) {
    if (await hasOtherOpen(trx, { accountId, monitorId }, about)) continue;
    const changed = await trx
      .selectFrom('incidents')
      .innerJoin('monitors', (join) =>
        join
          .onRef('monitors.account_id', '=', 'incidents.account_id')
          .onRef('monitors.id', '=', 'incidents.monitor_id'),
      )
      .select(['incidents.id', 'monitor_id'])
      .select((eb) => eb.ref('ended_at').$notNull().as('endedAt'))
      .where('incidents.account_id', '=', accountId)
      .where((eb) => eb.or([eb('incidents.id', '=', group), eb('group_id', '=', group)]))
      .where('monitor_id', 'not in', leaving)
      .where('recovered', '=', 1)
      .where('ended_at', 'is not', null)
      .where(isActive)
      .where((eb) => eb.not(eb.exists(reportedEnd(eb, accountId, group))))
      .orderBy('ended_at', 'desc')
      .executeTakeFirst();
    if (changed === undefined) continue;
    await trx
      .updateTable('incidents')
      .set({ ended_at: null, recovered: 0, clearing_since: changed.endedAt })
      .where('account_id', '=', accountId)
      .where('id', '=', changed.id)
      .execute();
    await makeDueBy(trx, { accountId, monitorId: changed.monitor_id, at: now });
  }
}
