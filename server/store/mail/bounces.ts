import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import { addressOf } from '../alerts/stored-alerts.ts';
import type { Store } from '../db/open-store.ts';
import { suppress } from './suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import type { Kysely, Transaction } from 'kysely';
import { inTransaction } from '../db/transaction.ts';
import { makeMonitorsDue } from '../alerts/deliveries.ts';

/** A sent mail that a bounce message refers to. */
export interface BouncedMail {
  outbox: 'deliveries' | 'mails';
  /** Message-ID. All deliveries of a merged message have the same. */
  messageId: string;
  /** The account that the mail belongs to; null if there is none. */
  accountId: string | null;
  /** The address of the recipient. For alerts, the channel's current address, which may have changed since the mail was sent. */
  recipient: string;
}

/** Returns the mail with this id. Returns null if there is none, or if its channel was removed or cannot be decoded. */
export async function findBouncedMail(store: Store, id: string): Promise<BouncedMail | null> {
  return readMail(store.db, id);
}

async function readMail(db: Kysely<Tables>, id: string): Promise<BouncedMail | null> {
  const delivery = await db
    .selectFrom('deliveries')
    .innerJoin('accounts', 'accounts.id', 'deliveries.account_id')
    .leftJoin('channels', 'channels.id', 'deliveries.channel_id')
    .select(['deliveries.account_id', 'message_id', 'accounts.email', 'channels.config', 'channel_key'])
    .where('deliveries.id', '=', id)
    .where('deliveries.channel', '=', 'email')
    .executeTakeFirst();
  if (delivery) {
    // The channel was removed and its address with it.
    if (delivery.channel_key !== ACCOUNT_MAIL && delivery.config === null) return null;
    const added = delivery.config === null ? null : addressOf({ kind: 'email', config: delivery.config });
    if (added === null && delivery.config !== null) return null;
    return {
      outbox: 'deliveries',
      messageId: delivery.message_id,
      recipient: added ?? delivery.email,
      accountId: delivery.account_id,
    };
  }
  const mail = await db
    .selectFrom('mails')
    .select(['account_id', 'message_id', 'recipient'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!mail) return null;
  const { account_id: accountId, message_id: messageId, recipient } = mail;
  return { outbox: 'mails', messageId, accountId, recipient };
}

/**
 * Marks a delivered mail as failed because it bounced, and makes the monitors of its alerts due. Suppresses the address if
 * `isPermanent` is true. Can be called repeatedly for the same bounce.
 */
export async function recordBounce(
  store: Store,
  bounce: { mail: BouncedMail; detail: string; isPermanent: boolean; now: number },
): Promise<void> {
  const { mail, isPermanent, now } = bounce;
  const detail = `The mail bounced: ${bounce.detail}`;
  await inTransaction(store, async (trx: Transaction<Tables>) => {
    const bounced = await trx
      .updateTable(mail.outbox as 'mails')
      .set({ state: 'failed', settled_at: now, detail })
      .where('account_id', mail.accountId === null ? 'is' : '=', mail.accountId)
      .where('message_id', '=', mail.messageId)
      .where('state', '=', 'delivered')
      .returning('id')
      .execute();
    if (mail.outbox === 'deliveries')
      await makeMonitorsDue(
        trx,
        bounced.map(({ id }) => id),
        now,
      );
    if (isPermanent)
      await suppress(trx, { address: mail.recipient, reason: 'bounced', detail: bounce.detail, now });
  });
  if (mail.accountId === null) return;
  const { accountId } = mail;
  store.signals.publish({ topic: 'account', accountId });
  store.signals.publish({ topic: 'due' });
  store.signals.publish({ topic: 'alerts', accountId, monitorId: null });
}
