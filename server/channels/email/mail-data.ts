import { readFileSync } from 'node:fs';
import type { SendMailOptions } from 'nodemailer';
import { LOGO_CONTENT_ID } from '../messages/index.ts';
import type { EmailMessage } from './email-message.ts';

/** 56 px for 28 on paper: sharp on dense screens. Attached, because many mail programs load nothing from outside. */
const LOGO = readFileSync(new URL('logo.png', import.meta.url));

/** What nodemailer composes a mail from. Nothing in it names a file or an address to load. */
export function mailData(message: EmailMessage, mailFrom: string): SendMailOptions {
  return {
    from: mailFrom,
    // As an object, so that a comma or bracket in it cannot become a second recipient.
    to: { name: '', address: message.to },
    ...(message.replyTo !== undefined && { replyTo: { name: '', address: message.replyTo } }),
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: message.messageId,
    headers: {
      ...message.headers,
      // RFC 3834: nobody's out-of-office answers to this.
      'Auto-Submitted': 'auto-generated',
    },
    attachments: message.html.includes(`cid:${LOGO_CONTENT_ID}`)
      ? [
          {
            filename: 'logo.png',
            contentType: 'image/png',
            contentDisposition: 'inline',
            cid: LOGO_CONTENT_ID,
            content: LOGO,
          },
        ]
      : [],
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
