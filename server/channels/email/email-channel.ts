import { captureMail } from './capture-mail.ts';
import type { EmailChannel } from './email-message.ts';
import { createSmtpSender } from './smtp-sender.ts';

/** Mail by SMTP; without `smtpUrl` each mail becomes one `.eml` file in `captureDir`. */
export function createEmailChannel(options: {
  smtpUrl: string | null;
  mailFrom: string;
  captureDir: string;
}): EmailChannel {
  const { smtpUrl, mailFrom, captureDir } = options;
  if (smtpUrl !== null) return createSmtpSender({ smtpUrl, mailFrom });
  return {
    deliver: (message, signal) => captureMail({ message, mailFrom, captureDir, signal }),
    close: () => undefined,
  };
}
