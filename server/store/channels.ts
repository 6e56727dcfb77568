import type { Kysely, Selectable, Transaction } from 'kysely';
import { createHash, randomUUID } from 'node:crypto';
import { ACCOUNT_MAIL, type ChannelKind, type Plan } from '../core/index.ts';
import { forgetChannel } from './alert-settings.ts';
import { placeOf, type StoredChannelConfig } from './channel-config.ts';
import { locked } from './dialect.ts';
import { lockPlan } from './entitlements.ts';
import { enqueueMail } from './mails.ts';
import type { Store } from './open-store.ts';
import { isWaiting } from './outbox.ts';
import { liftSuppression } from './suppressions.ts';
import type { ChannelsTable, Tables } from './tables.ts';
import { inTransaction } from './transaction.ts';
import { unsubscriptionsOf } from './unsubscriptions.ts';

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

export function toChannel(
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

async function readChannels(db: Kysely<Tables>, accountId: string) {
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
  const addressOf = (row: Pick<ChannelsTable, 'kind' | 'config'>) =>
    row.kind === 'email' ? placeOf(JSON.parse(row.config) as StoredChannelConfig) : null;
  const refusals = new Map(
    (
      await db
        .selectFrom('suppressions')
        .select(['address', 'detail'])
        .where('address', 'in', [email, ...rows.flatMap((row) => addressOf(row) ?? [])])
        .execute()
    ).map(({ address, detail }) => [address, detail]),
  );
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

/** A link with which the reader of an address agrees to get mail. */
export interface Invitation {
  /** What the link holds; only its SHA-256 is kept. */
  token: string;
  url: string;
  /** Who asks, as the mail says it. */
  accountName: string;
  expiresAt: number;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

export type AddedChannel =
  | { ok: true; channel: Channel }
  | { ok: false; code: 'premium_required' | 'too_many_channels' | 'channel_exists' };

/** Adds a channel. An email is invited in the same transaction, and gets nothing else before it agreed. */
export async function addChannel(
  store: Store,
  request: {
    accountId: string;
    name: string;
    config: StoredChannelConfig;
    /** Of an email; null for the others. */
    invitation: Invitation | null;
    most: number;
    mayAdd(plan: Plan): boolean;
    now: number;
  },
): Promise<AddedChannel> {
  const { accountId, name, config, invitation, now } = request;
  const added = await inTransaction(store, async (trx): Promise<AddedChannel> => {
    // Parallel wishes of one account queue on its row.
    const { plan } = await lockPlan(store, trx, { accountId, now });
    if (!request.mayAdd(plan)) return { ok: false, code: 'premium_required' };
    const known = await readChannels(trx, accountId);
    if (isTaken(known, config)) return { ok: false, code: 'channel_exists' };
    if (known.added.length >= request.most) return { ok: false, code: 'too_many_channels' };
    const row = await trx
      .insertInto('channels')
      .values({
        id: randomUUID(),
        account_id: accountId,
        kind: config.kind,
        name,
        config: JSON.stringify(config),
        created_at: now,
        ...confirmation(invitation, now),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await invite(trx, { accountId, config, invitation, now });
    return { ok: true, channel: toChannel(row) };
  });
  if (added.ok) announce(store, accountId, { mails: invitation !== null });
  return added;
}

function isTaken(
  known: { own: OwnMail; added: readonly Channel[] },
  config: StoredChannelConfig,
  butFor?: string,
): boolean {
  const isSame = (other: StoredChannelConfig) =>
    other.kind === config.kind && placeOf(other) === placeOf(config);
  return (
    isSame({ kind: 'email', address: known.own.address }) ||
    known.added.some((channel) => channel.id !== butFor && isSame(channel.config))
  );
}

const confirmation = (invitation: Invitation | null, now: number) => ({
  confirmed_at: invitation === null ? now : null,
  confirm_hash: invitation && hashOf(invitation.token),
});

async function invite(
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

export interface ChannelChange {
  name?: string | undefined;
  enabled?: boolean | undefined;
  config?: StoredChannelConfig | undefined;
}

/**
 * Changes what is given. `change` decides with the channel as it is while it is held, and with what the plan allows; what it
 * refuses changes nothing. An email that is led elsewhere, or again to where it did not arrive, is invited anew.
 */
export async function changeChannel<Refused>(
  store: Store,
  { accountId, channelId, now }: ChannelKey & { now: number },
  decide: (
    channel: Channel,
    plan: Plan,
  ) => { ok: true; change: ChannelChange; invitation: Invitation | null } | { ok: false; refused: Refused },
): Promise<
  { ok: true; channel: Channel } | { ok: false; refused: Refused | 'not_found' | 'channel_exists' }
> {
  let isInvited = false;
  const changed = await inTransaction(store, async (trx) => {
    const { plan } = await lockPlan(store, trx, { accountId, now });
    const known = await readChannels(trx, accountId);
    const before = known.added.find(({ id }) => id === channelId);
    if (!before) return { ok: false as const, refused: 'not_found' as const };
    const decision = decide(before, plan);
    if (!decision.ok) return decision;
    const { name, enabled, config } = decision.change;
    if (config && isTaken(known, config, channelId))
      return { ok: false as const, refused: 'channel_exists' as const };
    const { invitation } = decision;
    isInvited = invitation !== null;
    const opens = enabled === true || config !== undefined;
    await trx
      .updateTable('channels')
      .set({
        name: name ?? before.name,
        ...(opens && { disabled_at: null, disabled_by: null, failing_since: null }),
        ...(enabled === false && { disabled_at: now, disabled_by: 'user' as const }),
        ...(config && { config: JSON.stringify(config) }),
        ...(invitation && confirmation(invitation, now)),
      })
      .where('id', '=', channelId)
      .execute();
    if (enabled === false) await dropWaiting(trx, channelId, 'The channel was switched off.', now);
    if (invitation) await dropWaiting(trx, channelId, 'Its reader has not agreed yet.', now);
    await invite(trx, { accountId, config: config ?? before.config, invitation, now });
    const channel = (await readChannels(trx, accountId)).added.find(({ id }) => id === channelId);
    if (!channel) throw new Error('A channel that is held cannot go');
    return { ok: true as const, channel };
  });
  if (changed.ok) announce(store, accountId, { mails: isInvited });
  return changed;
}

/** What waits for a channel that takes nothing more. What is being sent ends as it does. */
async function dropWaiting(
  trx: Transaction<Tables>,
  channelId: string,
  detail: string,
  now: number,
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ state: 'superseded', settled_at: now, detail })
    .where('channel_id', '=', channelId)
    .where(isWaiting)
    .where('lease_token', 'is', null)
    .execute();
}

/** Removes a channel, what waits for it and what was told over it. False: the account has no such channel. */
export async function removeChannel(
  store: Store,
  { accountId, channelId, now }: ChannelKey & { now: number },
): Promise<boolean> {
  const removed = await inTransaction(store, async (trx) => {
    await lockPlan(store, trx, { accountId, now });
    const { numDeletedRows } = await trx
      .deleteFrom('channels')
      .where('id', '=', channelId)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await trx
      .deleteFrom('unsubscriptions')
      .where('account_id', '=', accountId)
      .where('channel_key', '=', channelId)
      .execute();
    await forgetChannel(trx, { accountId, channelId });
    return true;
  });
  if (removed) announce(store, accountId);
  return removed;
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
      .select(['full_name', 'email'])
      .where('id', '=', row.account_id)
      .executeTakeFirstOrThrow();
    return { accountId: row.account_id, address, accountName: account.full_name || account.email };
  });
  if (confirmed === null) return null;
  announce(store, confirmed.accountId);
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
  announce(store, accountId);
}

/** Signs with a new key; what signed before does so beside it until `until`. False: the account has no such webhook. */
export async function rotateWebhookSecret(
  store: Store,
  { accountId, channelId, secret, until }: ChannelKey & { secret: string; until: number },
): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    const row = await locked(
      store.dialect,
      trx
        .selectFrom('channels')
        .select('config')
        .where('id', '=', channelId)
        .where('account_id', '=', accountId)
        .where('kind', '=', 'webhook'),
    ).executeTakeFirst();
    if (!row) return false;
    const config = JSON.parse(row.config) as Extract<StoredChannelConfig, { kind: 'webhook' }>;
    const [newest] = config.secrets;
    const phasedOut = newest ? [{ ...newest, until }] : [];
    const secrets = [{ secret, until: null }, ...phasedOut];
    await trx
      .updateTable('channels')
      .set({ config: JSON.stringify({ ...config, secrets }) })
      .where('id', '=', channelId)
      .execute();
    return true;
  });
}

function announce(store: Store, accountId: string, { mails = false } = {}): void {
  store.signals.publish({ topic: 'alerts', accountId, monitorId: null });
  store.signals.publish({ topic: 'account', accountId });
  if (mails) store.signals.publish({ topic: 'mails' });
}
