export { createEmailChannel } from './email-channel.ts';
export type { EmailChannel, EmailMessage } from './email-message.ts';
