import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** Runs `read` on the database for searches, after the searches that the account began before. */
export type Search = <T>(accountId: string, read: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;

/**
 * Runs the searches of an account one after the other: `db` has few connections, and one account must not hold them all with searches
 * that take long.
 */
export function createSearch(db: Kysely<Tables>): Search {
  const lastOf = new Map<string, Promise<void>>();
  return async (accountId, read) => {
    const result = (lastOf.get(accountId) ?? Promise.resolve()).then(() => read(db));
    const last = result.then(
      () => undefined,
      () => undefined,
    );
    lastOf.set(accountId, last);
    try {
      return await result;
    } finally {
      if (lastOf.get(accountId) === last) lastOf.delete(accountId);
    }
  };
}
