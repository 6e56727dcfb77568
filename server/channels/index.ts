export type { DeliveryOutcome, OutgoingAlert } from './channel.ts';
export { createHttpChannels } from './http-channels.ts';
export type { HttpChannels, HttpChannelsOptions, StoredChannelConfig } from './http-channels.ts';
