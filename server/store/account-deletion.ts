import type { Transaction } from 'kysely';
import { deleteUnwatched } from './certificates.ts';
import { deleteUsers } from './identity-users.ts';
import type { Store } from './open-store.ts';
import type { Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';

/**
 * Deletes the account and everything of it: sessions, domains, checks, alerts, mail, feedback, payments, its users in the
 * built-in identity provider, and certificates that nobody else watches. Of a trial there stays that this address, as a
 * salted hash, had one. False when the account was gone already.
 */
export async function deleteAccount(store: Store, id: string, now: number): Promise<boolean> {
  const deleted = await inTransaction(store, async (trx) => {
    const certificates = await trx
      .selectFrom('monitor_certificates')
      .innerJoin('monitors', 'monitors.id', 'monitor_certificates.monitor_id')
      .select('fingerprint')
      .distinct()
      .where('monitors.account_id', '=', id)
      .execute();
    await deleteIdentityUsers(trx, id);
    await trx
      .updateTable('trials')
      .set({ account_id: null, account_deleted_at: now })
      .where('account_id', '=', id)
      .execute();
    const account = await trx
      .deleteFrom('accounts')
      .where('id', '=', id)
      .returning('email')
      .executeTakeFirst();
    // What was mailed before the account had been made.
    if (account)
      await trx
        .deleteFrom('mails')
        .where('account_id', 'is', null)
        .where('recipient', '=', account.email)
        .execute();
    await deleteUnwatched(
      trx,
      certificates.map(({ fingerprint }) => fingerprint),
    );
    return account !== undefined;
  });
  if (deleted) store.signals.publish({ topic: 'session_ended', accountId: id, sessionId: null });
  return deleted;
}

async function deleteIdentityUsers(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const identities = await trx
    .selectFrom('identities')
    .select('subject')
    .where('account_id', '=', accountId)
    .execute();
  await deleteUsers(
    trx,
    identities.map(({ subject }) => subject),
  );
}
