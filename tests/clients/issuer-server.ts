import { createServer } from 'node:http';
import { listening, type Peer } from '../kit/peers/tls-server.ts';

/** Returns the URL of a certificate on the server that `startIssuerServer` has started at this port. */
export const issuerUrl = (port: number, { der }: { der: Uint8Array }): string =>
  `http://127.0.0.1:${port}/${Buffer.from(der).toString('base64url')}.cer`;

/** Starts a web server that serves any certificate: the URL contains the certificate in base64url. */
export async function startIssuerServer(): Promise<Peer> {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('Content-Type', 'application/pkix-cert');
    response.end(Buffer.from(url.slice(1, -'.cer'.length), 'base64url'));
  });
  return listening(server);
}
