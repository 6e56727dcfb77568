export { createEmailChannel } from './email-channel.ts';
export type { DeliveryOutcome, EmailChannel, EmailMessage } from './email-message.ts';
