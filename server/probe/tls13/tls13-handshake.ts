import type { Socket } from 'node:net';
import { withTimeout } from '../../egress/with-timeout.ts';
import type { HandshakeEvidence } from '../handshake.ts';
import { type HelloShape, helloWriter, sentExtensions, SESSION_ID_AT } from '../hello/client-hello.ts';
import { Tls13Client } from './client.ts';
import { ephemeralKey } from './ephemeral-key.ts';
import { Tls13Stream } from './tls13-stream.ts';
import { Surprise } from './wire.ts';

/** A connection with a complete handshake. The caller must immediately call either `open` or `end`. */
interface Tls13Handshake {
  evidence: HandshakeEvidence;
  /** Returns a stream for application data. From then on, the stream owns the socket. */
  open: () => Tls13Stream;
  /** Sends our Finished and close_notify. The caller must then close the socket. */
  end: () => void;
}

/** Passes the bytes that a socket receives to the current reader: first the handshake, then the stream. */
export class Inbox {
  /** Receives a copy of the bytes, which it may keep. Null until we send the ClientHello. */
  reader: ((bytes: Buffer) => void) | null = null;
  /** Whether the peer sent bytes before our ClientHello, which no TLS server does. */
  isEarly = false;

  /** Copies the bytes for the reader, because the caller reuses its buffer. */
  receive(bytes: Buffer): void {
    if (this.reader === null) this.isEarly = true;
    else this.reader(Buffer.from(bytes));
  }
}

interface Tls13Options {
  /** A connected socket that passes its bytes to `inbox`. A failed handshake destroys it. */
  socket: Socket;
  inbox: Inbox;
  shape: HelloShape;
  /** Host name (A-labels) to send as SNI. For an IP address or null, no SNI is sent. */
  serverName: string | null;
  alpn: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
}

const NOTHING = Buffer.alloc(0);
const RECORD_HEADER_BYTES = 5;
const SESSION_ID_BYTES = 32;

/**
 * Performs one TLS 1.3 handshake with our own client. The evidence is the same as from a handshake with OpenSSL. @throws Surprise for anything
 * unusual; then the caller must probe again with OpenSSL
 */
export async function handshakeTls13(options: Tls13Options): Promise<Tls13Handshake> {
  const { socket, shape, serverName, alpn, timeoutMs, signal } = options;
  const key = ephemeralKey(performance.now());
  const record = writerFor(shape, alpn, key.share)(serverName);
  const offer = {
    sessionId: record.subarray(SESSION_ID_AT, SESSION_ID_AT + SESSION_ID_BYTES),
    ciphers: shape.ciphers,
    signatures: shape.signatures,
    extensions: sentExtensions(shape, { serverName, alpn }),
    alpn,
  };
  const client = new Tls13Client(record.subarray(RECORD_HEADER_BYTES), offer, key);
  let isOpen = false;
  try {
    const read = readFlight(options, client);
    socket.write(record);
    const result = await withTimeout(read, { ms: timeoutMs, signal }, null);
    if (result === null) throw new Surprise('timeout', 'no handshake in time');
    isOpen = true;
    return result;
  } finally {
    if (!isOpen) socket.destroy();
  }
}

const writers = new Map<string, { share: Buffer; write: ReturnType<typeof helloWriter> }>();

/** Memoizes one writer per shape and list of protocols, and replaces it when the key share changes. */
function writerFor(shape: HelloShape, alpn: readonly string[], share: Buffer) {
  const name = `${shape.signatures.join()} ${alpn.join()}`;
  let writer = writers.get(name);
  if (writer?.share !== share) {
    writer = { share, write: helloWriter(shape, { alpn, x25519Share: share }) };
    writers.set(name, writer);
  }
  return writer.write;
}

function readFlight({ socket, inbox }: Tls13Options, client: Tls13Client): Promise<Tls13Handshake> {
  return new Promise((resolve, reject) => {
    let isPending = !inbox.isEarly;
    if (inbox.isEarly) reject(new Surprise('unexpected', 'bytes before the ClientHello'));
    inbox.reader = (bytes) => {
      if (!isPending) return;
      try {
        const early = client.push(bytes);
        const { proof } = client;
        if (proof === null) return;
        isPending = false;
        const { chain: presentedChain, ...seen } = proof;
        const evidence = { presentedChain, tlsVersion: 'TLSv1.3', group: 'X25519', ...seen };
        // After `end`, ignore what the server still sends, such as session tickets.
        inbox.reader = () => undefined;
        resolve({
          evidence,
          open() {
            const stream = new Tls13Stream(socket, client, early);
            inbox.reader = (more) => stream.receive(more);
            return stream;
          },
          end: () => void socket.write(Buffer.concat([client.secondFlight ?? NOTHING, client.closeNotify()])),
        });
      } catch (error) {
        isPending = false;
        // Reject instead of throwing: an error in this event handler would end the process.
        reject(error);
      }
    };
    const fail = (): void => {
      if (isPending) reject(new Surprise('closed', 'the connection ended'));
      isPending = false;
    };
    socket.once('end', fail).once('error', fail).once('close', fail);
  });
}
