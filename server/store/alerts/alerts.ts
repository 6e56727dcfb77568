import { type NotNull, type RawBuilder, sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { AlertRoute, RoutedAlert } from '../../core/alerting/route.ts';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import { mergeKey } from '../../core/alerting/merging.ts';
import { isWaiting } from '../mail/outbox.ts';
import { scheduleDelivery } from './merged-deliveries.ts';
import type { Tables } from '../schema/tables.ts';
import { alertOfDelivery } from '../db/dialect.ts';

interface AlertsToAdd {
  accountId: string;
  /** The monitor whose check planned the alerts. */
  monitorId: string;
  /** Alerts with the ids of their incidents. */
  alerts: readonly (RoutedAlert & { incidentId: string })[];
  /** SQL expression for the current time (ms UTC) of the clock that decides whether a lease has expired. */
  leaseClock: RawBuilder<number>;
  now: number;
}

/**
 * Supersedes waiting deliveries of the same incidents and queues one delivery per alert and channel, in the transaction that
 * records the cause. Skips deliveries that were queued before, except superseded ones. Returns how many it queued.
 */
export async function queueAlerts(trx: Transaction<Tables>, batch: AlertsToAdd): Promise<number> {
  let added = 0;
  for (const alert of batch.alerts) {
    await supersedeEarlier(trx, alert, batch);
    // Without a channel the alert is not stored, so that a later check plans it again.
    if (alert.routes.length === 0) continue;
    const createdAt = await nextCreatedAt(trx, alert, batch);
    const alertId = await saveAlert(trx, alert, { ...batch, createdAt });
    for (const route of alert.routes)
      added += await addDelivery(trx, { ...batch, alert, alertId, route, createdAt });
  }
  return added;
}

/**
 * Returns a creation time (ms UTC) later than that of all deliveries of the incident. Messages are sent in this order,
 * which must stay correct if the clock was set back.
 */
async function nextCreatedAt(
  trx: Transaction<Tables>,
  { incidentId }: AlertsToAdd['alerts'][number],
  { accountId, now }: AlertsToAdd,
): Promise<number> {
  const last = await trx
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max('created_at').as('at'))
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .executeTakeFirst();
  return Math.max(now, (last?.at ?? 0) + 1);
}

async function saveAlert(
  trx: Transaction<Tables>,
  { incidentId, problem, fingerprint, step, severity, facts }: AlertsToAdd['alerts'][number],
  { accountId, monitorId, createdAt }: AlertsToAdd & { createdAt: number },
): Promise<string> {
  const content = { severity, facts: JSON.stringify(facts), created_at: createdAt };
  const { id } = await trx
    .insertInto('alerts')
    .values({
      id: randomUUID(),
      account_id: accountId,
      // All alerts of an incident name the same domain first.
      monitor_id: sql<string>`coalesce((select earlier.monitor_id from alerts earlier
        where earlier.account_id = ${accountId} and earlier.incident_id = ${incidentId} limit 1), ${monitorId})`,
      incident_id: incidentId,
      kind: problem,
      step,
      fingerprint,
      ...content,
    })
    // An earlier check planned this alert, but nobody was notified: replace its facts with the current ones.
    .onConflict((conflict) => conflict.columns(['account_id', 'incident_id', 'step']).doUpdateSet(content))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Supersedes deliveries that wait for a channel, except those being sent or sent again by a person: all (`monitorId` null), or those whose alerts
 * are only about this monitor. Makes their monitors due: checks then use other channels. Publish `due` after the commit.
 */
export async function supersedeWaitingOn(
  trx: Transaction<Tables>,
  {
    accountId,
    channelKey,
    monitorId,
    detail,
    now,
  }: { accountId: string; channelKey: string; monitorId: string | null; detail: string; now: number },
): Promise<void> {
  const dropped = await supersedeWaitingQuery(trx, { detail, now })
    .where('account_id', '=', accountId)
    .where('channel_key', '=', channelKey)
    .where('lease_token', 'is', null)
    .$if(monitorId !== null, (query) =>
      query.where('alert_id', 'in', (eb) =>
        eb
          .selectFrom('alerts')
          .select('alerts.id')
          .where('alerts.account_id', '=', accountId)
          .where('alerts.monitor_id', '=', monitorId)
          .where(sql<boolean>`not ${concernsOthers}`),
      ),
    )
    .executeTakeFirst();
  if (dropped.numUpdatedRows === 0n) return;
  const waited = trx
    .selectFrom('deliveries')
    .innerJoin('alerts', alertOfDelivery)
    .select('alerts.monitor_id')
    .where('deliveries.account_id', '=', accountId)
    .where('channel_key', '=', channelKey)
    .where('deliveries.state', '=', 'superseded')
    .where('deliveries.settled_at', '=', now);
  await trx
    .updateTable('monitors')
    .set({ next_check_at: now })
    .where('account_id', '=', accountId)
    .where('next_check_at', '>', now)
    .where('id', 'in', waited.$narrowType<{ monitor_id: NotNull }>())
    .execute();
}

/** SQL condition for alerts that also concern other domains with the same certificate. */
export const concernsOthers = sql<boolean>`exists (select 1 from incident_members member
  where member.account_id = alerts.account_id and member.incident_id = alerts.incident_id
    and member.monitor_id != alerts.monitor_id)`;

/**
 * Returns an update that supersedes waiting deliveries, except those that a person asked to send again. The caller adds
 * conditions and executes it.
 */
export function supersedeWaitingQuery(
  trx: Transaction<Tables>,
  { detail, now }: { detail: string; now: number },
) {
  return trx
    .updateTable('deliveries')
    .set({ state: 'superseded', settled_at: now, detail })
    .where(isWaiting)
    .where('forced', '=', 0);
}

/**
 * Supersedes waiting deliveries of the incident. Keeps a delivery that is being sent now: `claimDueDeliveries` does not claim the
 * next message of the incident before it.
 */
async function supersedeEarlier(
  trx: Transaction<Tables>,
  { incidentId }: AlertsToAdd['alerts'][number],
  { accountId, leaseClock, now }: AlertsToAdd,
): Promise<void> {
  await supersedeWaitingQuery(trx, { detail: 'A later message replaced it.', now })
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .where((eb) => eb.or([eb('lease_token', 'is', null), eb('lease_expires_at', '<=', leaseClock)]))
    .execute();
}

/** SQL for the Message-ID that a delivery had before it was merged with others. */
export const OWN_MESSAGE_ID = sql<string>`'<' || deliveries.id || '@alerts.certlantern>'`;

async function addDelivery(
  trx: Transaction<Tables>,
  entry: AlertsToAdd & {
    alert: AlertsToAdd['alerts'][number];
    alertId: string;
    route: AlertRoute;
    createdAt: number;
  },
): Promise<number> {
  const { alert, route, createdAt } = entry;
  const { step, incidentId } = alert;
  const { accountId, now } = entry;
  const { leavesAt } = route;
  const id = randomUUID();
  const key = mergeKey(alert, route);
  const waiting = {
    state: 'waiting' as const,
    created_at: createdAt,
    ...(await scheduleDelivery(trx, { accountId, mergeKey: key, leavesAt, createdAt, now })),
  };
  const result = await trx
    .insertInto('deliveries')
    .values({
      id,
      account_id: accountId,
      alert_id: entry.alertId,
      incident_id: incidentId,
      channel: route.kind,
      channel_key: route.key,
      channel_id: route.key === ACCOUNT_MAIL ? null : route.key,
      dedupe_key: [incidentId, step, route.key].join(':'),
      merge_key: key,
      // The Message-ID is the same at every attempt, so that mail programs show a message sent twice only once.
      message_id: `<${id}@alerts.certlantern>`,
      attempts: 0,
      unanswered: 0,
      ...waiting,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'dedupe_key'])
        .doUpdateSet({
          ...waiting,
          message_id: OWN_MESSAGE_ID,
          first_attempt_at: null,
          settled_at: null,
          detail: null,
        })
        .where(sql<boolean>`deliveries.state = 'superseded'`),
    )
    .returning('id')
    .executeTakeFirst();
  return result === undefined ? 0 : 1;
}
