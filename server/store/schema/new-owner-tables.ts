import type { SelectType } from 'kysely';
import type { ClearedTable } from '../../core/index.ts';
import type { Tables } from './tables.ts';

/**
 * What happens to a column of a kept row: a string says why it is kept, a function returns its new value (`now` in ms
 * UTC), and `follows` names what else changes it.
 */
type ColumnFate<Value> = string | ((now: number) => Value) | { follows: string };

/**
 * What happens to an account's rows. `removed`: all are deleted, and the mail to the owner counts them under that name
 * (`untold`: not mentioned). `kept`: they stay, for the given reason. `columns`: they stay, with single columns reset.
 */
export type TableFate<Table extends keyof Tables = keyof Tables> =
  | { removed: ClearedTable | 'untold' }
  | { kept: string }
  | { columns: { [Column in keyof Tables[Table]]-?: ColumnFate<SelectType<Tables[Table][Column]>> } };

/** Tables whose rows belong to an account. */
export type AccountTable =
  | 'accounts'
  | { [Table in keyof Tables]: 'account_id' extends keyof Tables[Table] ? Table : never }[keyof Tables];

const DOMAINS_STAY = 'Domains stay, paused until their new owner confirms them.';
const BY_CHECKS = 'Checks write it. The owner sees what was found once the domain is confirmed.';
const BY_WORKERS = 'Workers write it to share the checks.';
const BY_PAYMENTS = 'Says what was paid for or granted. Premium counts for the account, whoever bought it.';

/**
 * What happens to an account's data when a new owner verifies its address. The type demands all tables with
 * `account_id` and, under `columns`, all their columns; the takeover test compares the list with the database.
 */
export const AT_NEW_OWNER: { [Table in AccountTable]: TableFate<Table> } = {
  accounts: {
    columns: {
      ...keep('Identifies the account.', 'id', 'email', 'kind', 'created_at'),
      email_verified: { follows: 'the proof' },
      full_name: () => '',
      photo_url: () => null,
      company_name: () => '',
      time_zone: () => null,
      // Otherwise the next checkout would use the previous payer's customer, who would get the receipts.
      paddle_id: () => '',
      ...keep(BY_PAYMENTS, 'plan', 'plan_status', 'plan_source', 'plan_ends_at', 'trial_ends_at'),
      ...keep(BY_PAYMENTS, 'granted_at', 'grant_ends_at'),
      disabled_at: 'The operator decides on it.',
      old_links_until: 'These links were mailed to this very address.',
      alert_settings: () => null,
      digest_next_at: () => null,
      reached_out_at: () => null,
    },
  },
  identities: { kept: 'Those that do not vouch for the address were removed before.' },
  sessions: { removed: 'untold' },
  api_tokens: { removed: 'api_tokens' },
  idempotency_keys: { removed: 'untold' },
  monitors: {
    columns: {
      ...keep(DOMAINS_STAY, 'id', 'account_id', 'host', 'port', 'protocol', 'created_at'),
      check_every_minutes: 'Every choice is one that the plan offers.',
      active: () => 0,
      paused_by: () => 'unconfirmed',
      paused_at: (now) => now,
      check_requested_at: () => null,
      notes: () => '',
      tags: () => '[]',
      search_text: { follows: 'notes and tags' },
      alert_settings: () => null,
      ...keep(BY_WORKERS, 'next_check_at', 'lane', 'lease_token', 'lease_expires_at', 'claimed_by'),
      ...keep(BY_WORKERS, 'claim_asked'),
      ...keep(BY_CHECKS, 'last_checked_at', 'checked', 'certificate_fingerprint', 'not_after', 'revoked'),
      ...keep(BY_CHECKS, 'last_read_at', 'unreachable_since', 'problem', 'problem_message'),
      ...keep(BY_CHECKS, 'response_ms', 'recent_checks', 'on_schedule_until'),
      // A paused domain is not checked, so its uptime starts again when it resumes.
      uptime: () => null,
      uptime_since: () => null,
      suspected_since: () => null,
      down_since: () => null,
      down_seen_at: () => null,
    },
  },
  monitor_listing: { kept: 'Triggers derive it from monitors.' },
  monitor_totals: { kept: 'Triggers derive it from monitors.' },
  monitor_states: { kept: BY_CHECKS },
  check_runs: { kept: BY_CHECKS },
  monitor_days: { kept: BY_CHECKS },
  evidence: { kept: BY_CHECKS },
  verdicts: { kept: BY_CHECKS },
  monitor_certificates: { kept: BY_CHECKS },
  // Each alert is sent once per incident, so alerts of kept incidents would never reach the new owner's channels.
  incidents: { removed: 'untold' },
  alerts: { removed: 'untold' },
  deliveries: { removed: 'untold' },
  delivery_attempts: { removed: 'untold' },
  channels: { removed: 'channels' },
  unsubscriptions: { removed: 'untold' },
  maintenance_windows: { removed: 'maintenance_windows' },
  calendar_feeds: { removed: 'calendar_feeds' },
  status_pages: { removed: 'status_pages' },
  status_page_domains: { removed: 'untold' },
  badges: { removed: 'badges' },
  authorities: { removed: 'authorities' },
  mails: { kept: 'The history of what was mailed. What waits expires, except mail to the operator.' },
  feedback: { kept: 'The operator has read it or will.' },
  subscriptions: { kept: BY_PAYMENTS },
  payment_events: { kept: BY_PAYMENTS },
  trials: { kept: 'An address has one trial.' },
};

function keep<Column extends string>(why: string, ...columns: Column[]): Record<Column, string> {
  return Object.fromEntries(columns.map((column) => [column, why])) as Record<Column, string>;
}
