import type { Selectable, Transaction } from 'kysely';
import type { ClearedTable } from '../../core/index.ts';
import { locked } from '../db/dialect.ts';
import { enqueueMail, OPERATOR_KINDS } from '../mail/mails.ts';
import { type AccountTable, AT_NEW_OWNER, type TableFate } from '../schema/new-owner-tables.ts';
import type { Store } from '../db/open-store.ts';
import { isWaiting } from '../mail/outbox.ts';
import { searchText } from '../monitors/search-text.ts';
import type { AccountsTable, Tables } from '../schema/tables.ts';

type Counts = Partial<Record<ClearedTable, number>>;

/**
 * Ends every session, personal token and calendar link of an account, after the requests that they let in (see caller.ts). Returns how
 * many of what is told. These requests hold their session before any other row, so call it before the transaction locks one of the
 * account: else the two may deadlock.
 */
export async function endAccess(trx: Transaction<Tables>, accountId: string): Promise<Counts> {
  await removeAll(trx, 'sessions', accountId);
  return {
    api_tokens: await removeAll(trx, 'api_tokens', accountId),
    calendar_feeds: await removeAll(trx, 'calendar_feeds', accountId),
  };
}

/** The account's row, held for the rest of the transaction. */
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
 * Clears an account for somebody who just proved to own its address, which nobody had before: whoever made the account may be a
 * stranger. Carries out `AT_NEW_OWNER`, stops mail that waits, and mails the owner what was removed. Call it after `endAccess`,
 * which gives `ended`, and with the account's row locked.
 */
export async function clearForNewOwner(
  trx: Transaction<Tables>,
  { id: accountId, email }: { id: string; email: string },
  { ended, now }: { ended: Counts; now: number },
): Promise<void> {
  await stopMails(trx, { accountId, now });
  await resetSearchTexts(trx, accountId);
  const removed = { ...ended };
  let domains = 0;
  for (const [table, fate] of Object.entries(AT_NEW_OWNER) as [AccountTable, TableFate][]) {
    if ('removed' in fate) {
      const count = await removeAll(trx, table, accountId);
      if (fate.removed !== 'untold') removed[fate.removed] = (removed[fate.removed] ?? 0) + count;
    } else if ('columns' in fate) {
      const count = await resetColumns(trx, { table, accountId, values: standardValues(fate.columns, now) });
      if (table === 'monitors') domains = count;
    }
  }
  const told = Object.fromEntries(Object.entries(removed).filter(([, count]) => count > 0));
  if (domains === 0 && Object.keys(told).length === 0) return;
  const content = { kind: 'account_cleared' as const, domains, removed: told };
  await enqueueMail(trx, { accountId, recipient: email, content, now });
}

/** The tables differ in columns that are not used here; to the compiler all are this one. */
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
    Object.entries(columns).flatMap(([column, fate]: [string, unknown]) =>
      typeof fate === 'function' ? [[column, (fate as (now: number) => unknown)(now)]] : [],
    ),
  );
}

/** Whatever waits was written for whoever had the account before, except what they wrote to the operator. */
async function stopMails(
  trx: Transaction<Tables>,
  { accountId, now }: { accountId: string; now: number },
): Promise<void> {
  await trx
    .updateTable('mails')
    .set({
      state: 'expired',
      settled_at: now,
      detail: 'The owner of the address took the account over.',
      data: null,
      lease_token: null,
      lease_expires_at: null,
    })
    .where('account_id', '=', accountId)
    .where(isWaiting)
    .where('kind', 'not in', OPERATOR_KINDS)
    .execute();
}

/** Notes and tags are reset; what is searched for is then the name alone. */
async function resetSearchTexts(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const described = await trx
    .selectFrom('monitors')
    .select(['id', 'host', 'port'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('notes', '!=', ''), eb('tags', '!=', '[]')]))
    .execute();
  for (const { id, host, port } of described)
    await trx
      .updateTable('monitors')
      .set({ search_text: searchText({ host, port, notes: '', tags: [] }) })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
}
