import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { DeliveryOutcome } from '../definition.ts';
import type { BounceReturn } from './bounce-address.ts';
import { type EmailChannel, type EmailMessage, mailData } from './email-message.ts';
import { createSmtpSender } from './smtp-sender.ts';

/** Sends mail by SMTP. Without `smtpUrl` it writes each mail to a file in `captureDir` instead. */
export function createEmailChannel(options: {
  smtpUrl: string | null;
  mailFrom: string;
  captureDir: string;
  /** Address for bounces; null: they go to the sender. */
  bounces?: BounceReturn | null;
}): EmailChannel {
  const { smtpUrl, mailFrom, captureDir, bounces = null } = options;
  if (smtpUrl !== null) return createSmtpSender({ smtpUrl, mailFrom, bounces });
  return {
    deliver: (message, signal) => captureMail({ message, mailFrom, captureDir, signal }),
    close: () => undefined,
  };
}

/** Writes a mail to `<message id>.eml`, which only the owner of the process can read. A repeated attempt replaces the file. */
async function captureMail(input: {
  message: EmailMessage;
  mailFrom: string;
  captureDir: string;
  signal: AbortSignal;
}): Promise<DeliveryOutcome> {
  const { message, mailFrom, captureDir, signal } = input;
  if (signal.aborted) return { outcome: 'retry', detail: 'Stopped before the mail was written.' };
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const composed = await composer.sendMail(mailData(message, mailFrom));
  const name = `${message.messageId.replaceAll(/[<>]/g, '').replaceAll(/[^\w.@-]/g, '_')}.eml`;
  try {
    await mkdir(captureDir, { recursive: true, mode: 0o700 });
    await writeDurably(captureDir, name, composed.message);
    return { outcome: 'delivered', detail: `Kept as ${name}` };
  } catch (error) {
    return { outcome: 'retry', detail: error instanceof Error ? error.message : String(error) };
  }
}

/** Syncs the file and its folder, because the delivery is settled after this and the mail has to survive a power cut. */
async function writeDurably(directory: string, name: string, content: Buffer | Readable): Promise<void> {
  const temporary = join(directory, `.${name}.partial`);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(directory, name));
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
