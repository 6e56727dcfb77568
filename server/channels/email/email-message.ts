import { readFileSync } from 'node:fs';
import type { SendMailOptions } from 'nodemailer';
import type { DeliveryOutcome } from '../definition.ts';
import { LOGO_CONTENT_ID } from '../messages/index.ts';

/** One mail to one person. The channel adds sender, date and logo. */
export interface EmailMessage {
  to: string;
  subject: string;
  html: string;
  text: string;
  /** With angle brackets; the same on every attempt, so that a mail program can recognise a repeated mail. */
  messageId: string;
  /** Where answers go. Omitted: to the sender. */
  replyTo?: string;
  headers?: Record<string, string>;
}

export interface EmailChannel {
  /** Never rejects because of the mail server. Gives `retry` if `signal` aborts. */
  deliver(message: EmailMessage, signal: AbortSignal): Promise<DeliveryOutcome>;
  close(): void;
}

/** 56 px, shown at 28 px to be sharp on dense screens. Attached, because many mail programs load no remote images. */
const LOGO = readFileSync(new URL('logo.png', import.meta.url));

/** Builds the input of nodemailer. It names no file and no address to load. */
export function mailData(message: EmailMessage, mailFrom: string): SendMailOptions {
  return {
    from: mailFrom,
    // An object, because nodemailer would read a comma or bracket in a string as a second recipient.
    to: { name: '', address: message.to },
    ...(message.replyTo !== undefined && { replyTo: { name: '', address: message.replyTo } }),
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: message.messageId,
    headers: {
      ...message.headers,
      // Keeps out-of-office programs from answering (RFC 3834).
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
