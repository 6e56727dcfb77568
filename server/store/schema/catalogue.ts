import { type RawBuilder, type SelectType, sql, type SqlBool } from 'kysely';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import type { ClearedTable } from '../../core/account-mail.ts';
import { TRIAL_REMEMBERED_MS } from '../../core/plan.ts';
import type { Tables } from './tables.ts';

/** Tables whose rows belong to an account. They are deleted with it, except `trials`. */
export type AccountTable =
  | 'accounts'
  | { [Table in keyof Tables]: 'account_id' extends keyof Tables[Table] ? Table : never }[keyof Tables];

/** Tables that have no row type in the store. */
type UntypedTable = 'database_id' | 'jwks' | 'kysely_migration' | 'kysely_migration_lock' | 'oldest_program';

/** Which rows the hourly sweep deletes, by their times. */
interface Expiry<Column extends string> {
  /** A row is deleted once one of these times is `keepMs` ago; 0 by default. */
  at: readonly Column[];
  keepMs?: number;
  /** A row is also deleted if a time is further ahead than this, because a clock that ran ahead wrote it. */
  aheadMs?: number;
  /** Limits the deletion to these rows. */
  only?: RawBuilder<SqlBool>;
  /** Whether the times are ISO text, as those of the identity provider are. */
  isText?: boolean;
}

/** Which rows of a monitor's history the daily sweep deletes. `key` is unique among the rows of a monitor. */
export interface History<Column extends string = string> {
  key: Column;
  /** A row is deleted once this time is older than what the plan shows. Null: the row is still needed. */
  at?: Column;
  /**
   * The maximum number of rows per monitor, besides the limit on their age, and the column that sorts them. An endpoint whose result
   * changes at each check, checked as often as its owner may request, adds 8,640 rows a day.
   */
  newest?: { by: Column; maximum: number };
  /** A row is deleted once no run and no last check has its key in this column. */
  referredBy?: keyof Tables['check_runs'] & keyof Tables['monitor_states'];
  /** Limits the deletion to these rows. The condition calls the table `old`. */
  isDeletable?: RawBuilder<SqlBool>;
}

/** Which columns the export lists. No two rows of an account have the same `at` and `key`. */
export interface ListedColumns<Column extends string = string> {
  /** Name of the list, which is that of the table by default. */
  as?: string;
  columns: readonly Column[];
  /** Column that is exported as `created_at`; by default the column of this name. The oldest rows come first. */
  at?: Column;
  /** Column that is exported as `id`; by default the column of this name. */
  key?: Column;
  /** Columns that contain JSON. */
  json?: readonly Column[];
  /** Columns that contain 0 or 1. */
  flags?: readonly Column[];
}

/**
 * Rule for a column of a kept row: a string says why it is kept, a function returns its new value (`now` in ms UTC),
 * and `changedBy` names what else changes it.
 */
type ColumnPolicy<Value> = string | ((now: number) => Value) | { changedBy: string };

/**
 * Rule for an account's rows when a new owner verifies its address. `reported`: they are deleted, and the mail to the owner counts them;
 * `removed`: the mail does not mention them. `kept`: they stay, for this reason. `columns`: they stay with some columns reset.
 */
export type NewOwnerPolicy<Table extends keyof Tables = keyof Tables> =
  | (Table extends ClearedTable ? 'reported' : 'removed')
  | { kept: string }
  | { columns: { [Column in keyof Tables[Table]]-?: ColumnPolicy<SelectType<Tables[Table][Column]>> } };

/** What is done with the rows of a table. */
interface Rules<Table extends keyof Tables, Column extends string = keyof Tables[Table] & string> {
  /** What keeps a stranger from filling the table. */
  bound: string;
  newOwner: NewOwnerPolicy<Table>;
  /** What the export of an account lists, or why the table has no list of its own. */
  exported: ListedColumns<Column> | string;
  expires?: Expiry<Column>;
  history?: History<Column>;
  /** Times of past events, which are set to now if a clock that ran ahead wrote them. */
  pastEvents?: readonly Column[];
  /**
   * Owner of the rows in a table without `account_id`. `users`: they are deleted with a user of the identity provider. `shared`: they are
   * deleted when no account needs them. `deployment`: they stay. `migrations`: copies leave them out, because migrations write them.
   */
  of: 'users' | 'shared' | 'deployment' | 'migrations';
}

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
// Each alert is sent once per incident, so alerts of kept incidents would never reach the new owner's channels.
const ALERT_RULES = { newOwner: 'removed', exported: 'The list of alerts has it.' } as const;

/** Longer than any session, verification or mailed link of the identity provider is valid. */
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
        // Otherwise the next checkout would use the customer id of the previous payer, who would get the receipts.
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
        ...keep(DOMAINS_STAY, 'id', 'account_id', 'host', 'port', 'target', 'protocol', 'created_at'),
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
        // A paused domain is not checked, so its uptime starts again when it resumes.
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
    // How long the result of a channel test can be seen.
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
    // How long the operator can see the result of a mail.
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
    // Far longer than the payment provider repeats its webhooks, which the ids detect.
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
  session: {
    bound: 'deleted when exchanged for a session, or when it expires',
    of: 'users',
    expires: PROVIDER_EXPIRY,
  },
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
  jwks: { bound: 'the server alone makes keys', of: 'deployment' },
  database_id: { bound: 'one row', of: 'deployment' },
  oldest_program: { bound: 'one row', of: 'migrations' },
  kysely_migration: { bound: 'one per migration', of: 'migrations' },
  kysely_migration_lock: { bound: 'one row, in databases of older versions', of: 'migrations' },
} satisfies Catalogue;

/**
 * All tables of the database. Export, takeover, deletion, retention and copies work from this list. A test compares it with the database, and
 * the type demands all tables, and all columns of rows that a takeover changes.
 */
export const CATALOGUE: Catalogue = RULES;

/** Tables whose rows several accounts may need. `deleteAccount` must say for each what becomes of the rows that only this account needed. */
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
