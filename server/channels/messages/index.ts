export { expiryMessage } from './expiry-message.ts';
export type { ExpiryMessageInput, RenderedMessage } from './expiry-message.ts';
export { LOGO_CONTENT_ID } from './mail-layout.ts';
