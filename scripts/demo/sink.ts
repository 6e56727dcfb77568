import { createServer } from 'node:http';
import { listening, type Peer } from '../../tests/kit/peers/tls-server.ts';

/** Starts a local HTTP server that accepts what the demo's channels send and discards it. */
export async function startSink(): Promise<Peer> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  return listening(server);
}
