import { type Account, toAccount } from './accounts.ts';
import { contains } from '../db/dialect.ts';
import type { Store } from '../db/open-store.ts';

export interface ListedAccount extends Account {
  /** Includes paused domains. */
  domains: number;
}

/** Lists accounts whose address contains `text`, newest first. An empty `text` matches all. */
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
export async function accountByEmail(store: Store, email: string): Promise<Account | null> {
  const row = await store.db
    .selectFrom('accounts')
    .selectAll()
    .where('kind', '=', 'person')
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst();
  return row ? toAccount(row) : null;
}
