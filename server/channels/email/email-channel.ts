import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import { createTransport, type NodemailerError, type SendMailOptions } from 'nodemailer';
import { readFileSync } from 'node:fs';
import type { DeliveryOutcome } from '../definition.ts';
import { bounceAddress, type BounceSettings } from './bounce-address.ts';
import { LOGO_CONTENT_ID } from '../messages/mail-layout.ts';
import { mailServerTls } from './mail-server-tls.ts';
import { connectToOwnServer } from '../../egress/open-connection.ts';
import { createSemaphore, withTimeout } from '../../egress/with-timeout.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../contract/durations.ts';

/** One mail to one recipient. The channel adds the sender, the date, `Auto-Submitted` and, if the HTML contains it, the logo. */
export interface EmailMessage {
  to: string;
  subject: string;
  html: string;
  text: string;
  /** Message-ID with angle brackets. It is the same on every attempt, so that mail programs can recognise a repeated mail. */
  messageId: string;
  /** Address for replies. Default: the sender. */
  replyTo?: string;
  headers?: Record<string, string>;
}

export interface EmailChannel {
  /**
   * Makes one delivery attempt. Never rejects because of the mail server. Returns `retry` if `signal` aborts the attempt. Calls
   * `onSlow` once if the mail server delays its replies.
   */
  deliver(message: EmailMessage, signal: AbortSignal, onSlow?: () => void): Promise<DeliveryOutcome>;
  close(): void;
}

/** Creates a channel that sends mail by SMTP or, if `smtpUrl` is null, writes each mail to a file in `captureDir`. */
export function createEmailChannel(options: {
  smtpUrl: string | null;
  mailFrom: string;
  captureDir: string;
  /** Address to which bounces go; null if they go to the sender. */
  bounces?: BounceSettings | null;
  /** Shorter time limits for tests, ms. */
  timeouts?: Partial<typeof SMTP_TIMEOUTS>;
}): EmailChannel {
  const { smtpUrl, mailFrom, captureDir, bounces = null, timeouts } = options;
  if (smtpUrl !== null)
    return createSmtpSender({ smtpUrl, mailFrom, bounces, timeouts: { ...SMTP_TIMEOUTS, ...timeouts } });
  return {
    deliver: (message, signal) => captureMail({ message, mailFrom, captureDir, signal }),
    close: () => undefined,
  };
}

/**
 * Writes a mail to `<message id>.eml`, which only its owner can read (mode 0600). A repeated attempt replaces the file.
 * Returns `retry` if `signal` is already aborted or the file cannot be written.
 */
async function captureMail(input: {
  message: EmailMessage;
  mailFrom: string;
  captureDir: string;
  signal: AbortSignal;
}): Promise<DeliveryOutcome> {
  const { message, mailFrom, captureDir, signal } = input;
  if (signal.aborted) return { outcome: 'retry', detail: 'The server stopped before it stored the mail.' };
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const composed = await composer.sendMail(mailData(message, mailFrom));
  const name = `${message.messageId.replaceAll(/[<>]/g, '').replaceAll(/[^\w.@-]/g, '_')}.eml`;
  try {
    await mkdir(captureDir, { recursive: true, mode: 0o700 });
    await writeDurably(captureDir, name, composed.message);
    return { outcome: 'delivered', detail: `Captured as ${name}` };
  } catch (error) {
    return { outcome: 'retry', detail: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Writes a file and syncs it and its folder: the caller then records the mail as delivered, so the file must survive a power cut.
 */
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

/**
 * Time limits of an attempt in ms, at least those of RFC 5321 §4.5.3.2. `reply` starts again with each byte in either direction.
 */
export const SMTP_TIMEOUTS = {
  /** TCP connection. The RFC has no limit for it. */
  connect: 30 * SECOND_MS,
  /** Greeting (§4.5.3.2.1), and the TLS handshake of STARTTLS. */
  greeting: 5 * MINUTE_MS,
  /**
   * Every other reply. The RFC asks for ten minutes after the end of the mail (§4.5.3.2.6), and for less after other commands.
   */
  reply: 10 * MINUTE_MS,
  /** The whole attempt, for servers that send single bytes without end. It is longer than all other limits together. */
  attempt: HOUR_MS,
  /** Time after which the attempt counts as slow. */
  slow: 2 * SECOND_MS,
};
const IDLE_TIMEOUT_MS = 30 * SECOND_MS;
/**
 * Maximum number of attempts that use the mail server at once, not counting slow ones. Exchange Online allows three connections.
 */
const MAX_SENDING = 3;
/** Maximum number of connections, including those of slow attempts. Postfix allows 50 by default. */
const MAX_CONNECTIONS = 50;
const MAX_DETAIL_LENGTH = 300;

/** Creates a channel that sends over a pool of SMTP connections, with the TLS settings from `mailServerTls`. */
function createSmtpSender(options: {
  smtpUrl: string;
  mailFrom: string;
  bounces: BounceSettings | null;
  timeouts: typeof SMTP_TIMEOUTS;
}): EmailChannel {
  const { timeouts } = options;
  const url = new URL(options.smtpUrl);
  const { secure, requiresStartTls, tls } = mailServerTls(url);
  // Remove the query, because nodemailer reads options from it, and some of them disable TLS.
  url.search = '';
  const address = { port: Number(url.port || (secure ? 465 : 587)), timeoutMs: timeouts.connect };
  const transport = createTransport({
    url: url.href,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    // Turn off the pool's retries: the outbox counts and repeats attempts.
    maxRequeues: 0,
    idleTimeout: IDLE_TIMEOUT_MS,
    getSocket: callbackify(async ({ host = '' }: { host?: string | undefined }) => ({
      connection: await connectToOwnServer({ ...address, host }),
    })),
    // nodemailer applies this limit to connection, greeting and TLS handshake together. `getSocket` limits the connection alone.
    connectionTimeout: timeouts.connect + 2 * timeouts.greeting,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.reply,
    requireTLS: requiresStartTls,
    tls,
  });
  const withPermit = createSemaphore(MAX_SENDING);
  /** Message-IDs of the attempts whose mail nodemailer has written to the connection completely. */
  const written = new Set<string>();
  transport.use('stream', ({ message, data: { messageId = '' } }, done) => {
    const createReadStream = message.createReadStream.bind(message);
    message.createReadStream = (streamOptions) =>
      createReadStream(streamOptions).once('end', () => void written.add(messageId));
    done();
  });

  async function attempt(message: EmailMessage, signal: AbortSignal): Promise<DeliveryOutcome> {
    const data = { ...mailData(message, options.mailFrom), ...envelopeOf(message, options.bounces) };
    // Use a timer: `AbortSignal.timeout` would keep memory for each attempt of the last hour.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeouts.attempt);
    try {
      const sent = await transport.sendMail({ ...data, signal: AbortSignal.any([signal, late.signal]) });
      return { outcome: 'delivered', detail: oneLine(sent.response) };
    } catch (error) {
      return outcomeOf(error, written.has(message.messageId));
    } finally {
      clearTimeout(timer);
      written.delete(message.messageId);
    }
  }
  return {
    async deliver(message, signal, onSlow) {
      // Put the promise into an object: `withPermit` would wait for a bare promise and keep the slot until then.
      const { outcome } = await withPermit(async () => {
        const started = attempt(message, signal);
        if ((await withTimeout(started, { ms: timeouts.slow, signal }, 'slow')) === 'slow') onSlow?.();
        return { outcome: started };
      });
      return outcome;
    },
    close: () => transport.close(),
  };
}

/**
 * Maps the error of an attempt to its outcome. A 5xx to RCPT TO fails the mail and refuses the address, unless it is a policy refusal
 * (X.7.X). A 5xx to DATA, and an address that nodemailer rejects, fail the mail too. All other errors are retried.
 */
function outcomeOf(error: unknown, wasWritten: boolean): DeliveryOutcome {
  if (!(error instanceof Error)) return { outcome: 'retry', detail: oneLine(String(error)) };
  const { code, command, permanent, response, message, syscall, originalCode }: NodemailerError = error;
  // Do not use `message` for network errors: it names the operator's mail server, and every account sees the detail in receipts.
  const networkError = syscall && `${syscall} ${originalCode ?? code}`;
  // The whole mail was written, so the server may have accepted it.
  if (wasWritten && response === undefined)
    return {
      outcome: 'retry',
      detail: oneLine(
        `The mail server did not say whether it accepts the mail, so the mail may arrive again: ${networkError ?? message}`,
      ),
      cause: 'no_reply',
    };
  if (isTlsFailure(error))
    return {
      outcome: 'retry',
      detail: oneLine(
        `The connection to the mail server could not be encrypted, so neither the password nor the mail was sent: ${originalCode ?? message}`,
      ),
      cause: 'unencrypted',
    };
  const notReached = networkError && `The mail server cannot be reached: ${networkError}`;
  const refusesUs = response !== undefined && SESSION_COMMAND.test(command ?? '');
  const detail = oneLine(
    `${refusesUs ? 'The mail server rejects mail from us: ' : ''}${response ?? notReached ?? message}`,
  );
  // nodemailer refuses an address with which the SMTP command would be invalid.
  if (code === 'EENVELOPE' && command === 'API')
    return {
      outcome: 'failed',
      detail,
      cause: message.startsWith('Invalid recipient') ? 'refused_address' : 'operator',
    };
  if (permanent !== true) return { outcome: 'retry', detail };
  if (command === 'DATA') return { outcome: 'failed', detail, cause: 'operator' };
  const isAboutAddress = command === 'RCPT TO' && !POLICY_REFUSAL.test(response ?? '');
  return isAboutAddress
    ? { outcome: 'failed', detail, cause: 'refused_address' }
    : { outcome: 'retry', detail, cause: 'operator' };
}

/**
 * nodemailer's names for the steps before the first command about a mail. Replies to these steps get a text prefix:
 * `mailDownSince` treats a detail that starts with a status code as a reply about a single mail.
 */
const SESSION_COMMAND = /^(?:CONN|EHLO|HELO|LHLO|STARTTLS|AUTH\b.*)$/;

/**
 * Returns whether STARTTLS was refused, the TLS handshake failed or the certificate is not valid. TLS errors have their own
 * code (such as `ERR_TLS_CERT_ALTNAME_INVALID`) and, unlike network errors, no system call.
 */
function isTlsFailure({ code, originalCode, syscall }: NodemailerError): boolean {
  return code === 'ETLS' || (code === 'ESOCKET' && originalCode !== undefined && syscall === undefined);
}

/** Permanent SMTP reply whose enhanced status code is about security or policy (RFC 3463 §3.8). */
const POLICY_REFUSAL = /^5\d\d[ -]5\.7\.\d/;

/**
 * Returns the envelope with the bounce address of this mail. Returns an empty object if the mail has none; then bounces go to the
 * visible sender.
 */
function envelopeOf(
  { messageId, to }: EmailMessage,
  bounces: BounceSettings | null,
): { envelope?: { from: string; to: { name: string; address: string } } } {
  if (bounces === null) return {};
  const sent = { messageId: messageId.replaceAll(/[<>]/g, ''), recipient: to };
  const from = bounceAddress(bounces, sent);
  // Pass an object, because nodemailer would read a comma or bracket in a string as a second recipient.
  return from === null ? {} : { envelope: { from, to: { name: '', address: to } } };
}

/** Shortens a reply or error, which contains untrusted text, to one line of at most 300 characters, for the log and pages. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_DETAIL_LENGTH);
}

/**
 * Logo of 56 px, shown at 28 px so that it is sharp on dense screens. It is attached, because many mail programs load no remote
 * images.
 */
const LOGO = readFileSync(new URL('logo.png', import.meta.url));

/** Builds the input of nodemailer. The input never makes nodemailer load a file or a URL. */
function mailData(message: EmailMessage, mailFrom: string): SendMailOptions {
  return {
    from: mailFrom,
    // Pass an object, because nodemailer would read a comma or bracket in a string as a second recipient.
    to: { name: '', address: message.to },
    ...(message.replyTo !== undefined && { replyTo: { name: '', address: message.replyTo } }),
    subject: message.subject,
    text: message.text,
    html: message.html,
    messageId: message.messageId,
    headers: {
      ...message.headers,
      // Prevents out-of-office replies (RFC 3834 §5).
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
