import { createServer, type ListenOptions, type Socket } from 'node:net';
import { listening, type Peer } from './tls-server.ts';

/** Handles a new connection of a raw peer. */
export type PeerBehaviour = (socket: Socket) => void;

export interface RawPeer extends Peer {
  /** Resolves once the first client is connected. */
  connected: Promise<void>;
  /** Returns how many TCP connections were accepted. */
  accepted(): number;
}

/** Accepts connections and never sends anything. */
export const silent = (socket: Socket): void => void socket.resume();

/** Sends the start of a 16 kB record, a byte at a time, so that it is never idle for long. */
export function dripping(socket: Socket): void {
  socket.resume();
  const bytes = [0x16, 0x03, 0x03, 0x40, 0x00, 0x02];
  const timer = setInterval(() => socket.write(Buffer.from([bytes.shift() ?? 0])), 20);
  socket.on('close', () => clearInterval(timer));
}

/** Answers like a web server without TLS. */
export function plainHttp(socket: Socket): void {
  socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));
}

/** Sends a greeting, as a protocol does whose server speaks first. */
export const greeting = (socket: Socket): void => void socket.write('220 mail.example ESMTP\r\n');

/** Resets the connection at the first byte. */
export const resetting = (socket: Socket): void => void socket.once('data', () => socket.resetAndDestroy());

/** Closes the connection properly at the first byte. */
export const closing = (socket: Socket): void => void socket.once('data', () => socket.end());

/** Returns a record with a TLS alert (RFC 8446 §6); level 1 is a warning, 2 is fatal. */
export const alertRecord = (level: 1 | 2, description: number): Buffer =>
  Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, level, description]);

/** Answers with a fatal TLS alert. */
export const alerting =
  (description: number) =>
  (socket: Socket): void =>
    void socket.once('data', () => socket.end(alertRecord(2, description)));

/**
 * Answers with a ServerHello of TLS 1.2 and these bytes as its certificate, which that version sends unencrypted (RFC 5246
 * §7.4.2).
 */
export const presenting =
  (certificate: Uint8Array) =>
  (socket: Socket): void =>
    void socket.once('data', () => {
      const hello = Buffer.concat([
        Buffer.from('0303', 'hex'),
        Buffer.alloc(32, 7),
        // No session; TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; no compression; renegotiation_info.
        Buffer.from('00c02f000005ff01000100', 'hex'),
      ]);
      const entry = Buffer.concat([threeBytes(certificate.length), certificate]);
      const list = Buffer.concat([threeBytes(entry.length), entry]);
      socket.write(Buffer.concat([handshakeRecord(2, hello), handshakeRecord(11, list)]));
    });

function handshakeRecord(type: number, body: Buffer): Buffer {
  const message = Buffer.concat([Buffer.from([type]), threeBytes(body.length), body]);
  const header = Buffer.from([0x16, 0x03, 0x03, 0, 0]);
  header.writeUInt16BE(message.length, 3);
  return Buffer.concat([header, message]);
}

function threeBytes(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntBE(value, 0, 3);
  return bytes;
}

/** From the first received byte on, sends this record repeatedly, as fast as the client reads. */
export function flooding(record: Buffer): PeerBehaviour {
  const flood = floodingAtOnce(record);
  return (socket) => void socket.once('data', () => flood(socket));
}

/** Sends this record repeatedly as soon as the client connects. */
export function floodingAtOnce(record: Buffer): PeerBehaviour {
  const many = Buffer.concat(Array.from({ length: Math.ceil(65_536 / record.length) }, () => record));
  return (socket) => {
    const flood = (): void => {
      while (!socket.destroyed && socket.write(many));
      if (!socket.destroyed) socket.once('drain', flood);
    };
    flood();
  };
}

/** Starts a TCP peer on a free loopback port with one of the behaviours above. */
export async function startRawPeer(behave: PeerBehaviour, at: ListenOptions = {}): Promise<RawPeer> {
  let accepted = 0;
  const { promise: connected, resolve } = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    accepted++;
    resolve();
    behave(socket);
  });
  return { ...(await listening(server, at.host, at.port)), connected, accepted: () => accepted };
}
