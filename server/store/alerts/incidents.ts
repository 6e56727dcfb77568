import { type Kysely, sql, type Transaction } from 'kysely';
import type { KnownIncident } from '../../core/alerting/incident.ts';
import { compileOnce } from '../db/dialect.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import type { DeliveryState } from '../schema/alert-tables.ts';
import { HOUR_MS } from '../../../contract/durations.ts';

/** SQL condition for downtime incidents. All others are about certificates or registrations. */
export const isDown = sql<boolean>`problem = 'down'`;

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
    .updateTable('incidents')
    .set({ ended_at: now })
    .where('account_id', '=', accountId)
    .where(isDown)
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

const NOTIFYING_STATES: ReadonlySet<string | null> = new Set<DeliveryState>(['waiting', 'delivered']);
/** What was sent for an incident. */
export type Notified = Pick<KnownIncident, 'notifiedSteps' | 'lastStepAt'>;
export const NOT_NOTIFIED: Notified = { notifiedSteps: [], lastStepAt: null };

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

/** Returns what was sent for an incident; nothing if `id` is null. */
export async function notifiedOf(
  db: Kysely<Tables>,
  accountId: string,
  id: string | null,
): Promise<Notified> {
  const notified = id === null ? null : await notifiedSteps(db, accountId, [id]);
  return notified?.get(id ?? '') ?? NOT_NOTIFIED;
}

/** Clock error that may go unnoticed. Records that are at most this far ahead are kept. */
export const CLOCK_ERROR_MS = HOUR_MS;

/** Selects a row if there are incidents or alerts after a time. Nearly every check finds none. */
const foundAfter = compileOnce((db, { accountId, monitorId, ahead }: MonitorKey & { ahead: number }) =>
  sql<{ found: number }>`select 1 as found where exists (
      select 1 from alerts where account_id = ${accountId} and monitor_id = ${monitorId} and created_at > ${ahead})
    or exists (select 1 from incidents where account_id = ${accountId} and monitor_id = ${monitorId}
      and (started_at > ${ahead} or (ended_at is null and clearing_since > ${ahead})))`.compile(db),
);

/**
 * Deletes incidents and alerts recorded while the clock ran ahead, also alerts already sent, and resets `clearing_since`. Otherwise
 * a certificate that seemed expired then would never be reported again.
 */
export async function deleteFutureIncidents(
  trx: Transaction<Tables>,
  { accountId, monitorId, now }: MonitorKey & { now: number },
): Promise<void> {
  const ahead = now + CLOCK_ERROR_MS;
  const rows = await foundAfter(trx, { accountId, monitorId, ahead });
  if (rows.length === 0) return;
  const deleted = await trx
    .deleteFrom('incidents')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('started_at', '>', ahead)
    .returning('id')
    .execute();
  // Their alerts are gone too, so the others of the certificate are alone again.
  for (const { id } of deleted)
    await trx
      .updateTable('incidents')
      .set({ group_id: null })
      .where('account_id', '=', accountId)
      .where('group_id', '=', id)
      .execute();
  await trx
    .deleteFrom('alerts')
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('created_at', '>', ahead)
    .execute();
  await trx
    .updateTable('incidents')
    .set({ clearing_since: null })
    .where('account_id', '=', accountId)
    .where('monitor_id', '=', monitorId)
    .where('ended_at', 'is', null)
    .where('clearing_since', '>', ahead)
    .execute();
}
