import type { Transaction } from 'kysely';
import { AsyncLocalStorage } from 'node:async_hooks';
import { keptFromDeletion, type DialectName } from './dialect.ts';
import type { Tables } from '../schema/tables.ts';

/** What a request was let in by: a session or a personal token of an account. */
export type Caller = { accountId: string } & ({ sessionId: string } | { tokenId: string });

const callers = new AsyncLocalStorage<Caller>();

/**
 * Runs `work` for a request. Every transaction in it holds the row of the session or token, so that a request that was under way
 * when its access ended writes nothing afterwards: whoever ends access deletes these rows first and waits for such transactions.
 */
export const onBehalfOf = <T>(caller: Caller, work: () => T): T => callers.run(caller, work);

/** For what a request sets off but does not do itself: work of other loops that a signal wakes, calls that anybody may make. */
export const onNobodysBehalf = <T>(work: () => T): T => callers.exit(work);

/** The session or token that let a request in has ended meanwhile. Nothing of its transaction was written. */
export class AccessEnded extends Error {
  override name = 'AccessEnded';
}

/** Keeps the caller's session or token from ending before the transaction does. @throws AccessEnded */
export async function holdAccess(dialect: DialectName, trx: Transaction<Tables>): Promise<void> {
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
  const row = await keptFromDeletion(dialect, access).executeTakeFirst();
  if (row === undefined) throw new AccessEnded();
}
