import type { Kysely, Selectable } from 'kysely';
import type { ChannelKind } from '../../core/alerting/route.ts';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import { addressOf } from './stored-alerts.ts';
import type { Store } from '../db/open-store.ts';
import type { ChannelsTable } from '../schema/alert-tables.ts';
import { findSuppressed } from '../mail/suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import { unsubscriptionsOf } from '../mail/unsubscriptions.ts';

/** A channel that an account added. Timestamps are in ms UTC. */
export interface Channel {
  id: string;
  kind: ChannelKind;
  name: string;
  /** JSON that `server/channels` decodes. May contain secrets. */
  config: string;
  createdAt: number;
  /**
   * Time at which the recipient confirmed an email channel; null before. Other kinds count as confirmed from the start.
   */
  confirmedAt: number | null;
  disabledBy: ChannelsTable['disabled_by'];
  failingSince: number | null;
  deliveredAt: number | null;
  /** True if the recipient unsubscribed from all mail. */
  isUnsubscribed: boolean;
  /** The mail server's reply or the bounce for which the address is suppressed; null if it is not suppressed. */
  refusal: string | null;
}

export interface ChannelKey {
  accountId: string;
  channelId: string;
}

function toChannel(
  row: Selectable<ChannelsTable>,
  { isUnsubscribed = false, refusal = null }: { isUnsubscribed?: boolean; refusal?: string | null } = {},
): Channel {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    config: row.config,
    createdAt: row.created_at,
    confirmedAt: row.confirmed_at,
    disabledBy: row.disabled_by,
    failingSince: row.failing_since,
    deliveredAt: row.delivered_at,
    isUnsubscribed,
    refusal,
  };
}

/** Mail to the account's own address: the channel that every account has. Timestamps are in ms UTC. */
export interface OwnMail {
  address: string;
  deliveredAt: number | null;
  isUnsubscribed: boolean;
  refusal: string | null;
}

/** Returns all channels of an account. The added channels are sorted by age, oldest first. */
export async function channelsOf(
  store: Store,
  accountId: string,
): Promise<{ own: OwnMail; added: Channel[] }> {
  return readChannels(store.db, accountId);
}

/** Does what `channelsOf` does, but reads through `db`, which may be a transaction. */
export async function readChannels(
  db: Kysely<Tables>,
  accountId: string,
): Promise<{ own: OwnMail; added: Channel[] }> {
  const { email } = await db
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('channels')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const refusals = await findSuppressed(db, [email, ...rows.flatMap((row) => addressOf(row) ?? [])]);
  const unsubscribed = await unsubscriptionsOf(db, accountId);
  const delivered = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.max('settled_at').as('at'))
    .where('account_id', '=', accountId)
    .where('channel_key', '=', ACCOUNT_MAIL)
    .where('state', '=', 'delivered')
    .executeTakeFirst();
  return {
    own: {
      address: email,
      deliveredAt: delivered?.at ?? null,
      isUnsubscribed: unsubscribed.get(ACCOUNT_MAIL)?.all ?? false,
      refusal: refusals.get(email) ?? null,
    },
    added: rows.map((row) =>
      toChannel(row, {
        isUnsubscribed: unsubscribed.get(row.id)?.all ?? false,
        refusal: refusals.get(addressOf(row) ?? '') ?? null,
      }),
    ),
  };
}

/** Publishes a change of channels. Call it after the commit. */
export function announceChannels(store: Store, accountId: string, { mails = false } = {}): void {
  store.signals.publish({ topic: 'alerts', accountId, monitorId: null });
  store.signals.publish({ topic: 'account', accountId });
  // Alerts that waited for a channel that is now closed may go to other channels.
  store.signals.publish({ topic: 'due' });
  if (mails) store.signals.publish({ topic: 'mails' });
}
