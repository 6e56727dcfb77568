import type { Transaction } from 'kysely';
import { holdAccess } from './caller.ts';
import { lostRace } from './dialect.ts';
import type { Store } from './open-store.ts';
import type { Tables } from '../schema/tables.ts';

/** What a caller adds to a transaction that makes something: it is committed with it, or neither is. */
export type Alongside<Made> = (trx: Transaction<Tables>, made: Made) => Promise<void>;

const ATTEMPTS = 5;

/**
 * Runs `work` in one transaction, again from the start where it lost a race against another one. Inside, use only the
 * transaction it is given: on SQLite a write through `store.db` would wait for the
 * transaction's own connection, and on either database a read would not see what it wrote.
 *
 * @throws AccessEnded where it runs for a request whose session or token has ended
 */
export async function inTransaction<T>(
  store: Store,
  work: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.db.transaction().execute(async (trx) => {
        await holdAccess(store.dialect, trx);
        return work(trx);
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !lostRace(error)) throw error;
    }
  }
}
