import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { ServerCertificate } from './tls-server.ts';

interface StoredMail {
  uid: number;
  raw: Buffer;
  flags: Set<string>;
}

export interface ImapServer {
  /** URL with user, password and mailbox. */
  readonly url: string;
  readonly port: number;
  /** Adds a mail to the mailbox; returns its uid. */
  append(raw: string): number;
  /** Returns the mails in the mailbox, oldest first. */
  mails(): { uid: number; flags: string[] }[];
  /** Number of sessions so far. */
  readonly sessions: number;
  /** The next time that a client sends this command, breaks the connection instead of answering. */
  breakAt(command: string): void;
  stop(): Promise<void>;
}

const USER = 'bounces';
const PASSWORD = 'p4ss:w@rd';

/**
 * Starts a server on loopback with as much of IMAP4rev1 (RFC 9051) as is needed to read one mailbox. With a certificate it
 * offers STARTTLS.
 */
export async function startImapServer(certificate: ServerCertificate | null = null): Promise<ImapServer> {
  const offer = certificate === null ? '' : ' STARTTLS';
  const mailbox: StoredMail[] = [];
  const sockets = new Set<Socket>();
  let nextUid = 1;
  let sessions = 0;
  let broken: string | null = null;

  const answer = (line: string): string[] | null => {
    const [tag = '', command = '', ...rest] = line.split(' ');
    const name = command.toUpperCase() === 'UID' ? `UID ${rest[0]?.toUpperCase()}` : command.toUpperCase();
    const parameters = command.toUpperCase() === 'UID' ? rest.slice(1) : rest;
    if (name === broken) {
      broken = null;
      return null;
    }
    const reply = replies[name]?.(parameters);
    return [...(reply?.untagged ?? []), `${tag} ${reply?.status ?? 'BAD Unknown command'}`];
  };
  const byUid = (set: string | undefined) => mailbox.filter(({ uid }) => String(uid) === set);
  const replies: Record<string, (parameters: string[]) => { untagged?: string[]; status: string }> = {
    CAPABILITY: () => ({ untagged: [`* CAPABILITY IMAP4rev1 UIDPLUS${offer}`], status: 'OK Done' }),
    ...(certificate !== null && { STARTTLS: () => ({ status: 'OK Begin' }) }),
    NOOP: () => ({ status: 'OK Done' }),
    LOGIN: (given) =>
      given.map((one) => one.replaceAll('"', '')).join(' ') === `${USER} ${PASSWORD}`
        ? { status: 'OK Logged in' }
        : { status: 'NO [AUTHENTICATIONFAILED] Wrong password' },
    LIST: () => ({ untagged: ['* LIST (\\HasNoChildren) "/" INBOX'], status: 'OK Done' }),
    LSUB: () => ({ untagged: ['* LSUB () "/" INBOX'], status: 'OK Done' }),
    SELECT: () => ({
      untagged: [
        '* FLAGS (\\Seen \\Deleted)',
        '* OK [PERMANENTFLAGS (\\Seen \\Deleted)] StoredMail',
        `* ${mailbox.length} EXISTS`,
        '* 0 RECENT',
        '* OK [UIDVALIDITY 1] Valid',
        `* OK [UIDNEXT ${nextUid}] Next`,
      ],
      status: 'OK [READ-WRITE] Selected',
    }),
    'UID SEARCH': () => {
      const unread = mailbox.filter(({ flags }) => flags.size === 0).map(({ uid }) => uid);
      return { untagged: [`* SEARCH ${unread.join(' ')}`.trim()], status: 'OK Done' };
    },
    'UID FETCH': ([set]) => ({
      untagged: byUid(set).map(({ uid, raw }) => {
        const text = raw.toString('latin1');
        return `* ${sequenceNumber(uid)} FETCH (UID ${uid} BODY[]<0> {${raw.length}}\r\n${text})`;
      }),
      status: 'OK Done',
    }),
    'UID STORE': ([set, , flags = '']) => {
      for (const kept of byUid(set)) for (const flag of flags.match(/\\\w+/g) ?? []) kept.flags.add(flag);
      return { status: 'OK Done' };
    },
    'UID EXPUNGE': ([set]) => {
      const gone = byUid(set).filter(({ flags }) => flags.has('\\Deleted'));
      const untagged = gone.map(({ uid }) => `* ${sequenceNumber(uid)} EXPUNGE`);
      for (const one of gone) mailbox.splice(mailbox.indexOf(one), 1);
      return { untagged, status: 'OK Done' };
    },
    CLOSE: () => ({ status: 'OK Done' }),
    LOGOUT: () => ({ untagged: ['* BYE'], status: 'OK Done' }),
  };
  const sequenceNumber = (wanted: number) => mailbox.findIndex(({ uid }) => uid === wanted) + 1;

  /** Answers commands line by line; after STARTTLS, over TLS. */
  const serve = (socket: Socket): void => {
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let end = received.indexOf('\r\n'); end !== -1; end = received.indexOf('\r\n')) {
        const line = received.slice(0, end);
        received = received.slice(end + 2);
        const lines = answer(line);
        if (lines === null) {
          socket.destroy();
          return;
        }
        socket.write(Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'));
        if (certificate === null || !/^\S+ STARTTLS$/i.test(line)) continue;
        socket.removeAllListeners('data');
        const { certificatePem, keyPem } = certificate;
        const secureContext = createSecureContext({ cert: certificatePem, key: keyPem });
        serve(new TLSSocket(socket, { isServer: true, secureContext }));
        return;
      }
    });
  };
  const server = createServer((socket) => {
    sessions += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.write('* OK IMAP4rev1 ready\r\n');
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `imap://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/INBOX`,
    port,
    append(raw) {
      const uid = nextUid++;
      mailbox.push({ uid, raw: Buffer.from(raw.replaceAll(/\r?\n/g, '\r\n')), flags: new Set() });
      return uid;
    },
    mails: () => mailbox.map(({ uid, flags }) => ({ uid, flags: [...flags] })),
    get sessions() {
      return sessions;
    },
    breakAt: (command) => void (broken = command),
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
