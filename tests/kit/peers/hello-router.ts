import { connect, createServer, type Server } from 'node:net';

/** What a ClientHello offers, by code points (RFC 8446 §4.1.2). */
export interface OfferedHello {
  ciphers: readonly number[];
  /** The signature_algorithms (RFC 8446 §4.2.3). */
  signatures: readonly number[];
}

/** Creates a proxy that chooses a server, by its port, for each ClientHello. Start it with `listening`. */
export function createHelloRouter(choose: (hello: OfferedHello) => number): Server {
  return createServer((client) => {
    client.on('error', () => client.destroy());
    let hello = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      hello = Buffer.concat([hello, chunk]);
      if (hello.length < 5 || hello.length < 5 + hello.readUInt16BE(3)) return;
      client.off('data', read);
      const server = connect({ port: choose(offeredBy(hello)), host: '127.0.0.1' });
      server.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      server.write(hello);
      client.pipe(server).pipe(client);
    };
    client.on('data', read);
  });
}

const SIGNATURE_ALGORITHMS = 13;

function offeredBy(hello: Buffer): OfferedHello {
  let at = 5 + 4 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  const ciphers = codePoints(hello, at);
  at += 2 + 2 * ciphers.length;
  at += 1 + hello.readUInt8(at);
  at += 2;
  while (at < hello.length) {
    const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
    if (type === SIGNATURE_ALGORITHMS) return { ciphers, signatures: codePoints(hello, at + 4) };
    at += 4 + length;
  }
  return { ciphers, signatures: [] };
}

/** Reads a list of two-byte numbers that follows its length in bytes. */
function codePoints(bytes: Buffer, at: number): number[] {
  return Array.from({ length: bytes.readUInt16BE(at) / 2 }, (_, index) =>
    bytes.readUInt16BE(at + 2 + 2 * index),
  );
}
