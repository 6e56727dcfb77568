import type { Generated } from 'kysely';
import type { AlertKind, AlertSeverity, AlertStep, Problem } from '../../core/alerting/alert.ts';
import type { ChannelKind } from '../../core/alerting/route.ts';
import type { MaintenanceWindow } from '../../core/alerting/silence.ts';

export type DeliveryOutcomeKind = NonNullable<DeliveryAttemptsTable['outcome']>;

/** Columns of the outbox tables. A worker claims, sends and settles their rows. */
export interface OutboxColumns {
  id: string;
  /** Message-ID. Deliveries that were merged into one message have the same one. */
  message_id: string;
  /** Priority class among waiting messages, see `claimDueRows`. */
  lane: Generated<number>;
  attempts: number;
  /** Number of consecutive claims without a reported result. Many suggest that the row crashes its worker. */
  unanswered: number;
  next_attempt_at: number;
  first_attempt_at: number | null;
  /** Token of the claim. Rows of one message have the same token, rows of different messages never have. */
  lease_token: string | null;
  lease_expires_at: number | null;
  claimed_by: string | null;
  settled_at: number | null;
  detail: string | null;
  created_at: number;
}

/** A boolean as 0 or 1. */
type Flag = number;

/**
 * A problem of one subject: a domain, a certificate, a registration or a deployment. It is deleted together with its last member.
 */
export interface IncidentsTable {
  account_id: string;
  /** Id of the incident and of its first member. */
  id: string;
  problem: Problem;
  /**
   * Fingerprint of the certificate, or key of the registration's end; empty if the subject is a domain, which is then the only
   * member.
   */
  fingerprint: string;
  acknowledged_at: number | null;
  snoozed_until: number | null;
}

/**
 * A period in which a monitor had the problem of an incident. A `down` period begins at the first failed check. It ends at the
 * first successful check, or when checks stopped before.
 */
export interface IncidentMembersTable {
  account_id: string;
  id: string;
  incident_id: string;
  monitor_id: string;
  /** Copy of the incident's problem, so that uptime can be computed from this table alone. */
  problem: Problem;
  started_at: number;
  /** Time at which a second check confirmed the problem, ms UTC; null until then. */
  confirmed_at: number | null;
  /** Time of the first check that no longer found the problem, ms UTC; null while checks find it. */
  clearing_since: number | null;
  ended_at: number | null;
  /** 1 if a check found that the problem was over; 0 while the problem lasts, and if checks stopped before it ended. */
  recovered: Flag;
  /** 1 if the next check has to report the end of the incident, because the last domain with the problem was paused or removed. */
  reports_end: Generated<Flag>;
  /** A stable code: the cause of a `down` incident, else the problem. */
  cause: string;
  message: string;
  /** JSON of AlertFacts. */
  facts: string;
}

export interface AlertsTable {
  id: string;
  account_id: string;
  /** Id of the monitor that messages name first; null for a test message of a channel and for a ping of the self-check. */
  monitor_id: string | null;
  /**
   * Id of the incident; null for a test message or ping, and for alerts that an old version sent for each domain of a
   * certificate.
   */
  incident_id: string | null;
  kind: AlertKind;
  /** Alert step, unique within the incident. */
  step: AlertStep;
  fingerprint: string;
  severity: AlertSeverity;
  /** JSON of AlertFacts. */
  facts: string;
  created_at: number;
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed' | 'superseded';

export interface DeliveriesTable extends OutboxColumns {
  account_id: string;
  alert_id: string;
  /** Copy of the alert's incident, because messages of one incident to one channel are sent in order. */
  incident_id: string | null;
  channel: ChannelKind;
  /** Id of the channel, `ACCOUNT_MAIL` for mail to the account's own address, or `HEARTBEAT_KEY` for a ping of the self-check. */
  channel_key: string;
  /** Id of an added channel; null for mail to the account's own address, for pings, and after the channel was removed. */
  channel_id: string | null;
  /**
   * Idempotency key, unique within the account, so that no alert is queued twice. It is incident:step:channel; for test messages
   * and pings it is their kind and id.
   */
  dedupe_key: string;
  /**
   * Deliveries of one account with the same key may be merged into one message (see `mergeKey`); null if it must be sent alone.
   */
  merge_key: string | null;
  state: DeliveryState;
  /** 1 if a person asked to send the delivery again. It is then sent even if its problem is over or a later alert replaced it. */
  forced: Generated<Flag>;
}

/** A notification channel that an account added. */
export interface ChannelsTable {
  id: string;
  account_id: string;
  kind: ChannelKind;
  name: string;
  /** JSON configuration, whose shape depends on `kind`. It may contain secrets. */
  config: string;
  created_at: number;
  /**
   * Time at which the owner of an email address confirmed the channel, ms UTC; null before. For other kinds, the time of
   * creation.
   */
  confirmed_at: number | null;
  /** SHA-256 of the token in the confirmation link. */
  confirm_hash: string | null;
  disabled_at: number | null;
  /**
   * Reason why the channel is disabled. `gone`: the receiver no longer exists; `failing`: five days without a successful
   * delivery.
   */
  disabled_by: 'user' | 'gone' | 'failing' | null;
  /** Time of the first failure since the last success, ms UTC; null if there is none. */
  failing_since: number | null;
  delivered_at: number | null;
}

/** Unsubscriptions of the recipients of email channels: from all mail (`monitor_id` is null) or from one domain. */
export interface UnsubscriptionsTable {
  id: string;
  account_id: string;
  channel_key: string;
  monitor_id: string | null;
  created_at: number;
}

/**
 * Addresses that permanently refused or bounced mail. Until the suppression is lifted, only mails with secret links are sent to
 * them, and mails to the operator.
 */
export interface SuppressionsTable {
  /** Email address in lower case. */
  address: string;
  reason: 'refused' | 'bounced';
  detail: string;
  since: number;
}

export interface MaintenanceWindowsTable {
  id: string;
  account_id: string;
  /** Id of the monitor; null: the window applies to all domains. */
  monitor_id: string | null;
  starts_at: number;
  ends_at: number;
  repeats: MaintenanceWindow['repeats'];
  note: string;
  created_at: number;
}

/** Secret calendar links, one per account. */
export interface CalendarFeedsTable {
  account_id: string;
  /** SHA-256 of the token in the link. */
  token_hash: string;
  created_at: number;
  read_at: number | null;
}

/** Open alarms about problems that only the operator can fix. */
export interface AlarmsTable {
  code: string;
  detail: string;
  since: number;
  seen_at: number;
  /** Time of the last mail to the operator about this alarm, ms UTC; null: none yet. */
  told_at: number | null;
}

export interface DeliveryAttemptsTable {
  account_id: string;
  delivery_id: string;
  attempt: number;
  started_at: number;
  finished_at: number | null;
  /** Result of the attempt; null while the attempt is running, and for ever if its worker died. */
  outcome: 'delivered' | 'failed' | 'superseded' | 'retry' | null;
  detail: string | null;
}
