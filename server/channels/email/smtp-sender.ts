import type { NodemailerError } from 'nodemailer';
import { createTransport } from 'nodemailer';
import { bounceAddress, type BounceReturn } from './bounce-address.ts';
import type { DeliveryOutcome } from '../channel.ts';
import type { EmailChannel, EmailMessage } from './email-message.ts';
import { mailData } from './mail-data.ts';
import { mailServerTls } from './mail-server-tls.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_IDLE_TIMEOUT_MS = 30_000;
/** A server that trickles its answers is never idle; this ends the attempt all the same. */
const ATTEMPT_TIMEOUT_MS = MINUTE_MS;
const MAX_CONNECTIONS = 3;
const MAX_DETAIL_LENGTH = 300;

/** Sends over a pool of SMTP connections, encrypted as `mailServerTls` says. */
export function createSmtpSender(options: {
  smtpUrl: string;
  mailFrom: string;
  bounces: BounceReturn | null;
}): EmailChannel {
  const url = new URL(options.smtpUrl);
  const { requiresStartTls, tls } = mailServerTls(url);
  // The library would take any option of its own from the query, those that switch TLS off among them.
  url.search = '';
  const transport = createTransport({
    url: url.href,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    // Each attempt is counted in the outbox; the pool must not make others on its own.
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
 * Maps the error of an attempt to its outcome. A 5xx about the recipient is final for that address, one about the message for this
 * mail. A 5xx before those (greeting, login, sender), one that refuses us (X.7.X: no relaying, a block) and a connection that could
 * not be encrypted are for the operator to set right; they are retried like everything else, because they may pass by themselves.
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
  // nodemailer itself refuses an address that cannot be put into a command.
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
 * What comes before the first word about a mail. A detail that begins with the code of an answer is about one mail alone
 * (`mailDownSince` goes by that), so an answer to these has words in front.
 */
const OPENING = /^(?:CONN|EHLO|HELO|LHLO|STARTTLS|AUTH\b.*)$/;

/**
 * Whether the connection was given up because STARTTLS was refused, or because the TLS handshake or the certificate failed. Errors of
 * TLS have a code of their own (`ERR_TLS_CERT_ALTNAME_INVALID`) and, unlike those of the network, name no system call.
 */
function isTlsFailure({ code, originalCode, syscall }: NodemailerError): boolean {
  return code === 'ETLS' || (code === 'ESOCKET' && originalCode !== undefined && syscall === undefined);
}

/** RFC 3463 §3.8: the security or policy status of an enhanced code. */
const REFUSES_US = /^5\d\d[ -]5\.7\.\d/;

/** Where the mail comes back to, if it does; without an address for that, to the sender that people see. */
function envelopeOf(
  { messageId, to }: EmailMessage,
  bounces: BounceReturn | null,
): { envelope?: { from: string; to: { name: string; address: string } } } {
  if (bounces === null) return {};
  const sent = { messageId: messageId.replaceAll(/[<>]/g, ''), recipient: to };
  const from = bounceAddress(bounces, sent);
  // As an object, so that a comma or bracket in it cannot become a second recipient.
  return from === null ? {} : { envelope: { from, to: { name: '', address: to } } };
}

/** What a server says is a stranger's text: it goes to the log and the page as one short line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_DETAIL_LENGTH);
}
