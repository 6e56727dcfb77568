import type { Kysely } from 'kysely';
import type { AlertFacts, AlertKind, AlertSeverity, AlertStep } from '../../core/alerting/alert.ts';
import type { ChannelKind } from '../../core/alerting/route.ts';
import { nameOf, type Targeted } from '../../core/target.ts';
import type { MonitorKey, Tables } from '../schema/tables.ts';
import type { Store } from '../db/open-store.ts';
import type { DeliveryAttemptsTable, DeliveryState } from '../schema/alert-tables.ts';
import { readAlertFacts } from './stored-alerts.ts';
import { alertOfDelivery, monitorOf } from '../db/dialect.ts';

/** An alert that was sent or is queued. Timestamps are in ms UTC. */
export interface SentAlert {
  id: string;
  kind: AlertKind;
  step: AlertStep;
  severity: AlertSeverity;
  facts: AlertFacts;
  /** The monitor concerned; null for a test message. */
  monitor: (Targeted & { id: string }) | null;
  createdAt: number;
}

/** The delivery of one alert on one channel, with its attempts. Timestamps are in ms UTC. */
export interface DeliveryRecord {
  id: string;
  alert: SentAlert;
  channelKey: string;
  channelKind: ChannelKind;
  /** Name that the account gave the channel; null for mail to the account's own address and for a removed channel. */
  channelName: string | null;
  state: DeliveryState;
  detail: string | null;
  nextAttemptAt: number;
  firstAttemptAt: number | null;
  settledAt: number | null;
  createdAt: number;
  /** The last 20 attempts, oldest first. */
  attempts: Attempt[];
}

export interface Attempt {
  attempt: number;
  startedAt: number;
  finishedAt: number | null;
  outcome: DeliveryAttemptsTable['outcome'];
  detail: string | null;
}

const MAX_SHOWN_ATTEMPTS = 20;
const MAX_SHOWN_ALERTS = 20;

/**
 * Returns at most `limit` deliveries of a channel, newest first. With `after`, the list starts after this delivery.
 * Returns none if the channel belongs to another account.
 */
export async function deliveriesOfChannel(
  store: Store,
  {
    accountId,
    channelKey,
    limit,
    after = null,
  }: {
    accountId: string;
    channelKey: string;
    limit: number;
    after?: { createdAt: number; id: string } | null;
  },
): Promise<DeliveryRecord[]> {
  const rows = await selectDeliveries(store.db, accountId)
    .where('deliveries.channel_key', '=', channelKey)
    .$if(after !== null, (select) =>
      select.where((eb) =>
        eb.or([
          eb('deliveries.created_at', '<', after?.createdAt ?? 0),
          eb.and([
            eb('deliveries.created_at', '=', after?.createdAt ?? 0),
            eb('deliveries.id', '>', after?.id ?? ''),
          ]),
        ]),
      ),
    )
    .orderBy('deliveries.created_at', 'desc')
    .orderBy('deliveries.id')
    .limit(limit)
    .execute();
  return withAttempts(store.db, accountId, rows);
}

/** Returns a delivery of the account, or null if the account has none with this id. */
export async function deliveryOf(
  db: Kysely<Tables>,
  { accountId, deliveryId }: { accountId: string; deliveryId: string },
): Promise<DeliveryRecord | null> {
  const rows = await selectDeliveries(db, accountId).where('deliveries.id', '=', deliveryId).execute();
  const [record] = await withAttempts(db, accountId, rows);
  return record ?? null;
}

/** Returns the 20 newest alerts of a monitor, each with its deliveries. */
export async function sentAlerts(
  store: Store,
  { accountId, monitorId }: MonitorKey,
): Promise<{ alert: SentAlert; deliveries: DeliveryRecord[] }[]> {
  const rows = await store.db
    .selectFrom('alerts')
    .innerJoin('monitors', monitorOf('alerts'))
    .select(ALERT_COLUMNS)
    .where('alerts.account_id', '=', accountId)
    .where((eb) =>
      eb.or([
        eb('alerts.monitor_id', '=', monitorId),
        // Include the alerts of incidents that this monitor shares with others: they may name another monitor first.
        eb('alerts.incident_id', 'in', (own) =>
          own
            .selectFrom('incident_members')
            .select('incident_id')
            .where('incident_members.account_id', '=', accountId)
            .where('incident_members.monitor_id', '=', monitorId),
        ),
      ]),
    )
    .orderBy('alerts.created_at', 'desc')
    .orderBy('alerts.id')
    .limit(MAX_SHOWN_ALERTS)
    .execute();
  if (rows.length === 0) return [];
  const deliveries = await withAttempts(
    store.db,
    accountId,
    await selectDeliveries(store.db, accountId)
      .where(
        'deliveries.alert_id',
        'in',
        rows.map(({ alertId }) => alertId),
      )
      .orderBy('deliveries.created_at')
      .orderBy('deliveries.id')
      .execute(),
  );
  const byAlert = Map.groupBy(deliveries, ({ alert }) => alert.id);
  return rows.map((row) => ({ alert: toAlert(row), deliveries: byAlert.get(row.alertId) ?? [] }));
}

const ALERT_COLUMNS = [
  'alerts.id as alertId',
  'alerts.kind',
  'alerts.step',
  'alerts.severity',
  'alerts.facts',
  'alerts.created_at as alertCreatedAt',
  'monitors.id as monitorId',
  'monitors.host',
  'monitors.port',
  'monitors.target',
] as const;

const selectDeliveries = (db: Kysely<Tables>, accountId: string) =>
  db
    .selectFrom('deliveries')
    .innerJoin('alerts', alertOfDelivery)
    .leftJoin('monitors', monitorOf('alerts'))
    .leftJoin('channels', 'channels.id', 'deliveries.channel_id')
    .select(ALERT_COLUMNS)
    .select(['deliveries.id', 'channel', 'channel_key', 'channels.name', 'state', 'detail'])
    .select(['next_attempt_at', 'first_attempt_at', 'settled_at', 'deliveries.created_at'])
    .where('deliveries.account_id', '=', accountId);

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof selectDeliveries>['executeTakeFirstOrThrow']>>;

function toAlert(
  row: Pick<DeliveryRow, 'alertId' | 'kind' | 'step' | 'severity' | 'facts' | 'alertCreatedAt'> &
    Pick<DeliveryRow, 'monitorId' | 'host' | 'port' | 'target'>,
): SentAlert {
  const { monitorId, host, port, target } = row;
  return {
    id: row.alertId,
    kind: row.kind,
    step: row.step,
    severity: row.severity,
    facts: readAlertFacts(row.facts, { at: row.alertCreatedAt }),
    monitor:
      monitorId === null || host === null || port === null
        ? null
        : { id: monitorId, ...nameOf({ host, port, target: target ?? '' }) },
    createdAt: row.alertCreatedAt,
  };
}

async function withAttempts(
  db: Kysely<Tables>,
  accountId: string,
  rows: DeliveryRow[],
): Promise<DeliveryRecord[]> {
  if (rows.length === 0) return [];
  const attempts = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(
      'delivery_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('attempt')
    .execute();
  const byDelivery = Map.groupBy(attempts, ({ delivery_id: id }) => id);
  return rows.map((row) => ({
    id: row.id,
    alert: toAlert(row),
    channelKey: row.channel_key,
    channelKind: row.channel,
    channelName: row.name,
    state: row.state,
    detail: row.detail,
    nextAttemptAt: row.next_attempt_at,
    firstAttemptAt: row.first_attempt_at,
    settledAt: row.settled_at,
    createdAt: row.created_at,
    attempts: (byDelivery.get(row.id) ?? []).slice(-MAX_SHOWN_ATTEMPTS).map((attempt) => ({
      attempt: attempt.attempt,
      startedAt: attempt.started_at,
      finishedAt: attempt.finished_at,
      outcome: attempt.outcome,
      detail: attempt.detail,
    })),
  }));
}
