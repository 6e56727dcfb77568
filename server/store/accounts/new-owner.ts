import type { Selectable, SelectType, Transaction } from 'kysely';
import { type ClearedTable, OPERATOR_MAILS } from '../../core/account-mail.ts';
import { locked } from '../db/dialect.ts';
import { enqueueMail } from '../mail/mails.ts';
import type { Store } from '../db/open-store.ts';
import { isWaiting } from '../mail/outbox.ts';
import { searchText } from '../monitors/monitor-row.ts';
import type { AccountsTable } from '../schema/account-tables.ts';
import type { Tables } from '../schema/tables.ts';

type Counts = Partial<Record<ClearedTable, number>>;

/**
 * Ends all sessions, API tokens and calendar links. Returns the numbers of tokens and links for the mail to the new owner. Call it
 * before the transaction locks any row of the account: requests lock their session first, so the other order could deadlock.
 */
export async function revokeAccess(trx: Transaction<Tables>, accountId: string): Promise<Counts> {
  // This waits for running requests, which lock their session (see `runAsCaller`).
  await removeAll(trx, 'sessions', accountId);
  return {
    api_tokens: await removeAll(trx, 'api_tokens', accountId),
    calendar_feeds: await removeAll(trx, 'calendar_feeds', accountId),
  };
}

/** Returns the account's row and locks it until the transaction ends. */
export async function lockAccount(
  store: Store,
  trx: Transaction<Tables>,
  accountId: string,
): Promise<Selectable<AccountsTable>> {
  return locked(
    store.dialect,
    trx.selectFrom('accounts').selectAll().where('id', '=', accountId),
  ).executeTakeFirstOrThrow();
}

/**
 * Clears an account that a stranger may have created: expires waiting mail, applies `NEW_OWNER_POLICY`, and mails the numbers of
 * paused domains and removed items. Call it after `revokeAccess` (which returns `ended`) with the account's row locked.
 */
export async function clearForNewOwner(
  trx: Transaction<Tables>,
  { id: accountId, email }: { id: string; email: string },
  { ended, now }: { ended: Counts; now: number },
): Promise<void> {
  await expireWaitingMails(trx, { accountId, now });
  await resetSearchTexts(trx, accountId);
  const removed = { ...ended };
  let domains = 0;
  for (const [table, policy] of Object.entries(NEW_OWNER_POLICY) as [AccountTable, TablePolicy][]) {
    if ('removed' in policy) {
      const count = await removeAll(trx, table, accountId);
      if (policy.removed !== 'unreported') removed[policy.removed] = (removed[policy.removed] ?? 0) + count;
    } else if ('columns' in policy) {
      const count = await resetColumns(trx, {
        table,
        accountId,
        values: standardValues(policy.columns, now),
      });
      if (table === 'monitors') domains = count;
    }
  }
  const reported = Object.fromEntries(Object.entries(removed).filter(([, count]) => count > 0));
  if (domains === 0 && Object.keys(reported).length === 0) return;
  const content = { kind: 'account_cleared' as const, domains, removed: reported };
  await enqueueMail(trx, { accountId, recipient: email, content, now });
}

/** Narrows the type to one table for the compiler. The tables share all columns that this file uses. */
const asTable = (table: AccountTable) => table as 'channels';
const ownerOf = (table: AccountTable) => (table === 'accounts' ? 'id' : 'account_id');

async function removeAll(trx: Transaction<Tables>, table: AccountTable, accountId: string): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom(asTable(table))
    .where(ownerOf(table), '=', accountId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function resetColumns(
  trx: Transaction<Tables>,
  { table, accountId, values }: { table: AccountTable; accountId: string; values: Record<string, unknown> },
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable(asTable(table))
    .set(values)
    .where(ownerOf(table), '=', accountId)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

function standardValues(columns: object, now: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([column, policy]: [string, unknown]) =>
      typeof policy === 'function' ? [[column, (policy as (now: number) => unknown)(now)]] : [],
    ),
  );
}

/** Expires waiting mails, because they were written for the previous owner. Keeps mail to the operator. */
async function expireWaitingMails(
  trx: Transaction<Tables>,
  { accountId, now }: { accountId: string; now: number },
): Promise<void> {
  await trx
    .updateTable('mails')
    .set({
      state: 'expired',
      settled_at: now,
      detail: 'The owner of the address took over the account.',
      data: null,
      lease_token: null,
      lease_expires_at: null,
    })
    .where('account_id', '=', accountId)
    .where(isWaiting)
    .where('kind', 'not in', OPERATOR_MAILS)
    .execute();
}

/** Rebuilds the search texts without notes and tags, which the caller resets. */
async function resetSearchTexts(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const described = await trx
    .selectFrom('monitors')
    .select(['id', 'host', 'port', 'target'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('notes', '!=', ''), eb('tags', '!=', '[]')]))
    .execute();
  for (const { id, ...endpoint } of described)
    await trx
      .updateTable('monitors')
      .set({ search_text: searchText({ ...endpoint, notes: '', tags: [] }) })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
}

/**
 * Rule for a column of a kept row: a string says why it is kept, a function returns its new value (`now` in ms UTC),
 * and `changedBy` names what else changes it.
 */
type ColumnPolicy<Value> = string | ((now: number) => Value) | { changedBy: string };

/**
 * Rule for an account's rows in a table. `removed`: they are deleted, and the mail to the owner counts them under that name
 * (`unreported`: does not mention them). `kept`: they stay, for this reason. `columns`: they stay with some columns reset.
 */
export type TablePolicy<Table extends keyof Tables = keyof Tables> =
  | { removed: ClearedTable | 'unreported' }
  | { kept: string }
  | { columns: { [Column in keyof Tables[Table]]-?: ColumnPolicy<SelectType<Tables[Table][Column]>> } };

/** Tables whose rows belong to an account. */
export type AccountTable =
  | 'accounts'
  | { [Table in keyof Tables]: 'account_id' extends keyof Tables[Table] ? Table : never }[keyof Tables];

const DOMAINS_STAY = 'Domains are kept, and paused until the new owner resumes them.';
const BY_CHECKS = 'Checks write it. The new owner sees the results after resuming the domain.';
const BY_WORKERS = 'Workers write it to share the checks among them.';
const PREMIUM_STAYS =
  'Records what was paid for or granted. Premium belongs to the account, no matter who bought it.';

/**
 * Rules for an account's data when a new owner verifies its address. The type demands all tables with `account_id` and,
 * under `columns`, all their columns. The takeover test compares the list with the database.
 */
export const NEW_OWNER_POLICY: { [Table in AccountTable]: TablePolicy<Table> } = {
  accounts: {
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
  identities: { kept: 'Identities that do not prove the address were removed before.' },
  sessions: { removed: 'unreported' },
  api_tokens: { removed: 'api_tokens' },
  idempotency_keys: { removed: 'unreported' },
  monitors: {
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
  monitor_listing: { kept: 'Triggers derive it from monitors.' },
  monitor_totals: { kept: 'Triggers derive it from monitors.' },
  served_certificates: { kept: 'Triggers derive it from monitors.' },
  other_leaves: { kept: BY_CHECKS },
  monitor_states: { kept: BY_CHECKS },
  check_runs: { kept: BY_CHECKS },
  monitor_days: { kept: BY_CHECKS },
  evidence: { kept: BY_CHECKS },
  verdicts: { kept: BY_CHECKS },
  monitor_certificates: { kept: BY_CHECKS },
  // Each alert is sent once per incident, so alerts of kept incidents would never reach the new owner's channels.
  incidents: { removed: 'unreported' },
  alerts: { removed: 'unreported' },
  deliveries: { removed: 'unreported' },
  delivery_attempts: { removed: 'unreported' },
  channels: { removed: 'channels' },
  unsubscriptions: { removed: 'unreported' },
  maintenance_windows: { removed: 'maintenance_windows' },
  calendar_feeds: { removed: 'calendar_feeds' },
  status_pages: { removed: 'status_pages' },
  status_page_domains: { removed: 'unreported' },
  badges: { removed: 'badges' },
  authorities: { removed: 'authorities' },
  mails: { kept: 'The history of sent mail. Waiting mail expires, except mail to the operator.' },
  feedback: { kept: 'It is meant for the operator.' },
  subscriptions: { kept: PREMIUM_STAYS },
  payment_events: { kept: PREMIUM_STAYS },
  trials: { kept: 'Each address gets one trial.' },
};

function keep<Column extends string>(why: string, ...columns: Column[]): Record<Column, string> {
  return Object.fromEntries(columns.map((column) => [column, why])) as Record<Column, string>;
}
