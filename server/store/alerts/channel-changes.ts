import type { Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Plan } from '../../core/index.ts';
import { forgetChannel } from './alert-settings.ts';
import { dropWaitingFor } from './alerts.ts';
import { placeOf, type StoredChannelConfig } from './channel-config.ts';
import { announceChannels, type Channel, type ChannelKey, type OwnMail, readChannels } from './channels.ts';
import { locked } from '../db/dialect.ts';
import { lockPlan } from '../billing/entitlements.ts';
import { confirmation, type Invitation, invite } from '../mail/mail-readers.ts';
import type { Store } from '../db/open-store.ts';
import type { Tables } from '../schema/tables.ts';
import { type Alongside, inTransaction } from '../db/transaction.ts';

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
    alongside?: Alongside<Channel>;
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
    const id = randomUUID();
    await trx
      .insertInto('channels')
      .values({
        id,
        account_id: accountId,
        kind: config.kind,
        name,
        config: JSON.stringify(config),
        created_at: now,
        ...confirmation(invitation, now),
      })
      .execute();
    await invite(trx, { accountId, config, invitation, now });
    const channel = await held(trx, { accountId, channelId: id });
    await request.alongside?.(trx, channel);
    return { ok: true, channel };
  });
  if (added.ok) announceChannels(store, accountId, { mails: invitation !== null });
  return added;
}

async function held(trx: Transaction<Tables>, { accountId, channelId }: ChannelKey): Promise<Channel> {
  const channel = (await readChannels(trx, accountId)).added.find(({ id }) => id === channelId);
  if (!channel) throw new Error('A channel that is held cannot go');
  return channel;
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
    const waiting = { accountId, channelKey: channelId, monitorId: null, now };
    if (enabled === false) await dropWaitingFor(trx, { ...waiting, detail: 'The channel was switched off.' });
    if (invitation) await dropWaitingFor(trx, { ...waiting, detail: 'Its reader has not agreed yet.' });
    await invite(trx, { accountId, config: config ?? before.config, invitation, now });
    return { ok: true as const, channel: await held(trx, { accountId, channelId }) };
  });
  if (changed.ok) announceChannels(store, accountId, { mails: isInvited });
  return changed;
}

/** Removes a channel and what waits for it; what was told over it stays in the history. False: the account has no such channel. */
export async function removeChannel(
  store: Store,
  { accountId, channelId, now }: ChannelKey & { now: number },
): Promise<boolean> {
  const removed = await inTransaction(store, async (trx) => {
    await lockPlan(store, trx, { accountId, now });
    const detail = 'The channel was removed.';
    await dropWaitingFor(trx, { accountId, channelKey: channelId, monitorId: null, detail, now });
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
  if (removed) announceChannels(store, accountId);
  return removed;
}

/** Each of them makes every message longer: who changes keys more often than this within a day has lost track of them. */
const MOST_SECRETS = 5;

/**
 * Signs with a new key; what signed before does so beside it until `until`, and what was to end before keeps the end that its
 * receiver was promised. False: the account has no such webhook.
 */
export async function rotateWebhookSecret(
  store: Store,
  { accountId, channelId, secret, until, now }: ChannelKey & { secret: string; until: number; now: number },
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
    const [newest, ...former] = config.secrets;
    const stillPromised = former.filter((one) => one.until !== null && one.until > now);
    const phasedOut = newest ? [{ ...newest, until }, ...stillPromised] : [];
    const secrets = [{ secret, until: null }, ...phasedOut].slice(0, MOST_SECRETS);
    await trx
      .updateTable('channels')
      .set({ config: JSON.stringify({ ...config, secrets }) })
      .where('id', '=', channelId)
      .execute();
    return true;
  });
}
