import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';

/** A ClientHello with an ML-KEM key share (1,184 bytes) is larger; all others are smaller. */
const LARGE_HELLO_BYTES = 1_000;

/**
 * Stands before a TLS server like middleboxes that cannot handle a ClientHello of more than one packet: it ignores a large one or
 * resets the connection. Start it with `listening`.
 */
export function largeHellosSwallowed(port: number, manner: 'silent' | 'broken'): Server {
  return createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (hello: Buffer) => {
      if (hello.length > LARGE_HELLO_BYTES) {
        if (manner === 'broken') client.resetAndDestroy();
        return;
      }
      const server = connect({ port, host: '127.0.0.1' });
      server.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      server.write(hello);
      client.pipe(server).pipe(client);
    });
  });
}
