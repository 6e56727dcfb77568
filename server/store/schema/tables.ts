import type { Generated } from 'kysely';
import type { CertificateProblem, StoredProblem } from '../../core/check/problems.ts';
import type { Uptime } from '../../core/check/uptime.ts';
import type { Subscription } from '../../core/plan.ts';
import type {
  AccountsTable,
  ApiTokensTable,
  AuthoritiesTable,
  FeedbackTable,
  IdempotencyKeysTable,
  IdentitiesTable,
  IdentityAccountTable,
  IdentityFactorTable,
  IdentitySessionTable,
  IdentityUserTable,
  IdentityVerificationTable,
  SessionsTable,
  TrialsTable,
} from './account-tables.ts';
import type {
  AlarmsTable,
  AlertsTable,
  CalendarFeedsTable,
  ChannelsTable,
  DeliveriesTable,
  DeliveryAttemptsTable,
  IncidentMembersTable,
  IncidentsTable,
  MaintenanceWindowsTable,
  OutboxColumns,
  SuppressionsTable,
  UnsubscriptionsTable,
} from './alert-tables.ts';
import type {
  CertificatesTable,
  CheckRunsTable,
  DeadlinesTable,
  EvidenceTable,
  FaviconsTable,
  ForecastsTable,
  MonitorCertificatesTable,
  MonitorDaysTable,
  MonitorStatesTable,
  OtherLeavesTable,
  RenewalsTable,
  ServedCertificatesTable,
  VerdictsTable,
} from './check-tables.ts';
import type { Protocol } from '../../../contract/protocols.ts';

/**
 * The key of a monitor. Queries always filter by account, so that the id of another account's monitor acts like an unknown one.
 */
export interface MonitorKey {
  accountId: string;
  monitorId: string;
}

/** A boolean as 0 or 1, which both databases support. */
type Flag = number;

export interface MonitorsTable {
  id: string;
  account_id: string;
  host: string;
  /** Core's `sortName` of the host: null for most, and if an older program stored the row (migration 0038). */
  sort_name: Generated<string | null>;
  port: number;
  /** How the endpoint is checked, as written by core's `writeTarget`; empty without a target. */
  target: Generated<string>;
  check_every_minutes: number;
  created_at: number;
  next_check_at: number;
  /** Queue lane of the monitor; see `laneOf`. */
  lane: Generated<number>;
  last_checked_at: number | null;
  /**
   * 1 after the first check, else 0. Indexes use it in place of `last_checked_at`, whose index entry every check would rewrite.
   */
  checked: Generated<Flag>;
  /**
   * Time of a request for a check, or of a change that needs one, ms UTC; null if there is none, or a worker has claimed the
   * check.
   */
  check_requested_at: number | null;
  lease_token: string | null;
  lease_expires_at: number | null;
  claimed_by: string | null;
  /** 1 if the claimed check answers a request; see `check_requested_at`. */
  claim_asked: Generated<Flag>;
  /** Fingerprint of the leaf last seen. Checks that read no certificate do not change it. */
  certificate_fingerprint: string | null;
  /** End of validity of the leaf last seen, ms UTC, by which lists sort and count. */
  not_after: number | null;
  /**
   * When the renewal of the leaf last seen becomes overdue, ms UTC; null if unknown, or if the leaf is not short-lived or not
   * trusted.
   */
  on_schedule_until: number | null;
  /** Why clients refuse the leaf last seen on this monitor, besides expiry; null if they do not. */
  certificate_problem: CertificateProblem | null;
  revoked: Flag;
  /** Time of the last check that read a certificate, ms UTC; null if none did. */
  last_read_at: number | null;
  /**
   * 1 once the site's icon was fetched after this monitor had read a certificate there. Before, the monitor shows no icon: one
   * fetched for other accounts would reveal that they watch the site.
   */
  icon_fetched: Generated<Flag>;
  unreachable_since: number | null;
  problem: StoredProblem | null;
  problem_message: string | null;
  /** 0 if the monitor must not be checked, because it is paused or its account is disabled. */
  active: Generated<Flag>;
  paused_by: PausedBy | null;
  paused_at: number | null;
  notes: Generated<string>;
  /** JSON list of lower-case words. The column has no index; `contains` finds a tag with its quotes. */
  tags: Generated<string>;
  protocol: Generated<Protocol>;
  /**
   * Confirmed uptime. A single failed check does not change it. Null before the first conclusive check after adding or resuming.
   */
  uptime: Uptime | null;
  /**
   * Time of the first conclusive check after adding or resuming, ms UTC; null before that check. Uptime is computed from then on.
   */
  uptime_since: number | null;
  /** Time of a failure that a second check has not confirmed yet, ms UTC; null if there is none. */
  suspected_since: number | null;
  /** Start of the open `down` incident, ms UTC; null if there is none. */
  down_since: number | null;
  down_seen_at: number | null;
  /** Response time of the last check that got an answer, in ms; null if none did. */
  response_ms: number | null;
  /** The last 90 checks, oldest first, one letter each: `u` up, `d` down, `?` unknown. */
  recent_checks: Generated<string>;
  /** Text that searches match; see `searchText`. */
  search_text: Generated<string>;
  /** JSON of DomainAlertSettings; null: the account's settings apply. */
  alert_settings: string | null;
}
/** The reason of a pause. `unconfirmed`: the account was cleared for a new owner, who has not resumed the monitor yet. */
export type PausedBy = 'user' | 'plan' | 'unconfirmed';

/** A copy of the columns of `monitors` that lists and counts read. Triggers on `monitors` maintain it; code must not write it. */
export interface MonitorListingTable {
  account_id: string;
  monitor_id: string;
  created_at: number;
  host: string;
  /** What lists sort the host by: `monitors.sort_name`, else the host. */
  sort_name: string;
  port: number;
  /**
   * The phase of the monitor: 0 paused, 1 pending, 2 unread, 3 revoked (see DOMAIN_STATES), 4 if the state depends on
   * `not_after`.
   */
  phase: number;
  not_after: number | null;
  /** Copy of `monitors.on_schedule_until`. */
  on_schedule_until: number | null;
  /** Copy of `monitors.certificate_fingerprint`. */
  certificate_fingerprint: string | null;
  /**
   * The most severe problem: 2 down or unreachable; 1 not trusted, refused by some clients or flawed; 3 renewal overdue; 0 none,
   * or paused.
   */
  trouble: number;
  /**
   * The most urgent problem that does not depend on the time, as an index in `FAULTS`; 0 if there is none, and for paused
   * monitors.
   */
  fault: number;
  tags: string;
  search_text: string;
}

/** Number of monitors per account. Accounts that never had one have no row. Triggers maintain it; code must not write it. */
export interface MonitorTotalsTable {
  account_id: string;
  total: number;
}

/** Subscriptions as the payment provider's webhooks last reported them. */
export interface SubscriptionsTable {
  /** Id of the subscription at the payment provider. */
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
  /** `occurred_at` of the last applied event about the subscription itself. Older events that arrive later are ignored. */
  told_at: number;
  /** `occurred_at` of the last applied refund event; null if there is none. Only refund events set `refunded_at`. */
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
  /** Subscription of a refund that arrived before its subscription; null for other events, and once the refund was applied. */
  refund_of: string | null;
  refund_at: number | null;
  refunded: Flag | null;
}

export type MailState = 'waiting' | 'delivered' | 'failed' | 'expired';

/** Mails other than alerts. A mail to the operator has no account, or the account of the person who caused it. */
export interface MailsTable extends OutboxColumns {
  account_id: string | null;
  recipient: string;
  kind: string;
  /** JSON of the mail's content. It is deleted when the mail is settled, except for failed mails without a secret link. */
  data: string | null;
  state: MailState;
  /** Time after which the mail is dropped instead of sent, ms UTC; null: never. */
  expires_at: number | null;
}

/** Preview checks, which belong to no account. The API inserts a row, a worker answers it, and the API reads and deletes it. */
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

export interface LogListsTable {
  list: string;
  address: string;
  /** Time of the last request, ms UTC. The worker that sets it sends the request. */
  asked_at: number;
  /** Number of requests since the last usable answer. */
  attempts: number;
  /** One sentence that says why the last request gave no usable answer; null if it gave one. */
  problem: string | null;
  /** The list as it was sent; null before the first usable answer. Google's signature of it was verified. */
  body: Uint8Array | null;
  etag: string | null;
  last_modified: string | null;
  /** When `body` was received, ms UTC. */
  fetched_at: number | null;
  /** Time of the last usable answer, which may say that the list is unchanged, ms UTC. */
  answered_at: number | null;
}

export interface RateLimitsTable {
  key: string;
  window_ends_at: number;
  count: number;
}

/** Public status pages, at most one per account. */
export interface StatusPagesTable {
  account_id: string;
  /** The last path segment of the page's URL. Unique. */
  slug: string;
  /** 0 if the page is visible to its owner only. */
  enabled: Flag;
  /** 1 if search engines may list the page. */
  listed: Flag;
  title: string;
  shows: 'all' | 'tags' | 'chosen';
  /** JSON list of lower-case words. */
  tags: string;
  show_certificates: Flag;
  show_uptime: Flag;
  show_incidents: Flag;
  created_at: number;
  changed_at: number;
}

/** The label of a domain on the status page, and its position if the page shows chosen domains. */
export interface StatusPageDomainsTable {
  account_id: string;
  monitor_id: string;
  place: number;
  /** Label of the domain; empty: the page shows the host name. */
  label: string;
}

/** Public badge images of domains. The token is stored in clear text, because it is meant to be published. */
export interface BadgesTable {
  account_id: string;
  monitor_id: string;
  token: string;
  created_at: number;
}

export interface Tables {
  accounts: AccountsTable;
  identities: IdentitiesTable;
  sessions: SessionsTable;
  monitors: MonitorsTable;
  monitor_listing: MonitorListingTable;
  monitor_totals: MonitorTotalsTable;
  served_certificates: ServedCertificatesTable;
  other_leaves: OtherLeavesTable;
  deadlines: DeadlinesTable;
  forecasts: ForecastsTable;
  renewals: RenewalsTable;
  monitor_states: MonitorStatesTable;
  check_runs: CheckRunsTable;
  monitor_days: MonitorDaysTable;
  evidence: EvidenceTable;
  verdicts: VerdictsTable;
  certificates: CertificatesTable;
  monitor_certificates: MonitorCertificatesTable;
  favicons: FaviconsTable;
  glances: GlancesTable;
  log_lists: LogListsTable;
  incidents: IncidentsTable;
  incident_members: IncidentMembersTable;
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
