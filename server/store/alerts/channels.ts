import type { Kysely, Selectable } from 'kysely';
import { ACCOUNT_MAIL, type ChannelKind } from '../../core/index.ts';
import { addressOf, type StoredChannelConfig } from './channel-config.ts';
import type { Store } from '../db/open-store.ts';
import type { ChannelsTable } from '../schema/alert-tables.ts';
import { refusalsAmong } from '../mail/suppressions.ts';
import type { Tables } from '../schema/tables.ts';
import { unsubscriptionsOf } from '../mail/unsubscriptions.ts';

/** A way to reach people that an account added. Instants are ms UTC. */
export interface Channel {
  id: string;
  kind: ChannelKind;
  name: string;
  config: StoredChannelConfig;
  createdAt: number;
  /** null: whoever reads it has not agreed yet. */
  confirmedAt: number | null;
  disabledBy: ChannelsTable['disabled_by'];
  failingSince: number | null;
  deliveredAt: number | null;
  /** Whoever reads it wants no more of it at all. */
  isUnsubscribed: boolean;
  /** Why its address takes no mail, in the words of who said so. */
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
    config: JSON.parse(row.config) as StoredChannelConfig,
    createdAt: row.created_at,
    confirmedAt: row.confirmed_at,
    disabledBy: row.disabled_by,
    failingSince: row.failing_since,
    deliveredAt: row.delivered_at,
    isUnsubscribed,
    refusal,
  };
}

/** Mail to the account's own address, which every account has. */
export interface OwnMail {
  address: string;
  deliveredAt: number | null;
  isUnsubscribed: boolean;
  refusal: string | null;
}

/** The own mail, and what was added, oldest first. */
export async function channelsOf(
  store: Store,
  accountId: string,
): Promise<{ own: OwnMail; added: Channel[] }> {
  return readChannels(store.db, accountId);
}

/** The same in a transaction. */
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
  const refusals = await refusalsAmong(db, [email, ...rows.flatMap((row) => addressOf(row) ?? [])]);
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

/** After the transaction of a change. */
export function announceChannels(store: Store, accountId: string, { mails = false } = {}): void {
  store.signals.publish({ topic: 'alerts', accountId, monitorId: null });
  store.signals.publish({ topic: 'account', accountId });
  // What waited for a channel that is closed now may be told elsewhere.
  store.signals.publish({ topic: 'due' });
  if (mails) store.signals.publish({ topic: 'mails' });
}
