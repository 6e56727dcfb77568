import type { Transaction } from 'kysely';
import type { AccountMail } from '../../core/index.ts';
import { dropWaitingFor } from './alerts.ts';
import type { DeliveryOutcomeKind } from './deliveries.ts';
import { enqueueMail } from '../mail/mails.ts';
import type { Tables } from '../schema/tables.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** After so long without a success nobody is there any more. */
const FAILING_MS = 5 * DAY_MS;

/**
 * What an attempt means for its channel, in the transaction that settles or retries it: a success clears what was wrong; a receiver
 * that said that it is gone, or that took nothing for five days, gets nothing more, nor does an address that refuses mail; the
 * account is told by mail. `ended`: what this attempt brought to an end. True where nothing more is sent there; publish
 * `mails`, `alerts` and `due` then.
 */
export async function noteChannelOutcome(
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
  // One bad moment long after the last message says nothing yet: that one is tried again first.
  const isLost = outcome === 'failed' && now - (channel.failing_since ?? now) >= FAILING_MS;
  const reason = ended ?? (isLost ? 'failing' : null);
  if (reason === null) return false;
  // An address that refuses mail is suppressed, for whoever writes there.
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
  await dropWaitingFor(trx, { accountId, channelKey: channelId, monitorId: null, detail: closed, now });
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
