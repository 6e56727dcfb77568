import type { Transaction } from 'kysely';
import { TRIAL_MS } from '../../core/index.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** How long an address that had its trial is known, as a salted hash, after its account is gone. */
const REMEMBER_MS = 365 * DAY_MS;

/**
 * Gives a new account its trial, unless the address had one: once per address, also where several sign up at the same
 * time. Settle the plan after it, in the same transaction. Whether there is one.
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

/** Forgets the addresses whose account has been gone for twelve months; returns how many. */
export async function pruneTrials(store: Store, now: number): Promise<number> {
  const result = await store.db
    .deleteFrom('trials')
    .where('account_id', 'is', null)
    .where('account_deleted_at', '<=', now - REMEMBER_MS)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
