import { sql, type Transaction } from 'kysely';
import type { AlertFacts, AlertKind, AlertSeverity, AlertStep } from '../../core/alerting/alert.ts';
import type { ChannelKind } from '../../core/alerting/route.ts';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import type { CertificateFacts } from '../../core/facts.ts';
import { nameOf, type Targeted } from '../../core/target.ts';
import type { RevokedCertificate } from '../../core/verdict.ts';
import { type Account, toAccount } from '../accounts/accounts.ts';
import { parseFacts } from '../checks/certificates.ts';
import type { Tables } from '../schema/tables.ts';
import { currentVerdict } from '../checks/verdict-row.ts';
import { concernsOthers } from './alerts.ts';
import { readAlertFacts } from './stored-alerts.ts';
import { alertOfDelivery, monitorOf } from '../db/dialect.ts';

/** A message that only this worker may send until its lease ends: a delivery, or several that were merged. */
export interface ClaimedDelivery extends DeliveryToSend {
  leaseToken: string;
  /** The deliveries that were merged into this message, oldest first; empty if none were. */
  others: readonly DeliveryToSend[];
}

/** A delivery with the data that a message about its alert needs. */
export interface DeliveryToSend {
  id: string;
  /** Number of the attempt, from 1. The claim counts it, so that attempts of killed workers count too. */
  attempt: number;
  channel: ClaimedChannel;
  /** Message-ID, the same at every attempt. */
  messageId: string;
  firstAttemptAt: number;
  createdAt: number;
  alert: {
    id: string;
    incidentId: string | null;
    kind: AlertKind;
    step: AlertStep;
    severity: AlertSeverity;
    facts: AlertFacts;
    createdAt: number;
    /** Fingerprint of the certificate; empty if the alert is about the endpoint. */
    fingerprint: string;
  };
  account: Account;
  /** The monitor concerned; null for a test message and for a ping of the self-check. */
  monitor: (Targeted & { id: string; lastCheckedAt: number | null }) | null;
  /** Facts of the certificate that the alert is about; null if there is none. */
  certificate: CertificateFacts | null;
  /** The revocation that the alert is about, from the last verdict; null if that verdict has none, and for other alerts. */
  revoked: RevokedCertificate | null;
  /** True if the alert is outdated (see `isOver`) or a later message replaces it, and no person asked to send it again. */
  superseded: boolean;
  /** True if the recipient unsubscribed after the alert was queued, and no person asked to send it again. */
  unsubscribed: boolean;
}

/** The channel to which a delivery is sent. */
export interface ClaimedChannel {
  /** `ACCOUNT_MAIL`, `HEARTBEAT_KEY`, or the id of an added channel. */
  key: string;
  kind: ChannelKind;
  name: string;
  /**
   * JSON that `server/channels` decodes, because its shape depends on the kind; null for mail to the account's own address, for a
   * ping of the self-check, and if the channel was removed.
   */
  config: string | null;
  /** True if an added channel is disabled, unconfirmed or removed: nothing may be sent to it. */
  isClosed: boolean;
}

/** Reads the messages that were claimed under these leases, sorted by due time, earliest first. */
export async function readClaimed(
  trx: Transaction<Tables>,
  leaseTokens: readonly string[],
): Promise<ClaimedDelivery[]> {
  const rows = await selectDeliveries(trx)
    .where('deliveries.lease_token', 'in', leaseTokens)
    .orderBy('deliveries.next_attempt_at')
    .orderBy('deliveries.created_at')
    .orderBy('deliveries.id')
    .execute();
  const messages = Map.groupBy(rows, ({ lease_token: leaseToken }) => leaseToken ?? '');
  return [...messages].flatMap(([leaseToken, merged]) => {
    const [first, ...others] = merged.map((row) => toSend(row));
    return first === undefined ? [] : [{ ...first, leaseToken, others }];
  });
}

const selectDeliveries = (trx: Transaction<Tables>) =>
  trx
    .selectFrom('deliveries')
    .innerJoin('alerts', alertOfDelivery)
    .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
    .leftJoin('monitors', monitorOf('alerts'))
    .leftJoin('monitor_states as states', (join) =>
      join
        .onRef('states.account_id', '=', 'alerts.account_id')
        .onRef('states.monitor_id', '=', 'alerts.monitor_id'),
    )
    .leftJoin('verdicts', (join) =>
      join
        .onRef('verdicts.account_id', '=', 'states.account_id')
        .onRef('verdicts.monitor_id', '=', 'states.monitor_id')
        .onRef('verdicts.id', '=', 'states.verdict_id')
        // Join verdicts, which are large, only for alerts of this kind.
        .on('alerts.kind', '=', 'revoked'),
    )
    .leftJoin('channels', 'channels.id', 'deliveries.channel_id')
    .leftJoin('certificates', 'certificates.fingerprint', 'alerts.fingerprint')
    .selectAll('accounts')
    .select([
      'deliveries.id as deliveryId',
      'deliveries.lease_token',
      'deliveries.attempts',
      'deliveries.channel',
      'deliveries.channel_key',
      'deliveries.message_id',
      'deliveries.first_attempt_at',
      'deliveries.forced',
      'deliveries.created_at as deliveryCreatedAt',
      'channels.name as channelName',
      'channels.config',
      'channels.confirmed_at',
      'channels.disabled_at as channelDisabledAt',
      'alerts.id as alertId',
      'alerts.incident_id',
      'alerts.kind as alertKind',
      'alerts.step',
      'alerts.severity',
      'alerts.fingerprint',
      'alerts.facts as alertFacts',
      'alerts.created_at as alertCreatedAt',
      'monitors.id as monitorId',
      'monitors.host',
      'monitors.port',
      'monitors.target',
      'monitors.last_checked_at',
      'verdicts.verdict',
      'states.moment',
      'certificates.facts',
    ])
    .select(endedAt.as('ended_at'))
    .select([hasLaterMessage.as('hasLaterMessage'), isUnsubscribed.as('isUnsubscribed')]);

type Row = Awaited<ReturnType<ReturnType<typeof selectDeliveries>['executeTakeFirstOrThrow']>>;

function toSend(row: Row): DeliveryToSend {
  return {
    id: row.deliveryId,
    attempt: row.attempts,
    channel: {
      key: row.channel_key,
      kind: row.channel,
      name: row.channelName ?? '',
      config: row.config,
      isClosed:
        row.channel_key !== ACCOUNT_MAIL && (row.confirmed_at === null || row.channelDisabledAt !== null),
    },
    messageId: row.message_id,
    firstAttemptAt: row.first_attempt_at ?? row.deliveryCreatedAt,
    createdAt: row.deliveryCreatedAt,
    alert: {
      id: row.alertId,
      incidentId: row.incident_id,
      kind: row.alertKind,
      step: row.step,
      severity: row.severity,
      facts: readAlertFacts(row.alertFacts, { at: row.alertCreatedAt }),
      createdAt: row.alertCreatedAt,
      fingerprint: row.fingerprint,
    },
    account: toAccount(row),
    monitor:
      row.monitorId === null
        ? null
        : {
            id: row.monitorId,
            ...nameOf({ host: row.host ?? '', port: row.port ?? 0, target: row.target ?? '' }),
            lastCheckedAt: row.last_checked_at,
          },
    certificate: parseFacts(row.facts),
    revoked: row.alertKind === 'revoked' ? revokedOf(row, row.fingerprint) : null,
    superseded: row.forced === 0 && (row.hasLaterMessage === 1 || isOver(row)),
    unsubscribed: row.forced === 0 && row.isUnsubscribed === 1,
  };
}

/** SQL for the time when the problem ended, ms UTC; null while any domain has it, and for test messages. */
const endedAt = sql<number | null>`(select case when exists (select 1 from incident_members member
      where member.account_id = alerts.account_id and member.incident_id = alerts.incident_id and member.ended_at is null)
    then null else (select max(member.ended_at) from incident_members member
      where member.account_id = alerts.account_id and member.incident_id = alerts.incident_id) end)`;

/** SQL that is 1 if a later message of the incident to the same channel is waiting or was delivered, else 0. */
const hasLaterMessage = sql<number>`case when exists (select 1 from deliveries later
  where later.account_id = deliveries.account_id and later.incident_id = deliveries.incident_id
    and later.channel_key = deliveries.channel_key
    and later.created_at > deliveries.created_at and later.state in ('waiting', 'delivered')) then 1 else 0 end`;

/**
 * SQL that is 1 if the recipient unsubscribed from all mail, or from the monitor of an alert about this monitor alone; else 0. It is 0
 * for test messages.
 */
const isUnsubscribed = sql<number>`case when alerts.kind != 'test' and exists (select 1 from unsubscriptions
  where unsubscriptions.account_id = deliveries.account_id
    and unsubscriptions.channel_key = deliveries.channel_key
    and (unsubscriptions.monitor_id is null
      or (unsubscriptions.monitor_id = alerts.monitor_id and not ${concernsOthers}))) then 1 else 0 end`;

/**
 * Returns whether an alert is outdated because its incident ended. Alerts about recovery, flapping and changed
 * certificates are never outdated.
 */
function isOver({
  ended_at: endedAt,
  step,
  alertKind,
}: {
  ended_at: number | null;
  step: AlertStep;
  alertKind: AlertKind;
}): boolean {
  return endedAt !== null && step !== 'resolved' && step !== 'flapping' && alertKind !== 'changed';
}

function revokedOf(row: Parameters<typeof currentVerdict>[0], of: string): RevokedCertificate | null {
  const lastSeen = currentVerdict(row)?.lastSeen;
  return lastSeen?.revoked.find(({ fingerprint }) => fingerprint === of) ?? null;
}
