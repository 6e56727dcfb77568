import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { selfSigned } from '../kit/certificates/mint.ts';
import { createLedgerFile } from './ledger-file.ts';
import type { LedgerOrder, LedgerReport } from './ledger-process.ts';

// A mail server in a process of its own. It accepts mails at once, except for recipients with these local parts:
//   grey-*     4xx at RCPT twice            unknown-*   550 at RCPT                   spam-*   554 after DATA
//   drop-*     accepts, but resets the first connection per mail before replying
//   slow-*     accepts, but replies only after the order `release`

const [path = '', wantedPort = '0'] = process.argv.slice(2);
const ledger = createLedgerFile(path);
const { certificatePem, keyPem } = selfSigned({ dnsNames: ['localhost'] });
const sockets = new Map<number, Socket>();
const greylisted = new Map<string, number>();
const dropped = new Set<string>();
const heldReplies: (() => void)[] = [];
let port = Number(wantedPort);
let refusesLogin = false;
let isSlow = true;
let server: SMTPServer | null = null;

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

function atRecipient(address: string): Error | null {
  if (address.startsWith('unknown-')) return refusal(550, '5.1.1 No such user here');
  if (!address.startsWith('grey-')) return null;
  const times = (greylisted.get(address) ?? 0) + 1;
  greylisted.set(address, times);
  return times <= 2 ? refusal(451, '4.7.1 Greylisted, try again later') : null;
}

async function receive(
  raw: Buffer,
  to: string,
  disconnect: () => void,
  reply: (error?: Error | null) => void,
) {
  if (to.startsWith('spam-')) return reply(refusal(554, '5.7.0 Looks like spam'));
  const { messageId = '', subject = '' } = await simpleParser(raw.subarray(0, raw.indexOf('\r\n\r\n') + 4));
  const drops = to.startsWith('drop-') && !dropped.has(messageId);
  dropped.add(messageId);
  const id = messageId.replaceAll(/[<>]/g, '');
  ledger.keep({ id, to, text: subject, at: Date.now(), acknowledged: !drops });
  if (drops) disconnect();
  else if (isSlow && to.startsWith('slow-')) heldReplies.push(() => reply());
  else reply();
  report({ kind: 'arrived' });
}

async function startServer(): Promise<void> {
  const listening = new SMTPServer({
    cert: certificatePem,
    key: keyPem,
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: (_auth, _session, done) =>
      refusesLogin ? done(refusal(535, '5.7.8 Wrong password')) : done(null, { user: 'operator' }),
    onRcptTo: ({ address }, _session, proceed) => proceed(atRecipient(address)),
    onData: (stream, { envelope, remotePort }, reply) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = envelope.rcptTo[0]?.address ?? '';
        void receive(Buffer.concat(chunks), to, () => sockets.get(remotePort)?.destroy(), reply);
      });
    },
  });
  // Ignore errors, because clients that disconnect are part of the scenarios.
  listening.on('error', () => undefined);
  listening.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    if (remotePort === undefined) return;
    sockets.set(remotePort, socket);
    socket.once('close', () => sockets.delete(remotePort));
  });
  await once(listening.listen(port, '127.0.0.1'), 'listening');
  port = (listening.server.address() as AddressInfo).port;
  server = listening;
}

async function stopServer(): Promise<void> {
  const closing = server;
  server = null;
  if (closing === null) return;
  const closed = new Promise<void>((done) => closing.close(done));
  for (const socket of sockets.values()) socket.destroy();
  await closed;
}

function report(what: LedgerReport): void {
  process.send?.(what);
}

process.on('message', (order: LedgerOrder) => {
  void (async () => {
    if (order.kind === 'down') await stopServer();
    if (order.kind === 'up' && server === null) await startServer();
    if (order.kind === 'login') refusesLogin = order.refused;
    if (order.kind === 'release') {
      isSlow = false;
      for (const reply of heldReplies.splice(0)) reply();
    }
    report({ kind: 'done' });
  })();
});
process.on('disconnect', () => process.exit(0));
await startServer();
report({ kind: 'listening', port });
