import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';

/** A ClientHello with an ML-KEM key share (1,184 bytes) is larger; all others are smaller. */
const LARGE_HELLO_BYTES = 1_000;

/**
 * Creates a proxy in front of a TLS server that acts like a middlebox which cannot handle a ClientHello of more than one packet:
 * it ignores a large one (`silent`) or resets the connection (`broken`). Start it with `listening`.
 */
export function createLargeHelloFilter(
  port: number,
  reaction: 'silent' | 'broken',
  onLargeHello: () => void = () => undefined,
): Server {
  return createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (hello: Buffer) => {
      if (hello.length > LARGE_HELLO_BYTES) {
        onLargeHello();
        if (reaction === 'broken') client.resetAndDestroy();
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
