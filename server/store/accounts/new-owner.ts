import type { Selectable, Transaction } from 'kysely';
import { type ClearedTable, OPERATOR_MAIL_KINDS } from '../../core/account-mail.ts';
import { locked } from '../db/dialect.ts';
import { enqueueMail } from '../mail/mails.ts';
import type { Store } from '../db/open-store.ts';
import { isWaiting } from '../mail/outbox.ts';
import { searchText } from '../monitors/monitor-row.ts';
import type { AccountsTable } from '../schema/account-tables.ts';
import { type AccountTable, tablesWith } from '../schema/catalogue.ts';
import type { Tables } from '../schema/tables.ts';

type Counts = Partial<Record<ClearedTable, number>>;

/**
 * Ends all sessions, API tokens and calendar links. Returns the numbers of tokens and links. Call it before the transaction locks
 * any row of the account: requests lock their session before the account, so the reverse order could deadlock.
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
 * Clears an account that a stranger may have created: expires waiting mail, applies the rules of `CATALOGUE`, and mails the numbers of
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
  for (const [name, policy] of tablesWith('newOwner')) {
    const table = name as AccountTable;
    if (policy === 'removed') await removeAll(trx, table, accountId);
    else if (policy === 'reported') {
      const count = await removeAll(trx, table, accountId);
      removed[table as ClearedTable] = (removed[table as ClearedTable] ?? 0) + count;
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
    .where('kind', 'not in', OPERATOR_MAIL_KINDS)
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
