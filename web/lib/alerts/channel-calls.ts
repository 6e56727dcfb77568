import type { z } from 'zod';
import {
  channelAddedSchema,
  channelSchema,
  channelSecretSchema,
  deliveryListSchema,
  deliverySchema,
} from '../../../contract/channel.ts';
import type {
  addChannelSchema,
  changeChannelSchema,
  ChannelWire,
  DeliveryWire,
} from '../../../contract/channel.ts';
import { nothing, wrapped } from '../../../contract/calls/call.ts';
import { api } from '../api-client.ts';

const channelAnswer = wrapped(channelSchema);
const channelsAnswer = wrapped(channelSchema.array());
const madeAnswer = wrapped(channelAddedSchema);
const secretAnswer = wrapped(channelSecretSchema);
const deliveryAnswer = wrapped(deliverySchema);
const deliveriesAnswer = wrapped(deliveryListSchema);

export type NewChannel = z.input<typeof addChannelSchema>;
export type ChannelChange = z.input<typeof changeChannelSchema>;
export type ChannelAdded = z.output<typeof channelAddedSchema>;
export type ChannelSecret = z.output<typeof channelSecretSchema>;

const pathOf = (key: string) => `/channels/${encodeURIComponent(key)}`;

/** The account's own address first, then what was added. */
export async function fetchChannels(signal: AbortSignal): Promise<ChannelWire[]> {
  return (await api('/channels', { schema: channelsAnswer, signal })).data;
}

/** Adds a channel; a webhook's secret comes with it this once. */
export async function addChannel(channel: NewChannel): Promise<ChannelAdded> {
  return (await api('/channels', { method: 'POST', body: channel, schema: madeAnswer })).data;
}

/** Renames it, switches it, or leads it elsewhere. */
export async function changeChannel(key: string, change: ChannelChange): Promise<ChannelWire> {
  return (await api(pathOf(key), { method: 'PATCH', body: change, schema: channelAnswer })).data;
}

export async function removeChannel(key: string): Promise<void> {
  await api(pathOf(key), { method: 'DELETE', schema: nothing });
}

/** Sends a test message; returns its receipt, which is not settled yet. */
export async function testChannel(key: string): Promise<DeliveryWire> {
  return (await api(`${pathOf(key)}/test`, { method: 'POST', schema: deliveryAnswer })).data;
}

/** Makes a new signing key; the one before signs beside it for a day. */
export async function rotateSecret(key: string): Promise<ChannelSecret> {
  return (await api(`${pathOf(key)}/secret`, { method: 'POST', schema: secretAnswer })).data;
}

/** The last messages to a channel, newest first. */
export async function fetchChannelDeliveries(key: string, signal: AbortSignal): Promise<DeliveryWire[]> {
  return (await api(`${pathOf(key)}/deliveries`, { schema: deliveriesAnswer, signal })).data;
}

export async function fetchDelivery(id: string, signal: AbortSignal): Promise<DeliveryWire> {
  return (await api(`/deliveries/${encodeURIComponent(id)}`, { schema: deliveryAnswer, signal })).data;
}

/** Sends a settled message once more under its id; returns its receipt. */
export async function replayDelivery(id: string): Promise<DeliveryWire> {
  return (
    await api(`/deliveries/${encodeURIComponent(id)}/replay`, { method: 'POST', schema: deliveryAnswer })
  ).data;
}
