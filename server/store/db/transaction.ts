import type { Kysely, Transaction } from 'kysely';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type DialectName, isTransactionConflict, lockedAgainstDeletion } from './dialect.ts';
import { runUrgently } from './node-sqlite-dialect.ts';
import type { Tables } from '../schema/tables.ts';

/** Writes of the caller that are committed or rolled back together with the creation of `made`. */
export type WriteInTransaction<Made> = (trx: Transaction<Tables>, made: Made) => Promise<void>;

const ATTEMPTS = 5;

/**
 * Runs `work` in a transaction, up to five times if it conflicts with another one. `work` must only use the given transaction: on
 * SQLite a write through `store.db` would deadlock, and a read through it would miss what `work` wrote. @throws AccessEnded
 */
export async function inTransaction<T>(
  store: { dialect: DialectName; db: Kysely<Tables> },
  work: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.db.transaction().execute(async (trx) => {
        await lockAccess(store.dialect, trx);
        return work(trx);
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !isTransactionConflict(error)) throw error;
    }
  }
}

/**
 * Like `inTransaction`, but on SQLite it overtakes ordinary transactions that wait. Use it to store the outcomes of messages: if
 * the process is killed before, the message is sent again.
 */
export const inUrgentTransaction: typeof inTransaction = (store, work) =>
  runUrgently(() => inTransaction(store, work));

/** The session or API token that authenticated a request. */
export type Caller = { accountId: string } & ({ sessionId: string } | { tokenId: string });

const callers = new AsyncLocalStorage<Caller>();

/**
 * Runs `work` for a request. Each of its transactions locks the row of the session or token, so that a request cannot write after
 * its access ended: code that ends access first deletes this row, which waits for these transactions.
 */
export const runAsCaller = <T>(caller: Caller, work: () => T): T => callers.run(caller, work);

/** Runs `work` without a caller: for loops that a signal from a request wakes, and for calls without authentication. */
export const runWithoutCaller = <T>(work: () => T): T => callers.exit(work);

/** Thrown if the session or token of a request ended during the request. The transaction wrote nothing. */
export class AccessEnded extends Error {
  override name = 'AccessEnded';
}

/** Locks the caller's session or token against deletion until the transaction ends. @throws AccessEnded */
async function lockAccess(dialect: DialectName, trx: Transaction<Tables>): Promise<void> {
  const caller = callers.getStore();
  if (caller === undefined) return;
  const [table, id] =
    'sessionId' in caller
      ? (['sessions', caller.sessionId] as const)
      : (['api_tokens', caller.tokenId] as const);
  const access = trx
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', caller.accountId)
    .where('id', '=', id);
  const row = await lockedAgainstDeletion(dialect, access).executeTakeFirst();
  if (row === undefined) throw new AccessEnded();
}
