import type { Generated } from 'kysely';
import type {
  AlertKind,
  AlertSeverity,
  AlertStep,
  ChannelKind,
  MaintenanceWindow,
  Problem,
} from '../../core/index.ts';
import type { OutboxColumns } from './tables.ts';

/** 0 or 1. */
type Flag = number;

/**
 * Something that was wrong for a while. One that is `down` lasts from the first failed check to the first good one; both instants
 * are those of checks.
 */
export interface IncidentsTable {
  account_id: string;
  id: string;
  monitor_id: string;
  problem: Problem;
  /** Of the certificate it is about; empty where it is about the endpoint. */
  fingerprint: string;
  started_at: number;
  /** When the second look agreed; null until then. */
  confirmed_at: number | null;
  /** The first look that did not see it any more; null while it is seen. */
  clearing_since: number | null;
  ended_at: number | null;
  /** 1 where it was seen to be over; 0 while it lasts, and where nobody looked any more. */
  recovered: Flag;
  acknowledged_at: number | null;
  snoozed_until: number | null;
  /** A stable code: of what is down its cause, else the problem. */
  cause: string;
  message: string;
  /** JSON of AlertFacts. */
  facts: string;
}

export interface AlertsTable {
  id: string;
  account_id: string;
  /** null for a test of a channel. */
  monitor_id: string | null;
  incident_id: string | null;
  kind: AlertKind;
  /** Unique in its incident. */
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
  /** Of its alert: within one, messages to a channel leave in order. */
  incident_id: string | null;
  channel: ChannelKind;
  /** `ACCOUNT_MAIL`, or the id of the channel. */
  channel_key: string;
  /** null for mail to the account's own address. */
  channel_id: string | null;
  /** monitor:problem:fingerprint:start:step:channel; unique, so that nobody is told twice. */
  dedupe_key: string;
  state: DeliveryState;
  /** Asked for by a person: it leaves even where later news took its place. */
  forced: Generated<Flag>;
}

/** A way to reach people that an account added. */
export interface ChannelsTable {
  id: string;
  account_id: string;
  kind: ChannelKind;
  name: string;
  /** JSON whose form the kind decides on; holds secrets. */
  config: string;
  created_at: number;
  /** Of an email: when its reader agreed; of the others when they were made. */
  confirmed_at: number | null;
  /** SHA-256 of the token in the link with which the reader agrees. */
  confirm_hash: string | null;
  disabled_at: number | null;
  /** `gone`: its receiver answered 410; `failing`: five days without success. */
  disabled_by: 'user' | 'gone' | 'failing' | null;
  /** The first failure since the last success. */
  failing_since: number | null;
  delivered_at: number | null;
}

/** Whoever reads a mail channel asked for no more, in all (monitor null) or of one domain. */
export interface UnsubscriptionsTable {
  id: string;
  account_id: string;
  channel_key: string;
  monitor_id: string | null;
  created_at: number;
}

/** Addresses that refused mail for good: nothing is sent to them until somebody who owns one asks for it again. */
export interface SuppressionsTable {
  /** Lower case. */
  address: string;
  reason: 'refused' | 'bounced';
  detail: string;
  since: number;
}

export interface MaintenanceWindowsTable {
  id: string;
  account_id: string;
  /** null: of all domains. */
  monitor_id: string | null;
  starts_at: number;
  ends_at: number;
  repeats: MaintenanceWindow['repeats'];
  note: string;
  created_at: number;
}

/** Secret addresses of calendars, one for an account. */
export interface CalendarFeedsTable {
  account_id: string;
  /** SHA-256 of the token in the address. */
  token_hash: string;
  created_at: number;
  read_at: number | null;
}

/** What only the operator can set right; a row stands until it is. */
export interface AlarmsTable {
  code: string;
  detail: string;
  since: number;
  seen_at: number;
  /** When the operator was last mailed about it. */
  told_at: number | null;
}

export interface DeliveryAttemptsTable {
  account_id: string;
  delivery_id: string;
  attempt: number;
  started_at: number;
  finished_at: number | null;
  /** null while it runs, and for ever where its worker died. */
  outcome: 'delivered' | 'failed' | 'superseded' | 'retry' | null;
  detail: string | null;
}
