import type { Transaction } from 'kysely';
import { deleteUnwatched } from '../checks/certificates.ts';
import { readChannels } from '../alerts/channels.ts';
import { locked } from '../db/dialect.ts';
import { pruneFavicons } from '../monitors/favicons.ts';
import { answersKey } from './idempotency.ts';
import { deleteUsers } from './identity-users.ts';
import type { Store } from '../db/open-store.ts';
import { storedKey } from '../checks/stored-bytes.ts';
import { liftSuppression } from '../mail/suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Deletes the account and everything of it: sessions, domains, checks, alerts, channels, mail, feedback, payments, its users in the
 * built-in identity provider, and certificates and icons that nobody else watches. Of a trial there stays that this address, as a
 * salted hash, had one.
 *
 * `unless` names the subscriptions that were cancelled for this: where another one runs, told of meanwhile, nothing is
 * deleted (`subscribed`), because with its row everybody would forget to cancel it.
 */
export async function deleteAccount(
  store: Store,
  id: string,
  now: number,
  unless?: { runsBeside: readonly string[] },
): Promise<'deleted' | 'gone' | 'subscribed'> {
  const outcome = await inTransaction(store, async (trx) => {
    // News of payments wait for this row, too.
    const held = await locked(
      store.dialect,
      trx.selectFrom('accounts').select('id').where('id', '=', id),
    ).executeTakeFirst();
    if (unless && (await runsBeside(trx, id, unless.runsBeside))) return 'subscribed';
    const certificates = await trx
      .selectFrom('monitor_certificates')
      .select('fingerprint')
      .where('account_id', '=', id)
      .union(
        trx
          .selectFrom('monitors')
          .select((eb) => eb.ref('certificate_fingerprint').$notNull().as('fingerprint'))
          .where('account_id', '=', id)
          .where('certificate_fingerprint', 'is not', null),
      )
      .execute();
    await deleteIdentityUsers(trx, id);
    await trx
      .updateTable('trials')
      .set({ account_id: null, account_deleted_at: now })
      .where('account_id', '=', id)
      .execute();
    if (held) await forgetAddresses(trx, id);
    await trx
      .deleteFrom('rate_limits')
      .where('key', 'in', [storedKey(id), answersKey(id)])
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
    await pruneFavicons(trx);
    return account === undefined ? 'gone' : 'deleted';
  });
  if (outcome === 'deleted')
    store.signals.publish({ topic: 'session_ended', accountId: id, sessionId: null });
  return outcome;
}

async function runsBeside(
  trx: Transaction<Tables>,
  accountId: string,
  cancelled: readonly string[],
): Promise<boolean> {
  const running = await trx
    .selectFrom('subscriptions')
    .select('id')
    .where('account_id', '=', accountId)
    .where('status', '!=', 'canceled')
    .execute();
  return running.some(({ id }) => !cancelled.includes(id));
}

/** Who else writes to one of them learns anew that it takes no mail. */
async function forgetAddresses(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const { own, added } = await readChannels(trx, accountId);
  const addresses = added.flatMap(({ config }) => (config.kind === 'email' ? [config.address] : []));
  for (const address of [own.address, ...addresses]) await liftSuppression(trx, address);
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
