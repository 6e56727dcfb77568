import type { Transaction } from 'kysely';
import { holdAccess } from './caller.ts';
import { lostRace } from './dialect.ts';
import type { Store } from './open-store.ts';
import type { Tables } from '../schema/tables.ts';

/** A caller's writes that are committed or rolled back together with the creation of `made`. */
export type Alongside<Made> = (trx: Transaction<Tables>, made: Made) => Promise<void>;

const ATTEMPTS = 5;

/**
 * Runs `work` in a transaction, up to five times if it loses a race. `work` must only use the given transaction: on
 * SQLite a write through `store.db` would deadlock, and reads would miss its writes. @throws AccessEnded
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
