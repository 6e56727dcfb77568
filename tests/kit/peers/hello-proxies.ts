import { connect, createServer, type Server, type Socket } from 'node:net';
import { alertRecord } from './raw-peers.ts';

/** A ClientHello as a middlebox reads it (RFC 8446 §4.1.2). */
export interface ReadHello {
  /** Length in bytes, including the header of the record. */
  length: number;
  ciphers: number[];
  /** The signature_algorithms (RFC 8446 §4.2.3). */
  signatures: number[];
  /** Values of the extensions by type, in the order in which the client sent them. */
  extensions: ReadonlyMap<number, Buffer>;
}

/** Returns whether a number is a reserved value (GREASE), which servers must ignore (RFC 8701). */
export const isReserved = (value: number): boolean =>
  (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);

/** Returns the 16-bit numbers of a list that begins after `start` bytes; an empty list if there is no value. */
function numbersIn(value: Buffer | undefined, start = 2): number[] {
  if (value === undefined) return [];
  return Array.from({ length: (value.length - start) >> 1 }, (_, index) =>
    value.readUInt16BE(start + 2 * index),
  );
}

export const extensionNumbers = ({ extensions }: ReadHello, type: number, start = 2): number[] =>
  numbersIn(extensions.get(type), start);

/** Returns the groups of the key shares. */
export function shareGroups({ extensions }: ReadHello): number[] {
  const shares = extensions.get(51) ?? Buffer.alloc(2);
  const groups: number[] = [];
  for (let at = 2; at < shares.length; at += 4 + shares.readUInt16BE(at + 2))
    groups.push(shares.readUInt16BE(at));
  return groups;
}

const SIGNATURE_ALGORITHMS = 13;

/** Reads a record with a ClientHello. @throws RangeError if it is shorter than its length field says */
export function readHello(record: Buffer): ReadHello {
  const sessionEnd = 44 + record.readUInt8(43);
  const ciphersEnd = sessionEnd + 2 + record.readUInt16BE(sessionEnd);
  const extensions = new Map<number, Buffer>();
  const end = 5 + record.readUInt16BE(3);
  for (let at = ciphersEnd + 1 + record.readUInt8(ciphersEnd) + 2; at < end;) {
    const next = at + 4 + record.readUInt16BE(at + 2);
    extensions.set(record.readUInt16BE(at), record.subarray(at + 4, next));
    at = next;
  }
  return {
    length: end,
    ciphers: numbersIn(record.subarray(sessionEnd, ciphersEnd)),
    signatures: numbersIn(extensions.get(SIGNATURE_ALGORITHMS)),
    extensions,
  };
}

/** How a middlebox reacts to a ClientHello that it does not accept. */
const REACTIONS = {
  silent: (client: Socket): void => void client.resume(),
  broken: (client: Socket): void => void client.resetAndDestroy(),
  closed: (client: Socket): void => void client.end(),
  alert: (client: Socket): void => void client.end(alertRecord(2, 40)),
  decodeError: (client: Socket): void => void client.end(alertRecord(2, 50)),
  garbage: (client: Socket): void => void client.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
};
export type Reaction = keyof typeof REACTIONS;

/**
 * Creates a proxy in front of a TLS server that acts like a middlebox: it refuses some ClientHellos and lets the others through. Calls `onHello`
 * with each ClientHello and whether it was let through. Start it with `listening`.
 */
export function createHelloFilter(
  port: number,
  isRefused: (hello: ReadHello) => boolean,
  reaction: Reaction,
  onHello: (hello: ReadHello, isAccepted: boolean) => void = () => undefined,
): Server {
  return serverFor((hello, client, bytes) => {
    const refuses = isRefused(hello);
    onHello(hello, !refuses);
    if (refuses) REACTIONS[reaction](client);
    else forward(client, port, bytes);
  });
}

/** Creates a proxy that connects each ClientHello to the port that `choose` returns. Start it with `listening`. */
export function createHelloRouter(choose: (hello: ReadHello) => number): Server {
  return serverFor((hello, client, bytes) => forward(client, choose(hello), bytes));
}

/** Creates a server that calls `answer` with the ClientHello of each client and with all bytes that it sent so far. */
function serverFor(answer: (hello: ReadHello, client: Socket, bytes: Buffer) => void): Server {
  return createServer((client) => {
    client.on('error', () => client.destroy());
    let bytes = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length < 5 || bytes.length < recordLength(bytes)) return;
      client.off('data', read);
      answer(readHello(bytes), client, bytes);
    };
    client.on('data', read);
  });
}

function forward(client: Socket, port: number, first: Buffer): void {
  const server = connect({ port, host: '127.0.0.1' });
  server.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.on('close', () => server.destroy());
  server.write(first);
  client.pipe(server).pipe(client);
}

/** Returns whether a ClientHello is large. Only those with a key share for ML-KEM (1,184 bytes) are. */
export const isLarge = ({ length }: ReadHello): boolean => length > 1_000;

/**
 * Creates a proxy in front of a TLS server that inserts records before the server's record number `before`, counted from 0. Start it with `listening`.
 */
export function createRecordInserter(port: number, records: Buffer, before = 0): Server {
  return createServer((client) => {
    const server = connect({ port, host: '127.0.0.1' });
    server.on('error', () => client.destroy()).on('close', () => client.end());
    client.on('error', () => client.destroy()).on('close', () => server.destroy());
    client.pipe(server);
    let held = Buffer.alloc(0);
    let left = before;
    server.on('data', (chunk: Buffer) => {
      if (left < 0) {
        client.write(chunk);
        return;
      }
      held = Buffer.concat([held, chunk]);
      for (; left > 0 && held.length >= 5 && held.length >= recordLength(held); left--) {
        client.write(held.subarray(0, recordLength(held)));
        held = held.subarray(recordLength(held));
      }
      if (left > 0 || held.length === 0) return;
      left = -1;
      client.write(Buffer.concat([records, held]));
    });
  });
}

const recordLength = (record: Buffer): number => 5 + record.readUInt16BE(3);
