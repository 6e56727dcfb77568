import { addChannel } from '../../../contract/calls/alert.ts';
import { type ChannelWire, type DeliveryWire, MAX_CHANNELS, OWN_MAIL } from '../../../contract/channel.ts';
import { alertTitle } from '../../core/alerting/alert-title.ts';
import { alertEvent } from '../../core/alerting/alert.ts';
import { displayName } from '../../core/endpoint.ts';
import type { Plan } from '../../core/plan.ts';
import type { DeliveryRecord, SentAlert } from '../../store/alerts/alert-history.ts';
import { maskedTarget, readConfig } from '../../channels/kinds/index.ts';
import type { Channel, OwnMail } from '../../store/alerts/channels.ts';
import { iso, isoOrNull } from '../domains/domain-wire.ts';
import { refuse } from '../http/problem.ts';

const OWN_MAIL_NAME = 'Your email';

export function ownMailWire(own: OwnMail): ChannelWire {
  return {
    key: OWN_MAIL,
    kind: 'email',
    name: OWN_MAIL_NAME,
    target: own.address,
    state: own.isUnsubscribed ? 'unsubscribed' : own.refusal === null ? 'open' : 'refused',
    detail: own.refusal,
    last_delivered_at: isoOrNull(own.deliveredAt),
    failing_since: null,
    created_at: null,
  };
}

/**
 * Returns the address of a stored channel with its secrets masked, so that its owner recognises the channel. Returns 'unknown' if
 * its config is unreadable.
 */
export function targetOfRow(row: Parameters<typeof readConfig>[0]): string {
  const config = readConfig(row);
  return config === null ? 'unknown' : maskedTarget(config);
}

/** Maps a channel to wire format, without its secrets. */
export function channelWire(channel: Channel, plan: Plan): ChannelWire {
  return {
    key: channel.id,
    kind: channel.kind,
    name: channel.name,
    target: targetOfRow(channel),
    state: stateOf(channel, plan),
    detail: channel.refusal,
    last_delivered_at: isoOrNull(channel.deliveredAt),
    failing_since: isoOrNull(channel.failingSince),
    created_at: iso(channel.createdAt),
  };
}

/** Returns the state of a channel. If several states apply, returns the one that its owner has to resolve first. */
function stateOf(channel: Channel, plan: Plan): ChannelWire['state'] {
  if (plan !== 'premium') return 'plan';
  if (readConfig(channel) === null) return 'broken';
  if (channel.disabledBy !== null) return channel.disabledBy === 'user' ? 'off' : channel.disabledBy;
  if (channel.refusal !== null) return 'refused';
  if (channel.confirmedAt === null) return 'unconfirmed';
  return channel.isUnsubscribed ? 'unsubscribed' : 'open';
}

/** Values that the title of an alert depends on. Test messages contain the product's name. */
export interface TitleContext {
  productName: string;
  now: number;
}

/**
 * Maps a delivery to wire format. The title of a settled delivery is the one at the time of settling, that of a waiting one the
 * title it would have now.
 */
export function deliveryWire(receipt: DeliveryRecord, wording: TitleContext): DeliveryWire {
  const { alert, state, settledAt } = receipt;
  return {
    id: receipt.id,
    channel_key: receipt.channelKey,
    channel_kind: receipt.channelKind,
    channel_name: receipt.channelName ?? OWN_MAIL_NAME,
    state: isHeld(receipt, wording.now) ? 'held' : state,
    title: alertTitleOf(alert, { ...wording, now: settledAt ?? wording.now }),
    event: alertEvent(alert.kind, alert.step),
    domain:
      alert.monitor === null ? null : { id: alert.monitor.id, display_name: displayName(alert.monitor) },
    detail: receipt.detail,
    next_attempt_at: state === 'waiting' ? iso(receipt.nextAttemptAt) : null,
    settled_at: isoOrNull(settledAt),
    created_at: iso(receipt.createdAt),
    attempts: receipt.attempts.map((attempt) => ({
      attempt: attempt.attempt,
      started_at: iso(attempt.startedAt),
      finished_at: isoOrNull(attempt.finishedAt),
      outcome: attempt.outcome,
      detail: attempt.detail,
    })),
  };
}

export function alertTitleOf(alert: SentAlert, { productName, now }: TitleContext): string {
  const { kind, step, facts, monitor } = alert;
  return alertTitle({
    kind,
    step,
    facts,
    now,
    timeZone: null,
    displayName: monitor === null ? productName : displayName(monitor),
  });
}

function isHeld({ state, firstAttemptAt, nextAttemptAt }: DeliveryRecord, now: number): boolean {
  return state === 'waiting' && firstAttemptAt === null && nextAttemptAt > now;
}

/** Refusals of calls about channels. Refusals that the store returns have the store's codes as keys. */
export const CHANNEL_REFUSALS = {
  not_found: () => refuse('not_found', 'There is no such channel.'),
  premium_required: () => refuse('premium_required', addChannel.needs.premium),
  too_many_channels: () => refuse('too_many_channels', `An account can have up to ${MAX_CHANNELS} channels.`),
  channel_exists: () => refuse('channel_exists', 'You already have a channel that sends there.'),
  channel_closed: () =>
    refuse('channel_closed', 'We are not sending messages to this channel. Its state says why.'),
  ownMail: () =>
    refuse('channel_refused', 'Your own email can only be switched on again: send enabled: true.'),
  otherKind: () =>
    refuse('channel_refused', 'The kind of a channel cannot be changed. Add another channel instead.'),
};
