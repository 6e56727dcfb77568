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

/** A boolean as 0 or 1, which both databases support. */
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
  /** The plan as last computed. After `plan_ends_at` the account is on Free, whatever this column says. */
  plan: Plan;
  plan_status: Generated<PlanStatus>;
  plan_source: Generated<PlanSource>;
  plan_ends_at: number | null;
  trial_ends_at: number | null;
  /** When the operator granted Premium; null: no grant. The grant has no end if `grant_ends_at` is null. */
  granted_at: number | null;
  grant_ends_at: number | null;
  disabled_at: number | null;
  /** IANA name; null: UTC. */
  time_zone: string | null;
  /** JSON of AlertSettings; null: the defaults. */
  alert_settings: string | null;
  /** When the next weekly digest is due; null: digests are off. */
  digest_next_at: number | null;
  /** When the welcome email was queued, which shows that mail arrives; null before the first domain. */
  reached_out_at: number | null;
  /** Until when unsubscribe links mailed before migration 0019 work, ms UTC; null: the account is newer. */
  old_links_until: number | null;
  /** `system`: the account of the self-check, to which nobody signs in. */
  kind: Generated<'person' | 'system'>;
  created_at: number;
}

/** Identities that sign in to an account, one row per (issuer, subject). */
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
  /** Hash of the token that `refresh_hash` replaced at `rotated_at`. */
  previous_refresh_hash: string | null;
  rotated_at: number | null;
  refresh_idle_expires_at: number;
  refresh_expires_at: number;
  /** User-Agent and IP address at the sign-in or the last refresh. */
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
  /** The queue lane in which it waits when due; see `laneOf`. */
  lane: Generated<number>;
  last_checked_at: number | null;
  /** 1 after the first check. Indexes use it instead of `last_checked_at`, which every check would rewrite. */
  checked: Generated<Flag>;
  /** When a person asked for a check that no claim has included yet. */
  check_requested_at: number | null;
  lease_token: string | null;
  lease_expires_at: number | null;
  claimed_by: string | null;
  /** 1 if a person asked for the check that is claimed. */
  claim_asked: Generated<Flag>;
  /** The leaf last seen. Checks that read no certificate keep it. */
  certificate_fingerprint: string | null;
  /** End of validity of that leaf, by which lists sort and count. */
  not_after: number | null;
  /** When the renewal of that leaf becomes overdue, if it is short-lived and trusted; else null. */
  on_schedule_until: number | null;
  revoked: Flag;
  /** Time of the last check that read a certificate. */
  last_read_at: number | null;
  unreachable_since: number | null;
  problem: 'unreachable' | 'untrusted' | null;
  problem_message: string | null;
  /** 0 if it must not be checked, because it is paused or its account is disabled. */
  active: Generated<Flag>;
  paused_by: PausedBy | null;
  paused_at: number | null;
  notes: Generated<string>;
  /** JSON list of lower-case words without index. `contains` finds a tag together with its quotes. */
  tags: Generated<string>;
  protocol: Generated<Protocol>;
  /** Confirmed uptime; null before the first check. A single failure does not change it. */
  uptime: Uptime | null;
  /** Time of the first check with a known uptime, at which the uptime figures start. */
  uptime_since: number | null;
  /** When a failure was first seen that a second check must confirm; null if there is none. */
  suspected_since: number | null;
  /** Start of the open `down` incident. */
  down_since: number | null;
  down_seen_at: number | null;
  /** Response time of the last check that got an answer, in ms. */
  response_ms: number | null;
  /** The last 90 checks, oldest first, one letter each: `u` up, `d` down, `?` unknown. */
  recent_checks: Generated<string>;
  /** The text that searches use; see `searchText`. */
  search_text: Generated<string>;
  /** JSON of DomainAlertSettings; null: the account's settings apply. */
  alert_settings: string | null;
}
/** `unconfirmed`: added before the owner verified the account's address, and not yet resumed by the owner. */
export type PausedBy = 'user' | 'plan' | 'unconfirmed';

/** The columns of a monitor that lists and counts read. Triggers on `monitors` maintain it; code must not write it. */
export interface MonitorListingTable {
  account_id: string;
  monitor_id: string;
  created_at: number;
  host: string;
  port: number;
  /** 0 paused, 1 pending, 2 unread, 3 revoked (see DOMAIN_STATES); 4: the state depends on `not_after`. */
  phase: number;
  not_after: number | null;
  /** Same as in `monitors`. */
  on_schedule_until: number | null;
  /** 2: down or unreachable; 1: not trusted; 0: neither, or paused. */
  trouble: number;
  tags: string;
  search_text: string;
}

/** Number of monitors per account that has had one. Triggers maintain it; code must not write it. */
export interface MonitorTotalsTable {
  account_id: string;
  total: number;
}

/** Subscriptions as the payment provider's webhooks last reported them. */
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
  /** The `occurred_at` of the last applied event. Older events that arrive later are ignored. */
  told_at: number;
  /** The same for `refunded_at`, which separate refund events set. */
  refund_told_at: number | null;
  created_at: number;
}

/** Processed webhook events by the provider's id, so that each is applied once. */
export interface PaymentEventsTable {
  id: string;
  account_id: string | null;
  type: string;
  occurred_at: number;
  received_at: number;
  outcome: 'applied' | 'stale' | 'ignored';
  /** The subscription of a refund that arrived first; null once the refund is applied. */
  refund_of: string | null;
  refund_at: number | null;
  refunded: Flag | null;
}

/** Salted hashes of addresses that had a trial. A row outlives its account by twelve months. */
export interface TrialsTable {
  address_hash: string;
  account_id: string | null;
  started_at: number;
  account_deleted_at: number | null;
}

/** Columns of every outbox table, whose rows a worker claims, sends and settles. */
export interface OutboxColumns {
  id: string;
  message_id: string;
  attempts: number;
  /** Consecutive claims without a reported result, which suggest that the row kills its worker. */
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

/** Mail other than alerts: to an account, or to the operator (account null, or that of the sender). */
export interface MailsTable extends OutboxColumns {
  account_id: string | null;
  recipient: string;
  kind: string;
  /** JSON of the mail's content. Deleted when settled, except for failed mails without a secret link. */
  data: string | null;
  state: MailState;
  /** After this time the mail is dropped instead of sent. */
  expires_at: number | null;
}

export interface FeedbackTable {
  id: string;
  account_id: string;
  title: string;
  message: string;
  /** 1 if the account had Premium when the feedback was written. */
  premium: Flag;
  created_at: number;
}

/** A certificate authority that one account trusts in addition to the public ones. */
export interface AuthoritiesTable {
  id: string;
  account_id: string;
  fingerprint: string;
  der: Uint8Array;
  /** JSON of AuthorityFacts. */
  facts: string;
  created_at: number;
}

export interface CertificatesTable {
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  der: Uint8Array;
  /** JSON of CertificateFacts; null if the certificate could not be parsed. */
  facts: string | null;
  first_seen_at: number;
}

/** Icons of sites, one row per endpoint for all accounts. A row without `content` means that the site has none. */
export interface FaviconsTable {
  host: string;
  port: number;
  /** Detected from the bytes, not from the server's header. */
  content_type: string | null;
  content: Uint8Array | null;
  /** Changes with the content. */
  version: string | null;
  /** When to fetch it again. The worker that claims the row moves it forward. */
  next_fetch_at: number;
}

/** Preview checks without an account. The API inserts a row, a worker answers it, and the API reads and deletes it. */
export interface GlancesTable {
  id: string;
  host: string;
  port: number;
  protocol: Generated<Protocol>;
  created_at: number;
  lease_expires_at: number | null;
  /** JSON of the answer; null until the worker has answered. */
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

/** A personal API token. Only the SHA-256 of its secret is stored. */
export interface ApiTokensTable {
  account_id: string;
  id: string;
  token_hash: string;
  /** The first characters of the token. */
  prefix: string;
  name: string;
  /** JSON list of scope names. */
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
}

/** An API call with an idempotency key, running or answered. */
export interface IdempotencyKeysTable {
  account_id: string;
  /** SHA-256 of the key. */
  key_hash: string;
  /** SHA-256 of the method, path and input of the request. */
  request_hash: string;
  /** Random id of the attempt that owns the key. */
  attempt: string;
  /** After this time another attempt may take over an unanswered call. */
  lease_expires_at: number;
  /** HTTP status of the answer; null while there is none. */
  status: number | null;
  content_type: string | null;
  body: string | null;
  created_at: number;
}
