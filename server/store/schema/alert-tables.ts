import type { Generated } from 'kysely';
import type { AlertKind, AlertSeverity, AlertStep, Problem } from '../../core/alerting/alert.ts';
import type { ChannelKind } from '../../core/alerting/route.ts';
import type { MaintenanceWindow } from '../../core/alerting/silence.ts';

export type DeliveryOutcomeKind = NonNullable<DeliveryAttemptsTable['outcome']>;

/** Columns of every outbox table, whose rows a worker claims, sends and settles. */
export interface OutboxColumns {
  id: string;
  /** Message-ID. Deliveries that were merged into one message have the same one. */
  message_id: string;
  /** Priority class among waiting messages, see `claimDueRows`. */
  lane: Generated<number>;
  attempts: number;
  /** Number of consecutive claims without a reported result, which suggest that the row crashes its worker. */
  unanswered: number;
  next_attempt_at: number;
  first_attempt_at: number | null;
  /** Token of the claim. Rows of one message have the same one, rows of different messages never do. */
  lease_token: string | null;
  lease_expires_at: number | null;
  claimed_by: string | null;
  settled_at: number | null;
  detail: string | null;
  created_at: number;
}

/** A boolean as 0 or 1. */
type Flag = number;

/** A problem of one subject: a domain, a certificate, a registration or a deployment. It is deleted with its last member. */
export interface IncidentsTable {
  account_id: string;
  /** Id of the incident and of its first member. */
  id: string;
  problem: Problem;
  /** Fingerprint of the certificate, or key of the registration's end; empty if the subject is the domain, the only member. */
  fingerprint: string;
  acknowledged_at: number | null;
  snoozed_until: number | null;
}

/**
 * A period in which a monitor had the problem of an incident. `down` begins at the first failed check and ends at the first successful
 * one, or earlier if checks stopped meanwhile.
 */
export interface IncidentMembersTable {
  account_id: string;
  id: string;
  incident_id: string;
  monitor_id: string;
  /** Problem of the incident, copied because uptime is computed from this table alone. */
  problem: Problem;
  started_at: number;
  /** Time at which a second check confirmed the problem, ms UTC; null until then. */
  confirmed_at: number | null;
  /** Time of the first check that no longer saw the problem, ms UTC; null while checks see it. */
  clearing_since: number | null;
  ended_at: number | null;
  /** 1 if a check saw that the problem was over; 0 while the problem lasts, and if checks stopped before its end. */
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
  /** Null also for alerts that an old version sent for each domain of a certificate. */
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
  /** Incident of the alert, copied because messages of one incident to one channel are sent in order. */
  incident_id: string | null;
  channel: ChannelKind;
  /** Id of the channel, `ACCOUNT_MAIL` for mail to the account's own address, or `HEARTBEAT_KEY` for a ping of the self-check. */
  channel_key: string;
  /** Id of an added channel; null for mail to the account's own address, for pings, and after the channel was removed. */
  channel_id: string | null;
  /**
   * Idempotency key, unique within the account, so that no alert is queued twice: incident:step:channel; for test messages and
   * pings their kind and id.
   */
  dedupe_key: string;
  /** Deliveries of one account with the same key may be merged into one message (`mergeKey`); null if it is sent alone. */
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
  /** Time at which the owner of an email address confirmed the channel, ms UTC; for other channels, the time of creation. */
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

/** Unsubscriptions of the recipients of mail channels, from all mail (`monitor_id` null) or from one domain. */
export interface UnsubscriptionsTable {
  id: string;
  account_id: string;
  channel_key: string;
  monitor_id: string | null;
  created_at: number;
}

/**
 * Addresses that permanently refused or bounced mail. Of the mail to accounts, they get only secret links until the suppression is
 * lifted.
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
  /** Result of the attempt; null while it runs, and permanently if its worker died. */
  outcome: 'delivered' | 'failed' | 'superseded' | 'retry' | null;
  detail: string | null;
}
