import type { Transaction } from 'kysely';
import { deleteUnwatchedCertificates } from '../checks/certificates.ts';
import { addressOf } from '../alerts/stored-alerts.ts';
import { forecastQuotaKey } from '../forecasts/forecasts.ts';
import { readChannels } from '../alerts/channels.ts';
import { locked } from '../db/dialect.ts';
import { pruneFavicons } from '../monitors/favicons.ts';
import { answerQuotaKey } from './idempotency.ts';
import { deleteUsers } from './identity-users.ts';
import type { Store } from '../db/open-store.ts';
import { storageQuotaKey } from '../checks/stored-bytes.ts';
import { liftSuppression } from '../mail/suppressions.ts';
import type { SharedTable } from '../schema/catalogue.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Deletes an account with everything that only it uses. Keeps a salted hash of its address if it had a trial. Returns `gone` if there
 * is no such account. Returns `subscribed` and changes nothing if it has a running subscription that is not in `unless.cancelled`.
 */
export async function deleteAccount(
  store: Store,
  id: string,
  now: number,
  unless?: { cancelled: readonly string[] },
): Promise<'deleted' | 'gone' | 'subscribed'> {
  const outcome = await inTransaction(store, async (trx) => {
    // Payment webhooks lock the same row, so none of them runs in parallel with this transaction.
    const lockedRow = await locked(
      store.dialect,
      trx.selectFrom('accounts').select('id').where('id', '=', id),
    ).executeTakeFirst();
    // A webhook may have added another subscription meanwhile. Deleting its row would leave nobody to cancel it.
    if (unless && (await hasOtherSubscription(trx, id, unless.cancelled))) return 'subscribed';
    if (!lockedRow) return 'gone';
    const releases = [];
    for (const release of Object.values(RELEASES)) releases.push(await release(trx, id));
    await deleteIdentityUsers(trx, id);
    await trx
      .updateTable('trials')
      .set({ account_id: null, account_deleted_at: now })
      .where('account_id', '=', id)
      .execute();
    // Foreign keys delete the rows of all tables of accounts.
    const { email } = await trx
      .deleteFrom('accounts')
      .where('id', '=', id)
      .returning('email')
      .executeTakeFirstOrThrow();
    // Mails that were sent before the account existed have no `account_id`.
    await trx.deleteFrom('mails').where('account_id', 'is', null).where('recipient', '=', email).execute();
    for (const release of releases) await release?.();
    return 'deleted';
  });
  if (outcome === 'deleted')
    store.signals.publish({ topic: 'session_ended', accountId: id, sessionId: null });
  return outcome;
}

type Release = (trx: Transaction<Tables>, accountId: string) => Promise<(() => Promise<unknown>) | void>;

/**
 * Deletes the rows of shared tables that only this account uses. Each function runs before the account is deleted. If it returns
 * a function, that one runs after the deletion.
 */
const RELEASES: Record<SharedTable, Release> = {
  certificates: async (trx, accountId) => {
    const shown = await trx
      .selectFrom('monitor_certificates')
      .select('fingerprint')
      .where('account_id', '=', accountId)
      .union(
        trx
          .selectFrom('monitors')
          .select((eb) => eb.ref('certificate_fingerprint').$notNull().as('fingerprint'))
          .where('account_id', '=', accountId)
          .where('certificate_fingerprint', 'is not', null),
      )
      .execute();
    return () =>
      deleteUnwatchedCertificates(
        trx,
        shown.map(({ fingerprint }) => fingerprint),
      );
  },
  favicons: async (trx) => () => pruneFavicons(trx),
  suppressions: liftSuppressions,
  rate_limits: async (trx, accountId) => {
    const keys = [storageQuotaKey, answerQuotaKey, forecastQuotaKey].map((keyOf) => keyOf(accountId));
    await trx.deleteFrom('rate_limits').where('key', 'in', keys).execute();
  },
};

async function hasOtherSubscription(
  trx: Transaction<Tables>,
  accountId: string,
  cancelled: readonly string[],
): Promise<boolean> {
  const running = await trx
    .selectFrom('subscriptions')
    .select('id')
    .where('account_id', '=', accountId)
    // Unlike `chargeableSubscriptions`, include subscriptions whose end has passed, until the provider reports them as cancelled:
    // the owner may have withdrawn the cancellation, and after the deletion nobody could cancel them.
    .where('status', '!=', 'canceled')
    .execute();
  return running.some(({ id }) => !cancelled.includes(id));
}

/**
 * Lifts the suppressions of the account's addresses. If other accounts mail them, a new refusal suppresses them again.
 */
async function liftSuppressions(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const { own, added } = await readChannels(trx, accountId);
  const addresses = added.flatMap((channel) => addressOf(channel) ?? []);
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
