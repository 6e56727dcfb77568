import type { Transaction } from 'kysely';
import { type AccountMail, isChannelLost } from '../../core/index.ts';
import { supersedeWaitingOn } from './alerts.ts';
import type { DeliveryOutcomeKind } from './deliveries.ts';
import { enqueueMail } from '../mail/mails.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Records an attempt on its channel. If the receiver is gone (`ended`) or accepted nothing for five days, disables the channel
 * and mails the account. Returns whether it is closed to alerts; if so, publish `mails`, `alerts` and `due` after the commit.
 */
export async function recordChannelOutcome(
  trx: Transaction<Tables>,
  {
    channelId,
    outcome,
    ended,
    detail,
    now,
  }: {
    channelId: string;
    outcome: DeliveryOutcomeKind;
    ended: 'gone' | 'refused' | null;
    detail: string | null;
    now: number;
  },
): Promise<boolean> {
  if (outcome === 'superseded') return false;
  if (outcome === 'delivered') {
    await trx
      .updateTable('channels')
      .set({ delivered_at: now, failing_since: null })
      .where('id', '=', channelId)
      .execute();
    return false;
  }
  const channel = await trx
    .updateTable('channels')
    .set((eb) => ({ failing_since: eb.fn.coalesce('failing_since', eb.val(now)) }))
    .where('id', '=', channelId)
    .where('disabled_at', 'is', null)
    .returning(['account_id', 'kind', 'name', 'failing_since'])
    .executeTakeFirst();
  if (!channel) return false;
  const isLost = outcome === 'failed' && isChannelLost(channel.failing_since ?? now, now);
  const reason = ended ?? (isLost ? 'failing' : null);
  if (reason === null) return false;
  // The channel of a refused address stays enabled: its suppression already stops the mail of all accounts to it.
  if (reason !== 'refused')
    await trx
      .updateTable('channels')
      .set({ disabled_at: now, disabled_by: reason })
      .where('id', '=', channelId)
      .execute();
  const { email } = await trx
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', channel.account_id)
    .executeTakeFirstOrThrow();
  const { name, kind, account_id: accountId } = channel;
  const closed = reason === 'refused' ? 'The address refused mail.' : 'The channel was switched off.';
  await supersedeWaitingOn(trx, { accountId, channelKey: channelId, monitorId: null, detail: closed, now });
  const content: AccountMail = {
    kind: 'channel_disabled',
    name,
    channel: kind,
    reason,
    detail: detail ?? '',
  };
  await enqueueMail(trx, { accountId, recipient: email, content, now });
  return true;
}
