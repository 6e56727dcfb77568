import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { selfSigned } from '../certificates/mint.ts';
import type { ServerCertificate } from './tls-server.ts';

/**
 * How the sink handles a mail. `lose_reply` accepts the mail and breaks the connection instead of replying; `hold_reply` accepts it
 * and replies only when the test calls `sendReplies`.
 */
export type SmtpBehaviour =
  | 'accept'
  | 'greylist'
  | 'refuse_sender'
  | 'refuse_recipient'
  | 'refuse_relay'
  | 'refuse_message'
  | 'lose_reply'
  | 'hold_reply'
  | 'silence';

/** One mail whose content arrived. */
export interface SinkMail {
  messageId: string;
  from: string;
  to: string[];
  /** Whether the sender got a reply that the mail was accepted. */
  acknowledged: boolean;
  receivedAt: number;
  tls: boolean;
  subject: string;
  text: string;
  html: string;
  /** The parsed mail, with its headers and attachments. */
  parsed: ParsedMail;
  raw: Buffer;
}

export interface SmtpSink {
  /** The port. `down` and `up` do not change it. */
  readonly port: number;
  readonly url: string;
  /** Every mail whose content arrived, in order of arrival. */
  readonly ledger: readonly SinkMail[];
  /** Passwords that were sent so far. All are accepted, even without TLS. */
  readonly passwords: readonly string[];
  /** Number of connections so far. */
  readonly connections: number;
  /** Changes the behaviour from the next step of a transaction on. A function is called for each recipient. */
  behave(behaviour: SmtpBehaviour | ((recipient: string) => SmtpBehaviour)): void;
  /** Sends the replies that `hold_reply` holds back. */
  sendReplies(): void;
  /** Resolves with the first mail of the ledger that matches, whether it is there already or arrives later. */
  waitFor(predicate: (mail: SinkMail) => boolean, timeoutMs?: number): Promise<SinkMail>;
  /** Resolves when a client has connected, which may already have happened. */
  connected(): Promise<void>;
  /** Stops listening and breaks every connection. */
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
}

const REFUSALS: Partial<
  Record<SmtpBehaviour, { at: 'sender' | 'recipient' | 'message'; code: number; text: string }>
> = {
  greylist: { at: 'recipient', code: 451, text: '4.7.1 Greylisted, try again later' },
  refuse_sender: { at: 'sender', code: 553, text: '5.7.1 Sender not allowed' },
  refuse_recipient: { at: 'recipient', code: 550, text: '5.1.1 No such user here' },
  refuse_relay: { at: 'recipient', code: 554, text: '5.7.1 Relay access denied' },
  refuse_message: { at: 'message', code: 554, text: '5.7.0 Looks like spam' },
};

/**
 * Starts a real SMTP server on loopback that keeps all mails. It offers STARTTLS, or begins with TLS if `secure`, by default with a
 * self-signed certificate.
 */
export async function startSmtpSink(
  options: { port?: number; certificate?: ServerCertificate; secure?: boolean } = {},
): Promise<SmtpSink> {
  const { certificatePem, keyPem } = options.certificate ?? selfSigned({ dnsNames: ['localhost'] });
  const ledger: SinkMail[] = [];
  const passwords: string[] = [];
  const sockets = new Map<number, Socket>();
  const heldReplies: (() => void)[] = [];
  const arrivals = new EventTarget();
  let behaviourFor: (recipient: string) => SmtpBehaviour = () => 'accept';
  let port = options.port ?? 0;
  let connections = 0;
  let server: SMTPServer | null = null;

  const refusal = (at: 'sender' | 'recipient' | 'message', recipient: string): Error | null => {
    const found = REFUSALS[behaviourFor(recipient)];
    return found?.at === at ? Object.assign(new Error(found.text), { responseCode: found.code }) : null;
  };
  const keep = async (raw: Buffer, session: SMTPServerSession, acknowledged: boolean): Promise<void> => {
    const parsed = await simpleParser(raw);
    const { mailFrom, rcptTo } = session.envelope;
    ledger.push({
      messageId: parsed.messageId ?? '',
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      acknowledged,
      receivedAt: Date.now(),
      tls: session.secure,
      subject: parsed.subject ?? '',
      text: parsed.text ?? '',
      html: parsed.html === false ? '' : parsed.html,
      parsed,
      raw,
    });
    arrivals.dispatchEvent(new Event('mail'));
  };

  const up = async (): Promise<void> => {
    const listening = new SMTPServer({
      cert: certificatePem,
      key: keyPem,
      secure: options.secure ?? false,
      authOptional: true,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, proceed) => {
        passwords.push(password ?? '');
        proceed(null, { user: username });
      },
      disableReverseLookup: true,
      closeTimeout: 100,
      onConnect: (_session, proceed) => {
        if (behaviourFor('') !== 'silence') proceed();
      },
      onMailFrom: (_address, _session, proceed) => proceed(refusal('sender', '')),
      onRcptTo: ({ address }, _session, proceed) => proceed(refusal('recipient', address)),
      onData: (stream, session, proceed) => {
        const recipient = session.envelope.rcptTo[0]?.address ?? '';
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const refused = refusal('message', recipient);
          if (refused !== null) {
            proceed(refused);
            return;
          }
          const behaviour = behaviourFor(recipient);
          const lost = behaviour === 'lose_reply';
          const { promise: released, resolve: release } = Promise.withResolvers<void>();
          if (behaviour === 'hold_reply') heldReplies.push(release);
          else release();
          Promise.all([keep(Buffer.concat(chunks), session, !lost), released]).then(
            () => (lost ? sockets.get(session.remotePort)?.destroy() : proceed()),
            (error: unknown) => proceed(error instanceof Error ? error : new Error(String(error))),
          );
        });
      },
    });
    // Some tests break connections on purpose.
    listening.on('error', () => undefined);
    listening.server.on('connection', (socket: Socket) => {
      const { remotePort } = socket;
      if (remotePort === undefined) return;
      sockets.set(remotePort, socket);
      socket.once('close', () => sockets.delete(remotePort));
      connections++;
      arrivals.dispatchEvent(new Event('connection'));
    });
    await once(listening.listen(port, '127.0.0.1'), 'listening');
    port = (listening.server.address() as AddressInfo).port;
    server = listening;
  };
  const down = async (): Promise<void> => {
    const closing = server;
    server = null;
    if (closing === null) return;
    const closed = new Promise<void>((resolve) => closing.close(resolve));
    for (const socket of sockets.values()) socket.destroy();
    await closed;
  };

  await up();
  return {
    get port() {
      return port;
    },
    get url() {
      return `smtp://127.0.0.1:${port}`;
    },
    get connections() {
      return connections;
    },
    ledger,
    passwords,
    behave: (behaviour) => {
      behaviourFor = typeof behaviour === 'function' ? behaviour : () => behaviour;
    },
    sendReplies: () => {
      for (const reply of heldReplies.splice(0)) reply();
    },
    waitFor: async (predicate, timeoutMs = 60_000) => {
      const signal = AbortSignal.timeout(timeoutMs);
      for (;;) {
        const found = ledger.find(predicate);
        if (found !== undefined) return found;
        await once(arrivals, 'mail', { signal }).catch(() => {
          const seen = ledger.map(({ to, subject }) => `${to.join()}: ${subject}`).join('\n');
          throw new Error(`No such mail within ${timeoutMs} ms. Received:\n${seen || 'nothing'}`);
        });
      }
    },
    connected: async () => {
      if (connections === 0) await once(arrivals, 'connection');
    },
    down,
    up,
    stop: down,
  };
}
