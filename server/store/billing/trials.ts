import type { Transaction } from 'kysely';
import { TRIAL_MS, TRIAL_REMEMBERED_MS } from '../../core/index.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Starts a new account's trial unless its address has had one. A unique key ensures this for parallel sign-ups, too.
 * Call `applyEntitlement` after it in the same transaction. Returns whether the trial started.
 */
export async function startTrial(
  trx: Transaction<Tables>,
  { accountId, addressHash, now }: { accountId: string; addressHash: string; now: number },
): Promise<boolean> {
  const started = await trx
    .insertInto('trials')
    .values({ address_hash: addressHash, account_id: accountId, started_at: now })
    .onConflict((conflict) => conflict.column('address_hash').doNothing())
    .returning('address_hash')
    .executeTakeFirst();
  if (!started) return false;
  await trx
    .updateTable('accounts')
    .set({ trial_ends_at: now + TRIAL_MS })
    .where('id', '=', accountId)
    .execute();
  return true;
}

/** Deletes the hashes of addresses whose account was deleted twelve months ago. Returns how many. */
export async function pruneTrials(store: Store, now: number): Promise<number> {
  const result = await store.db
    .deleteFrom('trials')
    .where('account_id', 'is', null)
    .where('account_deleted_at', '<=', now - TRIAL_REMEMBERED_MS)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
