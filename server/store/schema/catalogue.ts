import { sql } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { TRIAL_REMEMBERED_MS } from '../../core/plan.ts';
import type { Rules } from './catalogue-rules.ts';
import type { Tables } from './tables.ts';

/** Tables whose rows belong to an account. They are deleted with it, except `trials`. */
export type AccountTable =
  | 'accounts'
  | { [Table in keyof Tables]: 'account_id' extends keyof Tables[Table] ? Table : never }[keyof Tables];

/** Tables without a row type in the store. */
type UntypedTable = 'database_id' | 'jwks' | 'kysely_migration' | 'kysely_migration_lock' | 'oldest_program';

type Catalogue = {
  readonly [Table in keyof Tables]: Omit<
    Rules<Table>,
    Table extends AccountTable ? 'of' : 'newOwner' | 'exported' | 'history'
  >;
} & Readonly<Record<UntypedTable, Pick<AnyRules, 'bound' | 'of'>>>;

type AnyRules = Rules<keyof Tables, string>;

const DOMAINS_STAY = 'Domains are kept, and paused until the new owner resumes them.';
const BY_CHECKS = 'Checks write it. The new owner sees the results after resuming the domain.';
const BY_WORKERS = 'Workers write it to share the checks among them.';
const PREMIUM_STAYS =
  'Records what was paid for or granted. Premium belongs to the account, no matter who bought it.';

const IN_DOMAIN_LIST = 'The list of domains has it.';
const HISTORY_RULES = { newOwner: { kept: BY_CHECKS }, exported: IN_DOMAIN_LIST } as const;
const TRIGGER_RULES = {
  newOwner: { kept: 'Triggers derive it from monitors.' },
  exported: 'Triggers derive it from other tables.',
} as const;
// Remove alerts: an alert is sent once per incident, so if they were kept, the new owner would never get those of open incidents.
const ALERT_RULES = { newOwner: 'removed', exported: 'The list of alerts has it.' } as const;

/**
 * How the rows of the identity provider expire. `aheadMs` exceeds the lifetime of all its sessions, verifications and mailed
 * links.
 */
const PROVIDER_EXPIRY = { at: ['expiresAt'], aheadMs: DAY_MS + HOUR_MS, isText: true } as const;

const RULES = {
  accounts: {
    bound: 'limits on sign-ups',
    newOwner: {
      columns: {
        ...keep('Identifies the account.', 'id', 'email', 'kind', 'created_at'),
        email_verified: { changedBy: 'the verification of the address' },
        full_name: () => '',
        photo_url: () => null,
        company_name: () => '',
        time_zone: () => null,
        // Remove the customer id of the previous owner, because the next checkout would use it and send them the receipts.
        paddle_id: () => '',
        ...keep(PREMIUM_STAYS, 'plan', 'plan_status', 'plan_source', 'plan_ends_at', 'trial_ends_at'),
        ...keep(PREMIUM_STAYS, 'granted_at', 'grant_ends_at'),
        disabled_at: 'Only the operator changes it.',
        old_links_until: 'These links were mailed to this very address.',
        alert_settings: () => null,
        digest_next_at: () => null,
        reached_out_at: () => null,
      },
    },
    exported: 'It is the profile.',
  },
  identities: {
    bound: 'limits on sign-ups',
    newOwner: { kept: 'Identities that do not prove the address were removed before.' },
    exported: 'The caller exports what the sign-in provider knows.',
  },
  sessions: {
    bound: '200 per account, and 14 days',
    newOwner: 'removed',
    exported: 'The caller exports the open ones, without their secrets.',
    expires: { at: ['refresh_expires_at', 'refresh_idle_expires_at'] },
  },
  api_tokens: {
    bound: '20 per account',
    newOwner: 'reported',
    exported: {
      as: 'tokens',
      columns: ['name', 'prefix', 'scopes', 'last_used_at', 'expires_at'],
      json: ['scopes'],
    },
  },
  idempotency_keys: {
    bound: '4,000 an hour and LIMIT_KEPT_ANSWERS_MB a day per account; a day',
    newOwner: 'removed',
    exported: 'Answers to repeated calls, which show nothing else.',
    expires: { at: ['created_at'], keepMs: DAY_MS },
    pastEvents: ['created_at'],
  },
  monitors: {
    bound: 'three of a Free account; 10,000 an hour by import',
    newOwner: {
      columns: {
        ...keep(DOMAINS_STAY, 'id', 'account_id', 'host', 'sort_name', 'port', 'target', 'protocol'),
        ...keep(DOMAINS_STAY, 'created_at'),
        check_every_minutes: 'The plan allows every stored value.',
        active: () => 0,
        paused_by: () => 'unconfirmed',
        paused_at: (now) => now,
        check_requested_at: () => null,
        notes: () => '',
        tags: () => '[]',
        search_text: { changedBy: 'resetSearchTexts' },
        alert_settings: () => null,
        ...keep(BY_WORKERS, 'next_check_at', 'lane', 'lease_token', 'lease_expires_at', 'claimed_by'),
        ...keep(BY_WORKERS, 'claim_asked'),
        ...keep(BY_CHECKS, 'last_checked_at', 'checked', 'certificate_fingerprint', 'not_after', 'revoked'),
        ...keep(BY_CHECKS, 'certificate_problem'),
        ...keep(BY_CHECKS, 'last_read_at', 'unreachable_since', 'problem', 'problem_message'),
        ...keep(BY_CHECKS, 'response_ms', 'recent_checks', 'on_schedule_until', 'icon_fetched'),
        // A paused domain is not checked. Its uptime starts again when it resumes.
        uptime: () => null,
        uptime_since: () => null,
        suspected_since: () => null,
        down_since: () => null,
        down_seen_at: () => null,
      },
    },
    exported: IN_DOMAIN_LIST,
  },
  monitor_listing: { bound: 'one per monitor', ...TRIGGER_RULES },
  monitor_totals: { bound: 'one per account', ...TRIGGER_RULES },
  served_certificates: { bound: 'at most one per monitor and address', ...TRIGGER_RULES },
  other_leaves: { bound: 'at most one per monitor and address', ...HISTORY_RULES },
  deadlines: {
    bound: 'one per monitor, leaf and rule, and the last replaced one',
    newOwner: { kept: BY_CHECKS },
    exported: 'The list of deadlines has it.',
    // Pages show for 90 days after a date how many certificates were renewed before.
    expires: { at: ['from_at'], keepMs: 90 * DAY_MS, only: sql`renewed_at is not null` },
  },
  forecasts: {
    bound: 'at most one per monitor, and those that it no longer serves until the daily sweep',
    newOwner: { kept: BY_CHECKS },
    exported: IN_DOMAIN_LIST,
    pastEvents: ['made_at'],
  },
  renewals: {
    bound: 'one per replaced leaf; two years',
    newOwner: { kept: BY_CHECKS },
    exported: {
      columns: ['successor', 'authority', 'not_after', 'renewed_at', 'possible', 'score'],
      at: 'not_before',
      key: 'fingerprint',
      json: ['possible'],
    },
    expires: { at: ['not_after'], keepMs: 730 * DAY_MS },
  },
  monitor_states: { bound: 'one per monitor', ...HISTORY_RULES },
  check_runs: {
    bound: '20,000 per monitor; the days of its plan',
    ...HISTORY_RULES,
    history: { key: 'number', at: 'last_at', newest: { by: 'number', maximum: 20_000 } },
  },
  monitor_days: {
    bound: 'one per monitor and day; the days of its plan',
    ...HISTORY_RULES,
    history: { key: 'day_at', at: 'day_at' },
  },
  evidence: {
    bound: 'LIMIT_STORED_KB_PER_DAY; while a run refers to it',
    ...HISTORY_RULES,
    history: { key: 'id', referredBy: 'evidence_id' },
  },
  verdicts: {
    bound: 'LIMIT_STORED_KB_PER_DAY; while a run refers to it',
    ...HISTORY_RULES,
    history: { key: 'id', referredBy: 'verdict_id' },
  },
  monitor_certificates: {
    bound: '5,000 per monitor that are no longer kept',
    ...HISTORY_RULES,
    history: {
      key: 'fingerprint',
      newest: { by: 'last_seen_at', maximum: 5_000 },
      isDeletable: sql`old.kept = 0`,
    },
  },
  incidents: { bound: 'with their members', newOwner: 'removed', exported: IN_DOMAIN_LIST },
  incident_members: {
    bound: '5,000 per monitor; the days of its plan',
    newOwner: 'removed',
    exported: IN_DOMAIN_LIST,
    history: { key: 'id', at: 'ended_at', newest: { by: 'started_at', maximum: 5_000 } },
  },
  alerts: {
    bound: 'with their incidents; tests 90 days',
    ...ALERT_RULES,
    // Owners can see the result of a channel test for 90 days.
    expires: { at: ['created_at'], keepMs: 90 * DAY_MS, only: sql`kind = 'test'` },
  },
  deliveries: { bound: 'one per alert and channel; limits on tests and replays', ...ALERT_RULES },
  delivery_attempts: { bound: 'the attempts of the retry schedule per delivery', ...ALERT_RULES },
  channels: {
    bound: '20 per account',
    newOwner: 'reported',
    exported: {
      columns: [
        'kind',
        'name',
        'config',
        'confirmed_at',
        'disabled_at',
        'disabled_by',
        'failing_since',
        'delivered_at',
      ],
    },
    pastEvents: ['failing_since'],
  },
  unsubscriptions: {
    bound: 'one per channel and monitor',
    newOwner: 'removed',
    exported: { columns: ['channel_key', 'monitor_id'] },
  },
  maintenance_windows: {
    bound: 'those that are not over are limited; others go with the next one',
    newOwner: 'reported',
    exported: { as: 'maintenance', columns: ['monitor_id', 'starts_at', 'ends_at', 'repeats', 'note'] },
  },
  calendar_feeds: {
    bound: 'one per account',
    newOwner: 'reported',
    exported: { as: 'calendars', columns: ['read_at'], key: 'account_id' },
  },
  status_pages: {
    bound: 'one per account',
    newOwner: 'reported',
    exported: 'The list of status pages has it.',
  },
  status_page_domains: {
    bound: '200 per page',
    newOwner: 'removed',
    exported: 'The list of status pages has it.',
  },
  badges: { bound: 'one per monitor', newOwner: 'reported', exported: { columns: [], key: 'monitor_id' } },
  authorities: {
    bound: '20 per account',
    newOwner: 'reported',
    exported: { columns: ['fingerprint', 'facts'], json: ['facts'] },
  },
  mails: {
    bound: 'limits on what sends them; 90 days',
    newOwner: { kept: 'The history of sent mail. Waiting mail expires, except mail to the operator.' },
    exported: { columns: ['kind', 'recipient', 'state', 'attempts', 'detail', 'settled_at'] },
    // The operator can see the result of a mail for 90 days.
    expires: { at: ['settled_at'], keepMs: 90 * DAY_MS },
  },
  feedback: {
    bound: '200 per account',
    newOwner: { kept: 'It is meant for the operator.' },
    exported: { columns: ['title', 'message', 'premium'], flags: ['premium'] },
    pastEvents: ['created_at'],
  },
  subscriptions: {
    bound: 'the payment provider alone writes them',
    newOwner: { kept: PREMIUM_STAYS },
    exported: {
      columns: [
        'customer_id',
        'price_id',
        'status',
        'period_starts_at',
        'period_ends_at',
        'cancels_at',
        'past_due_since',
        'refunded_at',
        'told_at',
      ],
    },
  },
  payment_events: {
    bound: 'the payment provider alone writes them; 90 days',
    newOwner: { kept: PREMIUM_STAYS },
    exported: { columns: ['type', 'occurred_at', 'outcome'], at: 'received_at' },
    // The ids detect repeated webhooks. The payment provider repeats one for far less than 90 days.
    expires: { at: ['received_at'], keepMs: 90 * DAY_MS },
  },
  trials: {
    bound: 'one per address that signed up',
    newOwner: { kept: 'Each address gets one trial.' },
    exported: 'The profile says whether there was one.',
    expires: { at: ['account_deleted_at'], keepMs: TRIAL_REMEMBERED_MS },
  },
  user: { bound: 'limits on sign-ups', of: 'users' },
  account: { bound: 'limits on sign-ups', of: 'users' },
  session: { bound: 'deleted when exchanged, or when it expires', of: 'users', expires: PROVIDER_EXPIRY },
  verification: { bound: 'limits on mailed links', of: 'users', expires: PROVIDER_EXPIRY },
  passkey: { bound: 'one per challenge, of which one address gets 9,600 a day', of: 'users' },
  twoFactor: { bound: 'one per user', of: 'users' },
  certificates: {
    bound: 'LIMIT_CERTIFICATES_PER_DOMAIN and LIMIT_STORED_KB_PER_DAY; while a monitor has shown it',
    of: 'shared',
  },
  favicons: { bound: 'one per site that somebody watches, of 100 kB', of: 'shared' },
  suppressions: { bound: 'one per address that refused mail; limits on mail to new addresses', of: 'shared' },
  rate_limits: {
    bound: 'one per counted key until its window ends, a day at most',
    of: 'shared',
    expires: { at: ['window_ends_at'], aheadMs: DAY_MS },
  },
  glances: { bound: 'limits per address and in all; deleted when answered', of: 'deployment' },
  alarms: { bound: 'one per code', of: 'deployment', pastEvents: ['since', 'seen_at', 'told_at'] },
  log_lists: {
    bound: 'one per list and address that the operator sets, of 512 kB',
    of: 'deployment',
    pastEvents: ['asked_at', 'fetched_at', 'answered_at'],
    expires: { at: ['asked_at'], keepMs: 90 * DAY_MS },
  },
  jwks: { bound: 'the server alone makes keys', of: 'deployment' },
  database_id: { bound: 'one row', of: 'deployment' },
  oldest_program: { bound: 'one row', of: 'migrations' },
  kysely_migration: { bound: 'one per migration', of: 'migrations' },
  kysely_migration_lock: { bound: 'one row, in databases of older versions', of: 'migrations' },
} satisfies Catalogue;

/**
 * All tables of the database, with the rules by which exports, takeovers, deletions, retention and copies work. A test compares
 * the list with the database. The type requires all tables, and all columns of rows that a takeover changes.
 */
export const CATALOGUE: Catalogue = RULES;

/**
 * Tables whose rows several accounts may need. `deleteAccount` needs a rule for each: what happens to rows that only this account
 * needed.
 */
export type SharedTable = {
  [Table in keyof typeof RULES]: (typeof RULES)[Table] extends { of: 'shared' } ? Table : never;
}[keyof typeof RULES];

/** Returns the tables that have this kind of rule, with their rules. */
export function tablesWith<Name extends keyof AnyRules>(
  rule: Name,
): [table: keyof Tables, NonNullable<AnyRules[Name]>][] {
  const tables = Object.entries(CATALOGUE) as [keyof Tables, Partial<AnyRules>][];
  return tables.flatMap(([table, { [rule]: value }]) => (value === undefined ? [] : [[table, value]]));
}

function keep<Column extends string>(why: string, ...columns: Column[]): Record<Column, string> {
  return Object.fromEntries(columns.map((column) => [column, why])) as Record<Column, string>;
}
