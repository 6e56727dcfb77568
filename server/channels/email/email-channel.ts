import type { BounceReturn } from './bounce-address.ts';
import { captureMail } from './capture-mail.ts';
import type { EmailChannel } from './email-message.ts';
import { createSmtpSender } from './smtp-sender.ts';

/** Mail by SMTP; without `smtpUrl` each mail becomes one `.eml` file in `captureDir`. */
export function createEmailChannel(options: {
  smtpUrl: string | null;
  mailFrom: string;
  captureDir: string;
  /** Where mail comes back to; null: to the sender. */
  bounces?: BounceReturn | null;
}): EmailChannel {
  const { smtpUrl, mailFrom, captureDir, bounces = null } = options;
  if (smtpUrl !== null) return createSmtpSender({ smtpUrl, mailFrom, bounces });
  return {
    deliver: (message, signal) => captureMail({ message, mailFrom, captureDir, signal }),
    close: () => undefined,
  };
}
