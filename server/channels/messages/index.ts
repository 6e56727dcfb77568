export { accountMessage } from './account-message.ts';
export type { AccountMessageInput } from './account-mail.ts';
export { alertContent } from './alert-content.ts';
export type { AlertContent, AlertMessageInput } from './alert-input.ts';
export { alertMail } from './alert-mail.ts';
export type { AlertMailInput } from './alert-mail.ts';
export { LOGO_CONTENT_ID } from './mail-layout.ts';
export type { RenderedMessage } from './rendered-message.ts';
