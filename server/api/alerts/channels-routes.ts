import { CALLS } from '../../../contract/calls/calls.ts';
import type { ChannelConfig } from '../../../contract/channel-config.ts';
import { MAX_CHANNELS, OWN_MAIL } from '../../../contract/channel.ts';
import { PAGE_SIZE } from '../../../contract/words.ts';
import {
  configFrom,
  defaultName,
  newWebhookSecret,
  readConfig,
  rotatedConfig,
  storable,
  type StoredChannelConfig,
} from '../../channels/kinds/index.ts';
import { mayUseChannel } from '../../core/alerting/route.ts';
import { entitlementAt } from '../../core/plan.ts';
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
import type { Api, AppParts, Caller } from '../http/api.ts';
import { acceptedConfig, limitChannelPort } from './channel-address.ts';
import { CHANNEL_REFUSALS, channelWire, deliveryWire, ownMailWire } from './channel-wire.ts';
import { timeCursor, writeCursor } from '../http/cursor.ts';
import { Refusal } from '../http/problem.ts';
import { inviteRecipient } from './recipient-invitation.ts';
import { refuseUnverified } from '../auth/verified-address.ts';
import { iso } from '../domains/domain-wire.ts';
import { DAY_MS } from '../../../contract/durations.ts';

/** Time for which the previous key of a webhook still signs after a rotation. */
const PHASE_OUT_MS = DAY_MS;

/**
 * Registers the calls about channels. Without Premium, alerts go only to the account's own address; other channels are
 * idle but keep their settings.
 */
export function channelRoutes(api: Api, parts: AppParts): void {
  const { store, limits, config } = parts;
  const planOf = ({ account }: Caller, now: number) => entitlementAt(store, account.entitlement, now).plan;

  async function invitationFor(
    { account }: Caller,
    channel: StoredChannelConfig,
    now: number,
  ): Promise<Invitation | Refusal | null> {
    return channel.kind === 'email'
      ? inviteRecipient(parts, { account, address: channel.address, now })
      : null;
  }

  api.on(CALLS.listChannels, async ({ session, now }) => {
    const { own, added } = await channelsOf(store, session.account.id);
    const plan = planOf(session, now);
    return { data: [ownMailWire(own), ...added.map((channel) => channelWire(channel, plan))] };
  });

  api.on(CALLS.addChannel, async ({ body, session, idempotency, now }) => {
    const accountId = session.account.id;
    const accepted = acceptedConfig(body.config, parts, null);
    if (accepted instanceof Refusal) return accepted;
    const tooManyPorts = await limitChannelPort(parts, { accountId, channel: accepted, now });
    if (tooManyPorts) return tooManyPorts;
    const invitation = await invitationFor(session, accepted, now);
    if (invitation instanceof Refusal) return invitation;
    const secret = accepted.kind === 'webhook' ? (accepted.secrets[0]?.secret ?? null) : null;
    const answerOf = (channel: Channel) => ({ data: { channel: channelWire(channel, 'premium'), secret } });
    const added = await addChannel(store, {
      accountId,
      name: body.name || defaultName(accepted),
      config: storable(accepted),
      invitation,
      max: MAX_CHANNELS,
      mayAdd: (plan) => plan === 'premium',
      now,
      alongside: (trx, channel) => idempotency.storeAnswer(trx, answerOf(channel)),
    });
    return added.ok ? answerOf(added.channel) : CHANNEL_REFUSALS[added.code]();
  });

  api.on(CALLS.changeChannel, async ({ params, body, session, now }) => {
    const accountId = session.account.id;
    if (params.key === OWN_MAIL) {
      if (body.enabled !== true || body.name !== undefined || body.config !== undefined)
        return CHANNEL_REFUSALS.ownMail();
      const refusal = limits.allow('sendByChannel', `${accountId}:${OWN_MAIL}`);
      if (refusal) return refusal;
      await resumeAccountMail(store, accountId);
      // Send a test message, so that the owner sees whether mail arrives again.
      await sendTest(store, { accountId, channelKey: OWN_MAIL, now });
      return { data: ownMailWire((await channelsOf(store, accountId)).own) };
    }
    const { key: channelId } = params;
    const known = (await channelsOf(store, accountId)).added.find(({ id }) => id === channelId);
    if (!known) return CHANNEL_REFUSALS.not_found();
    const wanted = body.config;
    const accepted = wanted && acceptedConfig(wanted, parts, readConfig(known));
    if (accepted instanceof Refusal) return accepted;
    const isEnabled = body.enabled === true || accepted !== undefined;
    if (isEnabled && planOf(session, now) !== 'premium') return CHANNEL_REFUSALS.premium_required();
    const unverified = isEnabled ? refuseUnverified(session.account, 'channel', parts) : null;
    if (unverified) return unverified;
    if (accepted && accepted.kind !== known.kind) return CHANNEL_REFUSALS.otherKind();
    const tooManyPorts = accepted && (await limitChannelPort(parts, { accountId, channel: accepted, now }));
    if (tooManyPorts) return tooManyPorts;
    const isInvited = accepted !== undefined && needsInvitation(known, wanted);
    const invitation = isInvited ? await invitationFor(session, accepted, now) : null;
    if (invitation instanceof Refusal) return invitation;
    const changed = await changeChannel(store, { accountId, channelId, now }, (channel, plan) => {
      if (isEnabled && plan !== 'premium') return { ok: false, refused: 'premium_required' as const };
      // Read the locked config again, because its keys may have been rotated meanwhile.
      const change = {
        name: body.name,
        enabled: body.enabled,
        config: wanted && storable(configFrom(wanted, readConfig(channel))),
      };
      return { ok: true, change, invitation };
    });
    return changed.ok
      ? { data: channelWire(changed.channel, planOf(session, now)) }
      : CHANNEL_REFUSALS[changed.refused]();
  });

  api.on(CALLS.removeChannel, async ({ params, session, now }) => {
    if (params.key === OWN_MAIL) return CHANNEL_REFUSALS.not_found();
    const key = { accountId: session.account.id, channelId: params.key };
    const removed = await removeChannel(store, { ...key, now });
    return removed ? { data: null } : CHANNEL_REFUSALS.not_found();
  });

  api.on(CALLS.testChannel, async ({ params, session, idempotency, now }) => {
    const { account } = session;
    const { own, added } = await channelsOf(store, account.id);
    // Check ownership before limits: no answer may reveal to strangers whether a channel exists.
    const channel = params.key === OWN_MAIL ? own : added.find(({ id }) => id === params.key);
    if (!channel) return CHANNEL_REFUSALS.not_found();
    if (!mayUseChannel(planOf(session, now), params.key)) return CHANNEL_REFUSALS.premium_required();
    if (channel.refusal !== null) return CHANNEL_REFUSALS.channel_closed();
    const limited =
      (params.key === OWN_MAIL ? null : refuseUnverified(account, 'channel', parts)) ??
      limits.allow('sendByChannel', `${account.id}:${params.key}`) ??
      limits.allow('sendByAccount', account.id) ??
      (await limitChannelPort(parts, {
        accountId: account.id,
        channel: 'config' in channel ? readConfig(channel) : null,
        now,
      }));
    if (limited) return limited;
    const { productName } = config;
    const answerOf = (receipt: DeliveryRecord) => ({
      data: deliveryWire(receipt, { productName, timeZone: account.timeZone, now }),
    });
    const sent = await sendTest(store, {
      accountId: account.id,
      channelKey: params.key,
      now,
      alongside: (trx, receipt) => idempotency.storeAnswer(trx, answerOf(receipt)),
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
        alongside: (trx) => idempotency.storeAnswer(trx, answer),
      },
      (stored) => rotatedConfig(stored, { secret, until, now }),
    );
    if (rotated === null) return CHANNEL_REFUSALS.channel_closed();
    return rotated ? answer : CHANNEL_REFUSALS.not_found();
  });

  api.on(CALLS.channelDeliveries, async ({ params, query, session: { account }, now }) => {
    const after = timeCursor(query.cursor);
    if (after instanceof Refusal) return after;
    const { added } = await channelsOf(store, account.id);
    if (params.key !== OWN_MAIL && !added.some(({ id }) => id === params.key))
      return CHANNEL_REFUSALS.not_found();
    const { limit = PAGE_SIZE } = query;
    const receipts = await deliveriesOfChannel(store, {
      accountId: account.id,
      channelKey: params.key,
      limit,
      after: after && { createdAt: after.at, id: after.id },
    });
    const last = receipts.length < limit ? undefined : receipts.at(-1);
    const wording = { productName: config.productName, timeZone: account.timeZone, now };
    return {
      data: receipts.map((receipt) => deliveryWire(receipt, wording)),
      next_cursor: last ? writeCursor({ at: last.createdAt, id: last.id }) : null,
    };
  });
}

/** Returns whether a recipient must confirm the address: it is new, was never confirmed, or has refused mail. */
function needsInvitation(known: Channel, wanted: ChannelConfig | undefined): boolean {
  if (wanted?.kind !== 'email') return false;
  const before = readConfig(known);
  const isSame = before?.kind === 'email' && wanted.address.toLowerCase() === before.address;
  return !isSame || known.confirmedAt === null || known.refusal !== null;
}
