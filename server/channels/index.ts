export type { DeliveryOutcome } from './definition.ts';
export { createPing, type Ping } from './heartbeat.ts';
export { createHttpChannels } from './http-channels.ts';
export type { HttpChannels, HttpChannelsOptions } from './http-channels.ts';
