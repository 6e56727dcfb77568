import { CALLS } from '../../../contract/calls/calls.ts';
import type { ChannelConfig } from '../../../contract/channel-config.ts';
import { type ChannelWire, MAX_CHANNELS, OWN_MAIL } from '../../../contract/channel.ts';
import { PAGE_SIZE } from '../../../contract/words.ts';
import {
  configFrom,
  defaultName,
  newWebhookSecret,
  readConfig,
  rotatedConfig,
  storableConfig,
  type StoredChannelConfig,
} from '../../channels/kinds/index.ts';
import { mayUseChannel } from '../../core/alerting/route.ts';
import { entitlementAt, type Plan } from '../../core/plan.ts';
import { deliveriesOfChannel, type DeliveryRecord } from '../../store/alerts/alert-history.ts';
import { sendTest } from '../../store/alerts/channel-sending.ts';
import {
  addChannel,
  changeChannel,
  removeChannel,
  rotateWebhookSecret,
} from '../../store/alerts/channel-changes.ts';
import { type Channel, channelsOf } from '../../store/alerts/channels.ts';
import { type Invitation, resumeAccountMail } from '../../store/mail/recipient-confirmation.ts';
import type { Api, AppParts, Caller, Parsed } from '../http/api.ts';
import { acceptedConfig, limitChannelPort } from './channel-address.ts';
import { CHANNEL_REFUSALS, channelWire, deliveryWire, ownMailWire } from './channel-wire.ts';
import { readTimeCursor, writeCursor } from '../http/cursor.ts';
import { Refusal } from '../http/problem.ts';
import { inviteRecipient } from './recipient-invitation.ts';
import { refuseUnverified } from '../auth/verified-address.ts';
import { iso } from '../domains/domain-wire.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Time in ms after a rotation during which a webhook's requests are also signed with the previous key. */
const PHASE_OUT_MS = DAY_MS;

/**
 * Registers the calls about channels. Without Premium, alerts go only to the account's own address; other channels are
 * idle but keep their settings.
 */
export function channelRoutes(api: Api, parts: AppParts): void {
  const { store, limits } = parts;

  api.on(CALLS.listChannels, async ({ session, now }) => {
    const { own, added } = await channelsOf(store, session.account.id);
    const plan = planOf(parts, session, now);
    return { data: [ownMailWire(own), ...added.map((channel) => channelWire(channel, plan))] };
  });

  api.on(CALLS.addChannel, async ({ body, session, idempotency, now }) => {
    const accountId = session.account.id;
    const accepted = acceptedConfig(body.config, parts, null);
    if (accepted instanceof Refusal) return accepted;
    const tooManyPorts = await limitChannelPort(parts, { accountId, channel: accepted, now });
    if (tooManyPorts) return tooManyPorts;
    const invitation = await invitationFor(parts, session, accepted, now);
    if (invitation instanceof Refusal) return invitation;
    const secret = accepted.kind === 'webhook' ? (accepted.secrets[0]?.secret ?? null) : null;
    const answerOf = (channel: Channel) => ({ data: { channel: channelWire(channel, 'premium'), secret } });
    const added = await addChannel(store, {
      accountId,
      name: body.name || defaultName(accepted),
      config: storableConfig(accepted),
      invitation,
      max: MAX_CHANNELS,
      mayAdd: (plan) => plan === 'premium',
      now,
      alsoWrite: (trx, channel) => idempotency.storeAnswer(trx, answerOf(channel)),
    });
    return added.ok ? answerOf(added.channel) : CHANNEL_REFUSALS[added.code]();
  });

  api.on(CALLS.changeChannel, async ({ params, body, session, now }) => {
    const channel =
      params.key === OWN_MAIL
        ? await resumeOwnMail(parts, session, body, now)
        : await changeAddedChannel(parts, session, { channelId: params.key, body, now });
    return channel instanceof Refusal ? channel : { data: channel };
  });

  api.on(CALLS.removeChannel, async ({ params, session, now }) => {
    if (params.key === OWN_MAIL) return CHANNEL_REFUSALS.not_found();
    const key = { accountId: session.account.id, channelId: params.key };
    const removed = await removeChannel(store, { ...key, now });
    return removed ? { data: null } : CHANNEL_REFUSALS.not_found();
  });

  api.on(CALLS.testChannel, async ({ params: { key }, session, idempotency, now }) => {
    const { account } = session;
    const refusal = await refuseTest(parts, session, key, now);
    if (refusal) return refusal;
    const answerOf = (receipt: DeliveryRecord) => ({
      data: deliveryWire(receipt, wordingOf(parts, now)),
    });
    const sent = await sendTest(store, {
      accountId: account.id,
      channelKey: key,
      now,
      alsoWrite: (trx, receipt) => idempotency.storeAnswer(trx, answerOf(receipt)),
    });
    return typeof sent === 'string' ? CHANNEL_REFUSALS[sent]() : answerOf(sent);
  });

  api.on(CALLS.rotateSecret, async ({ params, session, idempotency, now }) => {
    if (params.key === OWN_MAIL) return CHANNEL_REFUSALS.not_found();
    const limited = limits.allow('channelsByAccount', session.account.id);
    if (limited) return limited;
    const secret = newWebhookSecret();
    const until = now + PHASE_OUT_MS;
    const answer = { data: { secret, previous_until: iso(until) } };
    const rotated = await rotateWebhookSecret(
      store,
      {
        accountId: session.account.id,
        channelId: params.key,
        alsoWrite: (trx) => idempotency.storeAnswer(trx, answer),
      },
      (stored) => rotatedConfig(stored, { secret, until, now }),
    );
    if (rotated === null) return CHANNEL_REFUSALS.channel_closed();
    return rotated ? answer : CHANNEL_REFUSALS.not_found();
  });

  api.on(CALLS.channelDeliveries, ({ params, query, session, now }) =>
    deliveryPage(parts, session, { channelKey: params.key, ...query, now }),
  );
}

type ChannelChange = Parsed<typeof CALLS.changeChannel, 'body'>;

const planOf = ({ store }: AppParts, { account }: Caller, now: number): Plan =>
  entitlementAt(store, account.entitlement, now).plan;

const wordingOf = ({ config }: AppParts, now: number) => ({ productName: config.productName, now });

/** Returns the invitation that the recipient of an email channel must accept; null for other kinds. */
async function invitationFor(
  parts: AppParts,
  { account }: Caller,
  channel: StoredChannelConfig,
  now: number,
): Promise<Invitation | Refusal | null> {
  return channel.kind === 'email' ? inviteRecipient(parts, { account, address: channel.address, now }) : null;
}

/** Resumes mail to the account's own address after this address refused mail. */
async function resumeOwnMail(
  { store, limits }: AppParts,
  { account }: Caller,
  { enabled, name, config }: ChannelChange,
  now: number,
): Promise<ChannelWire | Refusal> {
  if (enabled !== true || name !== undefined || config !== undefined) return CHANNEL_REFUSALS.ownMail();
  const refusal = limits.allow('sendByChannel', `${account.id}:${OWN_MAIL}`);
  if (refusal) return refusal;
  await resumeAccountMail(store, account.id);
  // Send a test message, so that the owner sees whether mail arrives again.
  await sendTest(store, { accountId: account.id, channelKey: OWN_MAIL, now });
  return ownMailWire((await channelsOf(store, account.id)).own);
}

async function changeAddedChannel(
  parts: AppParts,
  session: Caller,
  { channelId, body, now }: { channelId: string; body: ChannelChange; now: number },
): Promise<ChannelWire | Refusal> {
  const { store } = parts;
  const accountId = session.account.id;
  const known = (await channelsOf(store, accountId)).added.find(({ id }) => id === channelId);
  if (!known) return CHANNEL_REFUSALS.not_found();
  const wanted = body.config;
  const accepted = wanted && acceptedConfig(wanted, parts, readConfig(known));
  if (accepted instanceof Refusal) return accepted;
  const isEnabled = body.enabled === true || accepted !== undefined;
  if (isEnabled && planOf(parts, session, now) !== 'premium') return CHANNEL_REFUSALS.premium_required();
  const unverified = isEnabled ? refuseUnverified(session.account, 'channel', parts) : null;
  if (unverified) return unverified;
  if (accepted && accepted.kind !== known.kind) return CHANNEL_REFUSALS.otherKind();
  const tooManyPorts = accepted && (await limitChannelPort(parts, { accountId, channel: accepted, now }));
  if (tooManyPorts) return tooManyPorts;
  const isInvited = accepted !== undefined && needsInvitation(known, wanted);
  const invitation = isInvited ? await invitationFor(parts, session, accepted, now) : null;
  if (invitation instanceof Refusal) return invitation;
  const changed = await changeChannel(store, { accountId, channelId, now }, (channel, plan) => {
    if (isEnabled && plan !== 'premium') return { ok: false, refused: 'premium_required' as const };
    // Read the locked config again, because its keys may have been rotated meanwhile.
    const change = {
      name: body.name,
      enabled: body.enabled,
      config: wanted && storableConfig(configFrom(wanted, readConfig(channel))),
    };
    return { ok: true, change, invitation };
  });
  return changed.ok
    ? channelWire(changed.channel, planOf(parts, session, now))
    : CHANNEL_REFUSALS[changed.refused]();
}

/**
 * Returns the reason why a channel cannot send a test message now. If it can, counts the message in the limits and returns null.
 */
async function refuseTest(
  parts: AppParts,
  session: Caller,
  channelKey: string,
  now: number,
): Promise<Refusal | null> {
  const { store, limits } = parts;
  const { account } = session;
  const { own, added } = await channelsOf(store, account.id);
  // Check ownership before limits: no answer may reveal to strangers whether a channel exists.
  const channel = channelKey === OWN_MAIL ? own : added.find(({ id }) => id === channelKey);
  if (!channel) return CHANNEL_REFUSALS.not_found();
  if (!mayUseChannel(planOf(parts, session, now), channelKey)) return CHANNEL_REFUSALS.premium_required();
  if (channel.refusal !== null) return CHANNEL_REFUSALS.channel_closed();
  return (
    (channelKey === OWN_MAIL ? null : refuseUnverified(account, 'channel', parts)) ??
    limits.allow('sendByChannel', `${account.id}:${channelKey}`) ??
    limits.allow('sendByAccount', account.id) ??
    limitChannelPort(parts, {
      accountId: account.id,
      channel: 'config' in channel ? readConfig(channel) : null,
      now,
    })
  );
}

/** Returns a page of a channel's deliveries, newest first. */
async function deliveryPage(
  parts: AppParts,
  session: Caller,
  page: Parsed<typeof CALLS.channelDeliveries, 'query'> & { channelKey: string; now: number },
) {
  const { channelKey, cursor, limit = PAGE_SIZE, now } = page;
  const after = readTimeCursor(cursor);
  if (after instanceof Refusal) return after;
  const accountId = session.account.id;
  const { added } = await channelsOf(parts.store, accountId);
  if (channelKey !== OWN_MAIL && !added.some(({ id }) => id === channelKey))
    return CHANNEL_REFUSALS.not_found();
  const receipts = await deliveriesOfChannel(parts.store, {
    accountId,
    channelKey,
    limit,
    after: after && { createdAt: after.at, id: after.id },
  });
  const last = receipts.length < limit ? undefined : receipts.at(-1);
  const wording = wordingOf(parts, now);
  return {
    data: receipts.map((receipt) => deliveryWire(receipt, wording)),
    next_cursor: last ? writeCursor({ at: last.createdAt, id: last.id }) : null,
  };
}

/** Returns whether a recipient must confirm the address: it is new, was never confirmed, or has refused mail. */
function needsInvitation(known: Channel, wanted: ChannelConfig | undefined): boolean {
  if (wanted?.kind !== 'email') return false;
  const before = readConfig(known);
  const isSame = before?.kind === 'email' && wanted.address.toLowerCase() === before.address;
  return !isSame || known.confirmedAt === null || known.refusal !== null;
}
