import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { ChannelKind } from '../../core/alerting/route.ts';
import type { Plan } from '../../core/plan.ts';
import { removeChannelFromSettings } from './alert-settings.ts';
import { supersedeWaitingOn } from './alerts.ts';
import { addressOf } from './stored-alerts.ts';
import { announceChannels, type Channel, type ChannelKey, type OwnMail, readChannels } from './channels.ts';
import { locked } from '../db/dialect.ts';
import { lockPlan } from '../billing/entitlements.ts';
import {
  confirmationColumns,
  type Invitation,
  queueConfirmationMail,
} from '../mail/recipient-confirmation.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { inTransaction, type WriteInTransaction } from '../db/transaction.ts';

/**
 * The stored config of a channel, which may contain secrets. Only `server/channels` decodes it, except for mail
 * addresses.
 */
export interface StorableConfig {
  kind: ChannelKind;
  /** The config as JSON. */
  text: string;
  /** Returns whether another channel has the same receiver. */
  isSameReceiver(other: { kind: ChannelKind; config: string }): boolean;
}

export type AddedChannel =
  | { ok: true; channel: Channel }
  | { ok: false; code: 'premium_required' | 'too_many_channels' | 'channel_exists' };

/**
 * Adds a channel. For email, queues the invitation in the same transaction; nothing else is sent until the recipient
 * confirms.
 */
export async function addChannel(
  store: Store,
  request: {
    accountId: string;
    name: string;
    config: StorableConfig;
    /** The invitation to an email channel; null for other kinds. */
    invitation: Invitation | null;
    max: number;
    mayAdd(plan: Plan): boolean;
    now: number;
    alsoWrite?: WriteInTransaction<Channel>;
  },
): Promise<AddedChannel> {
  const { accountId, name, config, invitation, now } = request;
  const added = await inTransaction(store, async (trx): Promise<AddedChannel> => {
    // Lock the account's row, so that parallel requests run one after the other.
    const { plan } = await lockPlan(store, trx, { accountId, now });
    if (!request.mayAdd(plan)) return { ok: false, code: 'premium_required' };
    const known = await readChannels(trx, accountId);
    if (isTaken(known, config)) return { ok: false, code: 'channel_exists' };
    if (known.added.length >= request.max) return { ok: false, code: 'too_many_channels' };
    const id = randomUUID();
    await trx
      .insertInto('channels')
      .values({
        id,
        account_id: accountId,
        kind: config.kind,
        name,
        config: config.text,
        created_at: now,
        ...confirmationColumns(invitation, now),
      })
      .execute();
    await queueConfirmationMail(trx, { accountId, invitation, now });
    const channel = await requireChannel(trx, { accountId, channelId: id });
    await request.alsoWrite?.(trx, channel);
    return { ok: true, channel };
  });
  if (added.ok) announceChannels(store, accountId, { mails: invitation !== null });
  return added;
}

/** Returns a channel that the transaction has locked or just added. @throws Error if there is none */
async function requireChannel(
  trx: Transaction<Tables>,
  { accountId, channelId }: ChannelKey,
): Promise<Channel> {
  const channel = (await readChannels(trx, accountId)).added.find(({ id }) => id === channelId);
  if (!channel) throw new Error('A locked channel disappeared.');
  return channel;
}

function isTaken(
  known: { own: OwnMail; added: readonly Channel[] },
  config: StorableConfig,
  exceptId?: string,
): boolean {
  const { kind, text } = config;
  return (
    addressOf({ kind, config: text }) === known.own.address.toLowerCase() ||
    known.added.some((channel) => channel.id !== exceptId && config.isSameReceiver(channel))
  );
}

export interface ChannelChange {
  name?: string | undefined;
  enabled?: boolean | undefined;
  config?: StorableConfig | undefined;
}

/**
 * Applies the change that `decide` returns for the channel and the plan, with the account's row locked. Changes nothing
 * if `decide` refuses. With an invitation, the recipient has to confirm again before other mail is sent.
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
    const isEnabled = enabled === true || config !== undefined;
    await trx
      .updateTable('channels')
      .set({
        name: name ?? before.name,
        ...(isEnabled && { disabled_at: null, disabled_by: null, failing_since: null }),
        ...(enabled === false && { disabled_at: now, disabled_by: 'user' as const }),
        ...(config && { config: config.text }),
        ...(invitation && confirmationColumns(invitation, now)),
      })
      .where('id', '=', channelId)
      .execute();
    const waiting = { accountId, channelKey: channelId, monitorId: null, now };
    if (enabled === false)
      await supersedeWaitingOn(trx, { ...waiting, detail: 'The channel was switched off.' });
    if (invitation)
      await supersedeWaitingOn(trx, { ...waiting, detail: 'The recipient has not confirmed yet.' });
    await queueConfirmationMail(trx, { accountId, invitation, now });
    return { ok: true as const, channel: await requireChannel(trx, { accountId, channelId }) };
  });
  if (changed.ok) announceChannels(store, accountId, { mails: isInvited });
  return changed;
}

/**
 * Removes a channel and supersedes the deliveries that wait for it. Sent alerts stay in the history. Returns false if
 * the account has no such channel.
 */
export async function removeChannel(
  store: Store,
  { accountId, channelId, now }: ChannelKey & { now: number },
): Promise<boolean> {
  const removed = await inTransaction(store, async (trx) => {
    await lockPlan(store, trx, { accountId, now });
    const detail = 'The channel was removed.';
    await supersedeWaitingOn(trx, { accountId, channelKey: channelId, monitorId: null, detail, now });
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
    await removeChannelFromSettings(trx, { accountId, channelId });
    return true;
  });
  if (removed) announceChannels(store, accountId);
  return removed;
}

/**
 * Replaces the config of a webhook with the result of `rotate`, while its row is locked. Returns false if the account
 * has no such webhook, and null if `rotate` could not decode the config.
 */
export async function rotateWebhookSecret(
  store: Store,
  { accountId, channelId, alsoWrite }: ChannelKey & { alsoWrite?: WriteInTransaction<void> },
  rotate: (config: string) => string | null,
): Promise<boolean | null> {
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
    const config = rotate(row.config);
    if (config === null) return null;
    await trx.updateTable('channels').set({ config }).where('id', '=', channelId).execute();
    await alsoWrite?.(trx);
    return true;
  });
}
