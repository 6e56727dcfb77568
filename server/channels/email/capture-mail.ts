import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { DeliveryOutcome } from '../channel.ts';
import type { EmailMessage } from './email-message.ts';
import { mailData } from './mail-data.ts';

/** Keeps a mail as `<message id>.eml`, readable by its owner only; a repeated attempt replaces the file. */
export async function captureMail(input: {
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

/** The outbox row is settled after this: by then the file must outlive a power cut, name and all. */
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
