import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createTransport, type NodemailerError, type SendMailOptions } from 'nodemailer';
import { readFileSync } from 'node:fs';
import type { DeliveryOutcome } from '../definition.ts';
import { bounceAddress, type BounceReturn } from './bounce-address.ts';
import { LOGO_CONTENT_ID } from '../messages/mail-layout.ts';
import { mailServerTls } from './mail-server-tls.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

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

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_IDLE_TIMEOUT_MS = 30_000;
/** Ends the attempt even if a server keeps sending single bytes and so is never idle. */
const ATTEMPT_TIMEOUT_MS = MINUTE_MS;
const MAX_CONNECTIONS = 3;
const MAX_DETAIL_LENGTH = 300;

/** Sends over a pool of SMTP connections, encrypted as `mailServerTls` says. */
function createSmtpSender(options: {
  smtpUrl: string;
  mailFrom: string;
  bounces: BounceReturn | null;
}): EmailChannel {
  const url = new URL(options.smtpUrl);
  const { requiresStartTls, tls } = mailServerTls(url);
  // nodemailer reads options from the query, and some of them switch TLS off.
  url.search = '';
  const transport = createTransport({
    url: url.href,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    // The outbox counts the attempts, so the pool must not retry by itself.
    maxRequeues: 0,
    idleTimeout: SOCKET_IDLE_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_IDLE_TIMEOUT_MS,
    requireTLS: requiresStartTls,
    tls,
  });
  return {
    async deliver(message, signal) {
      const data = { ...mailData(message, options.mailFrom), ...envelopeOf(message, options.bounces) };
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]);
      try {
        const sent = await transport.sendMail({ ...data, signal: bounded });
        return { outcome: 'delivered', detail: oneLine(sent.response) };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * Maps the error of an attempt to its outcome. A 5xx about the recipient is final for the address, a 5xx about the message for the mail.
 * The operator has to fix an earlier 5xx (greeting, login, sender), a policy refusal (X.7.X) and a connection that could not be encrypted.
 * These are retried like everything else, because they may pass by themselves.
 */
function outcomeOf(error: unknown): DeliveryOutcome {
  if (!(error instanceof Error)) return { outcome: 'retry', detail: oneLine(String(error)) };
  const { code, command, permanent, response, message }: NodemailerError = error;
  if (isTlsFailure(error))
    return {
      outcome: 'retry',
      detail: oneLine(
        `The connection to the mail server could not be encrypted, so neither the password nor the mail was sent: ${message}`,
      ),
      cause: 'unencrypted',
    };
  const refusesUs = response !== undefined && OPENING.test(command ?? '');
  const detail = oneLine(
    `${refusesUs ? 'The mail server takes no mail from us: ' : ''}${response ?? message}`,
  );
  // nodemailer refuses an address that would break the SMTP command.
  if (code === 'EENVELOPE' && command === 'API')
    return {
      outcome: 'failed',
      detail,
      cause: message.startsWith('Invalid recipient') ? 'refused_address' : 'operator',
    };
  if (permanent !== true) return { outcome: 'retry', detail };
  if (command === 'DATA') return { outcome: 'failed', detail, cause: 'operator' };
  const isAboutAddress = command === 'RCPT TO' && !REFUSES_US.test(response ?? '');
  return isAboutAddress
    ? { outcome: 'failed', detail, cause: 'refused_address' }
    : { outcome: 'retry', detail, cause: 'operator' };
}

/**
 * Commands before the first one about a mail. Answers to them get words in front, because `mailDownSince` takes a detail that starts
 * with a status code to be about a single mail.
 */
const OPENING = /^(?:CONN|EHLO|HELO|LHLO|STARTTLS|AUTH\b.*)$/;

/**
 * Whether STARTTLS was refused, or the TLS handshake or the certificate failed. TLS errors have their own code
 * (`ERR_TLS_CERT_ALTNAME_INVALID`) and, unlike network errors, no system call.
 */
function isTlsFailure({ code, originalCode, syscall }: NodemailerError): boolean {
  return code === 'ETLS' || (code === 'ESOCKET' && originalCode !== undefined && syscall === undefined);
}

/** RFC 3463 §3.8: the security or policy status of an enhanced code. */
const REFUSES_US = /^5\d\d[ -]5\.7\.\d/;

/** Returns the envelope with the address for bounces. Without one, bounces go to the visible sender. */
function envelopeOf(
  { messageId, to }: EmailMessage,
  bounces: BounceReturn | null,
): { envelope?: { from: string; to: { name: string; address: string } } } {
  if (bounces === null) return {};
  const sent = { messageId: messageId.replaceAll(/[<>]/g, ''), recipient: to };
  const from = bounceAddress(bounces, sent);
  // An object, because nodemailer would read a comma or bracket in a string as a second recipient.
  return from === null ? {} : { envelope: { from, to: { name: '', address: to } } };
}

/** Makes one short line of a server's answer, which is a stranger's text, for the log and the page. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_DETAIL_LENGTH);
}

/** 56 px, shown at 28 px to be sharp on dense screens. Attached, because many mail programs load no remote images. */
const LOGO = readFileSync(new URL('logo.png', import.meta.url));

/** Builds the input of nodemailer. It names no file and no address to load. */
function mailData(message: EmailMessage, mailFrom: string): SendMailOptions {
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
