import type { Transaction } from 'kysely';
import type { AccountMail } from '../../core/account-mail.ts';
import { channelLoss } from '../../core/retry.ts';
import { supersedeWaitingOn } from './alerts.ts';
import type { DeliveryOutcomeKind } from '../schema/alert-tables.ts';
import { enqueueMail } from '../mail/mails.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Records an attempt on its channel. Disables the channel if the receiver is gone or accepted nothing for five days. Then, and if the address
 * refused mail, supersedes waiting deliveries, mails the account and returns true: publish `mails`, `alerts`, `account` and `due` after the commit.
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
  const isFinal = outcome === 'failed';
  const loss = channelLoss({ ended, isFinal, failingSince: channel.failing_since ?? now }, now);
  if (loss === null) return false;
  const { reason, disabledBy } = loss;
  if (disabledBy !== null)
    await trx
      .updateTable('channels')
      .set({ disabled_at: now, disabled_by: disabledBy })
      .where('id', '=', channelId)
      .execute();
  const { email } = await trx
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', channel.account_id)
    .executeTakeFirstOrThrow();
  const { name, kind, account_id: accountId } = channel;
  const closed = disabledBy === null ? 'The address refused mail.' : 'The channel was switched off.';
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
