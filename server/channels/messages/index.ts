export { accountMessage } from './account-message.ts';
export type { AccountMail, AccountMessageInput } from './account-message.ts';
export { alertMessage } from './alert-message.ts';
export type { AlertMessageInput } from './alert-message.ts';
export { LOGO_CONTENT_ID } from './mail-layout.ts';
export type { RenderedMessage } from './rendered-message.ts';
