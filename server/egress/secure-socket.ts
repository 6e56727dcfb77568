import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect, createSecureContext, getCACertificates } from 'node:tls';
import type { TLSSocket } from 'node:tls';

/** Starts TLS over a connected socket for this host; the result emits `secureConnect` only once the peer is good enough. */
export type SecureSocket = (socket: Socket, host: string) => TLSSocket;

/**
 * TLS verified against these anchors (PEM) alone, and against the name of the host. Never the system's store and never
 * what the environment says: the same peer is believed or not on every machine.
 */
export function createVerifiedTls(anchors: readonly string[]): SecureSocket {
  // Made at its first use, and once: parsing all roots costs more than a handshake.
  let context: ReturnType<typeof createSecureContext> | null = null;
  return (socket, host) => {
    context ??= createSecureContext({ ca: [...anchors], minVersion: 'TLSv1.2' });
    return connect({
      socket,
      host,
      // An address is no server name (RFC 6066 §3); the certificate is then compared with `host`.
      servername: isIP(host) === 0 ? host : '',
      secureContext: context,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
  };
}

/** Verified against Mozilla's roots as bundled with Node. */
export const publicTls: SecureSocket = createVerifiedTls(getCACertificates('bundled'));
