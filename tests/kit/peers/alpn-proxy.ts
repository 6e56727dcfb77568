import { connect, createServer, type Server } from 'node:net';

/** What a ClientHello that offers HTTP/2 by ALPN contains (RFC 7301 §3.1). */
const OFFERS_HTTP2 = Buffer.from('\x02h2');

/**
 * Creates a proxy in front of two TLS servers, as nginx does with `ssl_preread_alpn_protocols`: clients that offer HTTP/2 reach `web`, all
 * others `other`. Start it with `listening`.
 */
export function createAlpnProxy({ web, other }: { web: number; other: number }): Server {
  return createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', (hello: Buffer) => {
      const server = connect({ port: hello.includes(OFFERS_HTTP2) ? web : other, host: '127.0.0.1' });
      server.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      server.write(hello);
      client.pipe(server).pipe(client);
    });
  });
}
