export { accountMessage } from './account-message.ts';
export type { AccountMail, AccountMessageInput } from './account-message.ts';
export { expiryMessage } from './expiry-message.ts';
export type { ExpiryMessageInput } from './expiry-message.ts';
export { LOGO_CONTENT_ID } from './mail-layout.ts';
export type { RenderedMessage } from './rendered-message.ts';
