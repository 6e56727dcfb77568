import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import { addressOf } from '../alerts/stored-alerts.ts';
import { announceChannels } from '../alerts/channels.ts';
import { locked } from '../db/dialect.ts';
import { enqueueMail } from './mails.ts';
import type { Store } from '../db/open-store.ts';
import { liftSuppression } from './suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** A confirmation link. By opening it, the owner of an added address agrees to get mail. */
export interface Invitation {
  address: string;
  /** The secret in the link. Only its SHA-256 is stored. */
  token: string;
  url: string;
  /** The account's verified address, which identifies it in the mail. A name would be free text by a stranger. */
  accountName: string;
  expiresAt: number;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** Returns a channel's confirmation columns. Without an invitation the channel counts as confirmed. */
export const confirmationColumns = (invitation: Invitation | null, now: number) => ({
  confirmed_at: invitation === null ? now : null,
  confirm_hash: invitation && hashOf(invitation.token),
});

/** Queues the confirmation mail in the transaction that stores the token's hash. Does nothing without an invitation. */
export async function queueConfirmationMail(
  trx: Transaction<Tables>,
  { accountId, invitation, now }: { accountId: string; invitation: Invitation | null; now: number },
): Promise<void> {
  if (invitation === null) return;
  const { address, url, accountName, expiresAt } = invitation;
  await enqueueMail(trx, {
    accountId,
    recipient: address,
    content: { kind: 'confirm_recipient', url, accountName },
    now,
    expiresAt,
  });
}

/**
 * Confirms the email channel with this token, lifts a suppression of its address and clears its unsubscriptions.
 * Returns null if the token is unknown or already used. @throws Error if the channel's config cannot be decoded
 */
export async function confirmChannel(
  store: Store,
  { token, now }: { token: string; now: number },
): Promise<{ address: string; accountName: string } | null> {
  const confirmed = await inTransaction(store, async (trx) => {
    const row = await trx
      .updateTable('channels')
      .set({ confirmed_at: now, confirm_hash: null })
      .where('confirm_hash', '=', hashOf(token))
      .returning(['id', 'account_id', 'kind', 'config'])
      .executeTakeFirst();
    if (!row) return null;
    const address = addressOf(row);
    if (address === null) throw new Error(`The config of channel ${row.id} cannot be read.`);
    await liftSuppression(trx, address);
    await trx
      .deleteFrom('unsubscriptions')
      .where('account_id', '=', row.account_id)
      .where('channel_key', '=', row.id)
      .execute();
    const account = await trx
      .selectFrom('accounts')
      .select('email')
      .where('id', '=', row.account_id)
      .executeTakeFirstOrThrow();
    return { accountId: row.account_id, address, accountName: account.email };
  });
  if (confirmed === null) return null;
  announceChannels(store, confirmed.accountId);
  return { address: confirmed.address, accountName: confirmed.accountName };
}

/** Lifts the suppression of the account's own address and its unsubscription from all mail. */
export async function resumeAccountMail(store: Store, accountId: string): Promise<void> {
  await inTransaction(store, async (trx) => {
    const { email } = await locked(
      store.dialect,
      trx.selectFrom('accounts').select(['id', 'email']).where('id', '=', accountId),
    ).executeTakeFirstOrThrow();
    await liftSuppression(trx, email);
    await trx
      .deleteFrom('unsubscriptions')
      .where('account_id', '=', accountId)
      .where('channel_key', '=', ACCOUNT_MAIL)
      .where('monitor_id', 'is', null)
      .execute();
  });
  announceChannels(store, accountId);
}
