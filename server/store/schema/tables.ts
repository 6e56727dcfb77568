import type { Generated } from 'kysely';
import type { Plan, PlanSource, PlanStatus, Subscription, Uptime } from '../../core/index.ts';
import type {
  AlarmsTable,
  AlertsTable,
  CalendarFeedsTable,
  ChannelsTable,
  DeliveriesTable,
  DeliveryAttemptsTable,
  IncidentsTable,
  MaintenanceWindowsTable,
  SuppressionsTable,
  UnsubscriptionsTable,
} from './alert-tables.ts';
import type {
  CheckRunsTable,
  EvidenceTable,
  MonitorCertificatesTable,
  MonitorDaysTable,
  MonitorStatesTable,
  VerdictsTable,
} from './check-tables.ts';
import type {
  IdentityAccountTable,
  IdentityFactorTable,
  IdentitySessionTable,
  IdentityUserTable,
  IdentityVerificationTable,
} from './identity-tables.ts';
import type { BadgesTable, StatusPageDomainsTable, StatusPagesTable } from './status-tables.ts';
import type { Protocol } from '../../../contract/words.ts';

/** 0 or 1: the form of a boolean that both databases have. */
type Flag = number;

export interface AccountsTable {
  id: string;
  /** Lower case; unique. */
  email: string;
  email_verified: Flag;
  full_name: string;
  photo_url: string | null;
  paddle_id: string;
  company_name: string;
  /** What was last settled; past `plan_ends_at` it is Free whatever stands here. */
  plan: Plan;
  plan_status: Generated<PlanStatus>;
  plan_source: Generated<PlanSource>;
  plan_ends_at: number | null;
  trial_ends_at: number | null;
  /** Premium given by the operator; without an end where `grant_ends_at` is null. */
  granted_at: number | null;
  grant_ends_at: number | null;
  disabled_at: number | null;
  /** IANA name; null: UTC. */
  time_zone: string | null;
  /** JSON of AlertSettings; null: the product's own. */
  alert_settings: string | null;
  /** When the next weekly digest leaves; null: none does. */
  digest_next_at: number | null;
  /** When the mail was written that shows that mail arrives; null before the first domain. */
  reached_out_at: number | null;
  /** Until when unsubscribe links mailed before migration 0019 work, ms UTC; null: the account is newer than those. */
  old_links_until: number | null;
  /** `system`: the account of the check that watches the product itself; nobody signs in to it. */
  kind: Generated<'person' | 'system'>;
  created_at: number;
}

/** What an identity provider calls an account: one row per (issuer, subject). */
export interface IdentitiesTable {
  issuer: string;
  subject: string;
  account_id: string;
  email_verified: Flag;
  created_at: number;
}

export interface SessionsTable {
  id: string;
  account_id: string;
  access_hash: string;
  access_expires_at: number;
  refresh_hash: string;
  /** The token that `refresh_hash` replaced at `rotated_at`. */
  previous_refresh_hash: string | null;
  rotated_at: number | null;
  refresh_idle_expires_at: number;
  refresh_expires_at: number;
  /** What the browser calls itself, and from where, at the sign-in or the last refresh. */
  user_agent: Generated<string>;
  address: Generated<string>;
  created_at: number;
}

export interface MonitorsTable {
  id: string;
  account_id: string;
  host: string;
  port: number;
  check_every_minutes: number;
  created_at: number;
  next_check_at: number;
  /** In which it waits when it is due: see `laneOf`. */
  lane: Generated<number>;
  last_checked_at: number | null;
  /** 1 from the first check on: what never changes again may stand in an index, the instant of the last check may not. */
  checked: Generated<Flag>;
  /** A person asked for a check that no claim has taken up yet. */
  check_requested_at: number | null;
  lease_token: string | null;
  lease_expires_at: number | null;
  claimed_by: string | null;
  /** The claim took up a wish of a person. */
  claim_asked: Generated<Flag>;
  /** The leaf last seen; stays through checks that read none. */
  certificate_fingerprint: string | null;
  /** Of that leaf: what the list sorts and counts by. */
  not_after: number | null;
  /** When the renewal of that leaf is overdue, if it is short-lived and trusted; else null. */
  on_schedule_until: number | null;
  revoked: Flag;
  /** The last check that read a certificate. */
  last_read_at: number | null;
  unreachable_since: number | null;
  problem: 'unreachable' | 'untrusted' | null;
  problem_message: string | null;
  /** 0 where nobody may check it: paused, or its account disabled. */
  active: Generated<Flag>;
  paused_by: PausedBy | null;
  paused_at: number | null;
  notes: Generated<string>;
  /** JSON list of lower-case words, without an index of its own: `contains` finds one with its quotes. */
  tags: Generated<string>;
  protocol: Generated<Protocol>;
  /** What the last checks agree on; null before the first. One failure alone changes nothing. */
  uptime: Uptime | null;
  /** The first check that told whether it is up: where its figures begin. */
  uptime_since: number | null;
  /** When the failure was first seen that waits for a second look; null where none does. */
  suspected_since: number | null;
  /** When the incident began that still lasts. */
  down_since: number | null;
  down_seen_at: number | null;
  /** Of the last check that got an answer. */
  response_ms: number | null;
  /** The last checks, oldest first, a letter each: `u` up, `d` down, `?` unknown. At most 90. */
  recent_checks: Generated<string>;
  /** What a search looks through: `searchText` of what stands in the other columns. */
  search_text: Generated<string>;
  /** JSON of DomainAlertSettings; null: as the account. */
  alert_settings: string | null;
}
/** `unconfirmed`: somebody added it before the account's owner proved the address, and the owner has not resumed it. */
export type PausedBy = 'user' | 'plan' | 'unconfirmed';

/** What lists and counts read of a monitor. Triggers keep it as the row of `monitors` is: nobody else writes it. */
export interface MonitorListingTable {
  account_id: string;
  monitor_id: string;
  created_at: number;
  host: string;
  port: number;
  /** 0 paused, 1 pending, 2 unread, 3 revoked, 4: by the end of its certificate, as in DOMAIN_STATES. */
  phase: number;
  not_after: number | null;
  /** As in `monitors`. */
  on_schedule_until: number | null;
  /** 2: it is down or was not read; 1: it is not trusted; 0: neither, or paused. */
  trouble: number;
  tags: string;
  search_text: string;
}

/** How many monitors an account has, once it had one. Triggers keep it: nobody else writes it. */
export interface MonitorTotalsTable {
  account_id: string;
  total: number;
}

/** The payment provider's subscriptions, as its webhooks last told them. */
export interface SubscriptionsTable {
  /** The provider's id. */
  id: string;
  account_id: string;
  customer_id: string;
  price_id: string;
  status: Subscription['status'];
  period_starts_at: number | null;
  period_ends_at: number | null;
  cancels_at: number | null;
  past_due_since: number | null;
  refunded_at: number | null;
  /** When what the row says happened (the event's occurred_at): older news that arrives later changes nothing. */
  told_at: number;
  /** The same for `refunded_at`, which another kind of event tells. */
  refund_told_at: number | null;
  created_at: number;
}

/** Webhook events that were taken, by the provider's id: each counts once. */
export interface PaymentEventsTable {
  id: string;
  account_id: string | null;
  type: string;
  occurred_at: number;
  received_at: number;
  outcome: 'applied' | 'stale' | 'ignored';
  /** The subscription of a refund that was told before it, until it is. */
  refund_of: string | null;
  refund_at: number | null;
  refunded: Flag | null;
}

/** Addresses that had their trial, as salted hashes; a row outlives its account by twelve months. */
export interface TrialsTable {
  address_hash: string;
  account_id: string | null;
  started_at: number;
  account_deleted_at: number | null;
}

/** What every outbox has: rows that a worker claims, sends and settles. */
export interface OutboxColumns {
  id: string;
  message_id: string;
  attempts: number;
  /** Claims in a row whose outcome nobody reported: the mark of a row that kills its worker. */
  unanswered: number;
  next_attempt_at: number;
  first_attempt_at: number | null;
  lease_token: string | null;
  lease_expires_at: number | null;
  claimed_by: string | null;
  settled_at: number | null;
  detail: string | null;
  created_at: number;
}

export type MailState = 'waiting' | 'delivered' | 'failed' | 'expired';

/** Mail that is no alert: to an account, or (account null, or the sender's) to the operator. */
export interface MailsTable extends OutboxColumns {
  account_id: string | null;
  recipient: string;
  kind: string;
  /** JSON of what the text is made of; goes when the mail is settled, but stays with a failed one that holds no secret. */
  data: string | null;
  state: MailState;
  /** When the mail is of no use any more. */
  expires_at: number | null;
}

export interface FeedbackTable {
  id: string;
  account_id: string;
  title: string;
  message: string;
  /** Of the account when it was written. */
  premium: Flag;
  created_at: number;
}

/** A certificate authority that one account trusts, beside those that everybody does. */
export interface AuthoritiesTable {
  id: string;
  account_id: string;
  fingerprint: string;
  der: Uint8Array;
  /** JSON of CertificateFacts. */
  facts: string;
  created_at: number;
}

export interface CertificatesTable {
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  der: Uint8Array;
  /** JSON of CertificateFacts; null for a certificate that could not be read. */
  facts: string | null;
  first_seen_at: number;
}

/** Icons of sites by endpoint, whoever watches it. A row without `content` says that there was none. */
export interface FaviconsTable {
  host: string;
  port: number;
  /** As its bytes say, whatever the server called it. */
  content_type: string | null;
  content: Uint8Array | null;
  /** Changes with the content. */
  version: string | null;
  /** When it is looked for again; moved on by who takes that up. */
  next_fetch_at: number;
}

/** Looks for somebody without an account: asked by the API, answered by a worker, and gone once they were read. */
export interface GlancesTable {
  id: string;
  host: string;
  port: number;
  protocol: Generated<Protocol>;
  created_at: number;
  lease_expires_at: number | null;
  /** JSON of the answer; null until then. */
  answer: string | null;
}

export interface RateLimitsTable {
  key: string;
  window_ends_at: number;
  count: number;
}

export interface Tables {
  accounts: AccountsTable;
  identities: IdentitiesTable;
  sessions: SessionsTable;
  monitors: MonitorsTable;
  monitor_listing: MonitorListingTable;
  monitor_totals: MonitorTotalsTable;
  monitor_states: MonitorStatesTable;
  check_runs: CheckRunsTable;
  monitor_days: MonitorDaysTable;
  evidence: EvidenceTable;
  verdicts: VerdictsTable;
  certificates: CertificatesTable;
  monitor_certificates: MonitorCertificatesTable;
  favicons: FaviconsTable;
  glances: GlancesTable;
  incidents: IncidentsTable;
  authorities: AuthoritiesTable;
  alerts: AlertsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  rate_limits: RateLimitsTable;
  subscriptions: SubscriptionsTable;
  payment_events: PaymentEventsTable;
  trials: TrialsTable;
  mails: MailsTable;
  channels: ChannelsTable;
  unsubscriptions: UnsubscriptionsTable;
  suppressions: SuppressionsTable;
  maintenance_windows: MaintenanceWindowsTable;
  calendar_feeds: CalendarFeedsTable;
  status_pages: StatusPagesTable;
  status_page_domains: StatusPageDomainsTable;
  badges: BadgesTable;
  alarms: AlarmsTable;
  api_tokens: ApiTokensTable;
  idempotency_keys: IdempotencyKeysTable;
  feedback: FeedbackTable;
  user: IdentityUserTable;
  session: IdentitySessionTable;
  account: IdentityAccountTable;
  passkey: IdentityFactorTable;
  twoFactor: IdentityFactorTable;
  verification: IdentityVerificationTable;
}

/** A personal token; its secret is kept as a SHA-256 alone. */
export interface ApiTokensTable {
  account_id: string;
  id: string;
  token_hash: string;
  /** How the token begins. */
  prefix: string;
  name: string;
  /** JSON list. */
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
}

/** A call that was, or is being, carried out under a key of its caller's. */
export interface IdempotencyKeysTable {
  account_id: string;
  /** SHA-256 of the key. */
  key_hash: string;
  /** SHA-256 of the call and what it was asked with. */
  request_hash: string;
  /** Who carries it out: another one for each try. */
  attempt: string;
  /** From then on whoever was carrying it out is taken for dead. */
  lease_expires_at: number;
  /** Of the answer; null while there is none. */
  status: number | null;
  content_type: string | null;
  body: string | null;
  created_at: number;
}
