import { createSecureServer } from 'node:http2';
import { listening, type ServerCertificate, startTlsServer } from '../../tests/kit/peers/tls-server.ts';
import type { WebPorts } from './protocol.ts';

// Serves one website three times: without ALPN, with http/1.1 and with h2. Runs in a process of its own.

process.once('message', (leaf: ServerCertificate) => void serve(leaf));

async function serve(leaf: ServerCertificate): Promise<void> {
  const answer = (_request: unknown, response: { end(): void }): void => response.end();
  const chain = leaf.certificatePem + (leaf.chainPem ?? '');
  const none = await startTlsServer({ '*': leaf }, { serve: answer });
  const http1 = await startTlsServer({ '*': leaf }, { serve: answer, ALPNProtocols: ['http/1.1'] });
  const http2 = await listening(createSecureServer({ cert: chain, key: leaf.keyPem }, answer));
  const ports: WebPorts = { none: none.port, http1: http1.port, http2: http2.port };
  process.send?.(ports);
}
