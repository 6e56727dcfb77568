export { isGenuine, readBounceAddress } from './bounce-address.ts';
export type { BounceReturn } from './bounce-address.ts';
export { readMailbox } from './bounce-mailbox.ts';
export { readDeliveryReport } from './delivery-report.ts';
export { createEmailChannel } from './email-channel.ts';
export type { EmailChannel, EmailMessage } from './email-message.ts';
