import { leaveUnwatched } from '../alerts/incidents.ts';
import type { Store } from '../db/open-store.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Disables an account: ends its sessions, blocks sign-in, and stops checks and mail. Deletes no other data.
 * Returns false if there is no such account.
 */
export async function disableAccount(store: Store, accountId: string, now: number): Promise<boolean> {
  const disabled = await inTransaction(store, async (trx) => {
    // Sessions first: requests lock their session before the account, so another order could deadlock (see caller.ts).
    await trx.deleteFrom('sessions').where('account_id', '=', accountId).execute();
    const account = await trx
      .updateTable('accounts')
      .set((eb) => ({ disabled_at: eb.fn.coalesce('disabled_at', eb.val(now)) }))
      .where('id', '=', accountId)
      .returning('id')
      .executeTakeFirst();
    if (!account) return false;
    await trx.updateTable('monitors').set({ active: 0 }).where('account_id', '=', accountId).execute();
    await leaveUnwatched(trx, { accountId, now });
    return true;
  });
  if (disabled) store.signals.publish({ topic: 'session_ended', accountId, sessionId: null });
  return disabled;
}

/** Enables an account and resumes its checks and waiting mail. Returns false if there is no such account. */
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
