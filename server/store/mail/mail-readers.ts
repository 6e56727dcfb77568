import type { Transaction } from 'kysely';
import { createHash } from 'node:crypto';
import { ACCOUNT_MAIL } from '../../core/index.ts';
import type { StoredChannelConfig } from '../alerts/channel-config.ts';
import { announceChannels } from '../alerts/channels.ts';
import { locked } from '../db/dialect.ts';
import { enqueueMail } from './mails.ts';
import type { Store } from '../db/open-store.ts';
import { liftSuppression } from './suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction } from '../db/transaction.ts';

/** A link with which the reader of an address agrees to get mail. */
export interface Invitation {
  /** What the link holds; only its SHA-256 is kept. */
  token: string;
  url: string;
  /** Who asks, as the mail says it: the verified address, as a name is free text of a stranger. */
  accountName: string;
  expiresAt: number;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** Columns of a channel whose reader has to agree, or need not. */
export const confirmation = (invitation: Invitation | null, now: number) => ({
  confirmed_at: invitation === null ? now : null,
  confirm_hash: invitation && hashOf(invitation.token),
});

/** Mails the link, in the transaction that keeps its hash. */
export async function invite(
  trx: Transaction<Tables>,
  {
    accountId,
    config,
    invitation,
    now,
  }: { accountId: string; config: StoredChannelConfig; invitation: Invitation | null; now: number },
): Promise<void> {
  if (invitation === null || config.kind !== 'email') return;
  const { url, accountName, expiresAt } = invitation;
  await enqueueMail(trx, {
    accountId,
    recipient: config.address,
    content: { kind: 'confirm_recipient', url, accountName },
    now,
    expiresAt,
  });
}

/**
 * The reader of an address agrees to get mail. Null: nobody is invited with this token, any more or at all. The address takes mail
 * again if it refused some, and what was unsubscribed from is sent again.
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
      .returning(['id', 'account_id', 'config'])
      .executeTakeFirst();
    if (!row) return null;
    const { address } = JSON.parse(row.config) as { address: string };
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

/** The own address gets mail again, whether it refused some or its owner wanted none. */
export async function reopenOwnMail(store: Store, accountId: string): Promise<void> {
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
