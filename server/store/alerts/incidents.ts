import {
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
  type Transaction,
} from 'kysely';
import { NOT_NOTIFIED, type Notified } from '../../core/alerting/incident.ts';
import { compileOnce, type DialectName, lockAlerts, monitorOf } from '../db/dialect.ts';
import { isActive, makeDueBy } from '../monitors/check-due.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import type { DeliveryState } from '../schema/alert-tables.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

/** SQL condition for members of downtime incidents. */
export const isDownIncident = sql<boolean>`problem = 'down'`;

/**
 * Column values that clear the uptime of a monitor that is not checked. Uptime starts again with the first check after
 * the pause.
 */
export const RESET_UPTIME = {
  uptime: null,
  uptime_since: null,
  suspected_since: null,
  down_since: null,
  down_seen_at: null,
};

/**
 * Ends open downtime incidents and resets uptime, in the transaction that stops the checks of an account's monitors.
 */
export async function endOutagesOfPaused(
  trx: Transaction<Tables>,
  { accountId, now }: { accountId: string; now: number },
): Promise<void> {
  await trx
    .updateTable('incident_members')
    .set({ ended_at: now })
    .where('account_id', '=', accountId)
    .where(isDownIncident)
    .where('ended_at', 'is', null)
    .where('monitor_id', 'in', (eb) =>
      eb
        .selectFrom('monitors')
        .select('id')
        .where('account_id', '=', accountId)
        .where('active', '=', 0)
        .where('down_since', 'is not', null),
    )
    .execute();
  await trx
    .updateTable('monitors')
    .set(RESET_UPTIME)
    .where('account_id', '=', accountId)
    .where('active', '=', 0)
    .where('uptime', 'is not', null)
    .execute();
}

/**
 * SQL condition for incidents about a certificate or registration. It contains a literal instead of a parameter, because SQLite
 * uses a partial index only if the query contains the index's condition word for word.
 */
export const isAboutCertificate = sql<boolean>`fingerprint != ''`;

/**
 * Selects members of an account with their incidents. CROSS JOIN makes SQLite read members first, not all incidents of the
 * account.
 */
export const selectMembers = (db: Kysely<Tables>, accountId: string) =>
  db
    .selectFrom('incident_members as members')
    .crossJoin('incidents')
    .whereRef('incidents.account_id', '=', 'members.account_id')
    .whereRef('incidents.id', '=', 'members.incident_id')
    .where('members.account_id', '=', accountId);

/** Selects the alert that reported the end of an incident. */
export const selectReportedEnd = (
  eb: ExpressionBuilder<Tables, 'incidents'>,
  accountId: string,
  incidentId: RawBuilder<string>,
) =>
  eb
    .selectFrom('alerts')
    .select('alerts.id')
    .where('alerts.account_id', '=', accountId)
    .where('alerts.incident_id', '=', incidentId)
    .where('step', '=', 'resolved');

/**
 * Finds incidents that only the leaving monitors still have, and makes the monitor that recovered last due: its check reports the
 * end. Call it with the monitors locked, before they are removed or after they were paused. Publish `due` after the commit.
 */
export async function letOthersReportEnd(
  trx: Transaction<Tables>,
  dialect: DialectName,
  {
    accountId,
    leaving,
    now,
  }: {
    accountId: string;
    /** Selects the ids of the monitors that are about to be removed or were just paused. */
    leaving: SelectQueryBuilder<Tables, 'monitors', { id: string }>;
    now: number;
  },
): Promise<void> {
  await lockAlerts(trx, dialect, accountId);
  const left = await selectMembers(trx, accountId)
    .select('incidents.id')
    .distinct()
    .where('monitor_id', 'in', leaving)
    .where('ended_at', 'is', null)
    .where(isAboutCertificate)
    // Incidents about a changed certificate end at once, and their end is not reported.
    .where('incidents.problem', '!=', 'changed')
    .where((eb) => eb.not(eb.exists(selectReportedEnd(eb, accountId, sql`incidents.id`))))
    .execute();
  for (const { id: incidentId } of left) {
    const remaining = trx
      .selectFrom('incident_members')
      .innerJoin('monitors', monitorOf('incident_members'))
      .select(['incident_members.id', 'monitor_id'])
      .where('incident_members.account_id', '=', accountId)
      .where('incident_id', '=', incidentId)
      .where('monitor_id', 'not in', leaving)
      .where(isActive)
      .limit(1);
    if ((await remaining.where('ended_at', 'is', null).executeTakeFirst()) !== undefined) continue;
    const last = await remaining.where('recovered', '=', 1).orderBy('ended_at', 'desc').executeTakeFirst();
    if (last === undefined) continue;
    await trx
      .updateTable('incident_members')
      .set({ reports_end: 1 })
      .where('account_id', '=', accountId)
      .where('id', '=', last.id)
      .execute();
    await makeDueBy(trx, { accountId, monitorId: last.monitor_id, at: now });
  }
}

/**
 * Alerts name one monitor first. Before this monitor is removed, makes its alerts name another member of the incident first, so
 * that they are kept. Alerts of incidents without other members are deleted with the monitor.
 */
export async function nameOtherMembersFirst(
  trx: Transaction<Tables>,
  { accountId, monitorId }: MonitorKey,
): Promise<void> {
  const other = sql<string>`(select other.monitor_id from incident_members other
    where other.account_id = alerts.account_id and other.incident_id = alerts.incident_id
      and other.monitor_id != alerts.monitor_id
    order by case when other.ended_at is null then 0 else 1 end, other.started_at, other.id limit 1)`;
  await trx
    .updateTable('alerts')
    .set({ monitor_id: sql`coalesce(${other}, monitor_id)` })
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('incident_id', 'is not', null)
    .execute();
}

const NOTIFYING_STATES: ReadonlySet<string | null> = new Set<DeliveryState>(['waiting', 'delivered']);
/**
 * Returns the steps with a waiting or delivered delivery, by incident id. Omits alerts that notified nobody: alerts without a
 * channel, and alerts that failed or were superseded on every channel.
 */
export async function notifiedSteps(
  db: Kysely<Tables>,
  accountId: string,
  incidentIds: readonly string[],
): Promise<Map<string, Notified>> {
  const rows = await db
    .selectFrom('alerts')
    .leftJoin('deliveries', (join) =>
      join
        .onRef('deliveries.account_id', '=', 'alerts.account_id')
        .onRef('deliveries.alert_id', '=', 'alerts.id'),
    )
    .select(['alerts.id', 'alerts.incident_id', 'alerts.step', 'alerts.created_at', 'deliveries.state'])
    .where('alerts.account_id', '=', accountId)
    .where('alerts.incident_id', 'in', incidentIds)
    .orderBy('alerts.created_at')
    .orderBy('alerts.id')
    .execute();
  const notified = new Map<string, Notified>();
  for (const alert of Map.groupBy(rows, ({ id }) => id).values()) {
    const [first] = alert;
    if (!first?.incident_id || alert.every(({ state }) => !NOTIFYING_STATES.has(state))) continue;
    const before = notified.get(first.incident_id) ?? NOT_NOTIFIED;
    notified.set(first.incident_id, {
      notifiedSteps: [...before.notifiedSteps, first.step],
      lastStepAt:
        first.step === 'resolved' ? before.lastStepAt : Math.max(before.lastStepAt ?? 0, first.created_at),
    });
  }
  return notified;
}

/** Clock error that may go unnoticed. We keep records whose time is at most this far in the future. */
export const CLOCK_ERROR_MS = HOUR_MS;

/** Selects a row if the monitor has incidents or alerts with a later time than `ahead`. For nearly every check there are none. */
const foundAfter = compileOnce((db, { accountId, monitorId, ahead }: MonitorKey & { ahead: number }) =>
  sql<{ found: number }>`select 1 as found where exists (
      select 1 from alerts where account_id = ${accountId} and monitor_id = ${monitorId} and created_at > ${ahead})
    or exists (select 1 from incident_members where account_id = ${accountId} and monitor_id = ${monitorId}
      and (started_at > ${ahead} or (ended_at is null and clearing_since > ${ahead})))`.compile(db),
);

/**
 * Deletes members of incidents and alerts that were recorded while the clock ran ahead, even alerts already sent, and resets
 * `clearing_since`. Otherwise a certificate that seemed expired then would never be reported again.
 */
export async function deleteFutureIncidents(
  trx: Transaction<Tables>,
  { accountId, monitorId, now }: MonitorKey & { now: number },
): Promise<void> {
  const ahead = now + CLOCK_ERROR_MS;
  const rows = await foundAfter(trx, { accountId, monitorId, ahead });
  if (rows.length === 0) return;
  await trx
    .deleteFrom('incident_members')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('started_at', '>', ahead)
    .execute();
  await trx
    .deleteFrom('alerts')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('created_at', '>', ahead)
    .execute();
  await trx
    .updateTable('incident_members')
    .set({ clearing_since: null })
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('ended_at', 'is', null)
    .where('clearing_since', '>', ahead)
    .execute();
}
