import { endOutagesOfPaused } from '../alerts/incidents.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Account, toAccount } from './accounts.ts';
import { contains } from '../db/dialect.ts';

export interface ListedAccount extends Account {
  /** Number of domains, paused ones included. */
  domains: number;
}

/** Lists at most `limit` accounts whose address contains `text`, newest first. An empty `text` matches all. */
export async function listAccounts(
  store: Store,
  { text, limit }: { text: string; limit: number },
): Promise<ListedAccount[]> {
  const rows = await store.db
    .selectFrom('accounts')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('monitor_totals')
        .select('total')
        .whereRef('monitor_totals.account_id', '=', 'accounts.id')
        .as('domains'),
    )
    .where('kind', '=', 'person')
    .where((eb) => contains(store.dialect, eb.ref('email'), text))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...toAccount(row), domains: row.domains ?? 0 }));
}

/** Returns the account with this address (case-insensitive), or null if there is none. */
export async function findAccountByEmail(store: Store, email: string): Promise<Account | null> {
  const row = await store.db
    .selectFrom('accounts')
    .selectAll()
    .where('kind', '=', 'person')
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst();
  return row ? toAccount(row) : null;
}

/**
 * Disables an account: ends its sessions and open downtime incidents, blocks sign-in and API tokens, and stops checks, alerts and
 * mail. Keeps all data except the sessions and the current uptime. Returns false if there is no such account.
 */
export async function disableAccount(store: Store, accountId: string, now: number): Promise<boolean> {
  const disabled = await inTransaction(store, async (trx) => {
    // Delete the sessions first: requests lock their session before the account, so another order could deadlock (see
    // `runAsCaller`).
    await trx.deleteFrom('sessions').where('account_id', '=', accountId).execute();
    const account = await trx
      .updateTable('accounts')
      .set((eb) => ({ disabled_at: eb.fn.coalesce('disabled_at', eb.val(now)) }))
      .where('id', '=', accountId)
      .returning('id')
      .executeTakeFirst();
    if (!account) return false;
    await trx.updateTable('monitors').set({ active: 0 }).where('account_id', '=', accountId).execute();
    await endOutagesOfPaused(trx, { accountId, now });
    return true;
  });
  if (disabled) store.signals.publish({ topic: 'session_ended', accountId, sessionId: null });
  return disabled;
}

/**
 * Enables an account. Resumes its waiting alerts and mail, and the checks of domains that are not paused. Returns false if there
 * is no such account.
 */
export async function enableAccount(store: Store, accountId: string): Promise<boolean> {
  const enabled = await inTransaction(store, async (trx) => {
    const account = await trx
      .updateTable('accounts')
      .set({ disabled_at: null })
      .where('id', '=', accountId)
      .returning('id')
      .executeTakeFirst();
    if (!account) return false;
    await trx
      .updateTable('monitors')
      .set({ active: 1 })
      .where('account_id', '=', accountId)
      .where('paused_by', 'is', null)
      .execute();
    return true;
  });
  if (!enabled) return false;
  for (const topic of ['due', 'deliveries', 'mails'] as const) store.signals.publish({ topic });
  store.signals.publish({ topic: 'account', accountId });
  return true;
}
