import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import type { SecureContext, TLSSocket } from 'node:tls';

import { within } from '../egress/index.ts';
import { handshakeFailure } from './handshake-failure.ts';
import type { HandshakeFailure } from './handshake-failure.ts';

interface HandshakeEvidence {
  /** DER as sent, leaf first. */
  presentedChain: Uint8Array[];
  tlsVersion: string;
  cipher: string;
  /** The key exchange group by OpenSSL's name; null where there is none (RSA key exchange) or it has no name. */
  group: string | null;
  staple: Uint8Array | null;
}

export type HandshakeResult =
  { ok: true; evidence: HandshakeEvidence } | { ok: false; failure: HandshakeFailure };

export interface HandshakeOptions {
  /** A connected socket; it is destroyed before the result is there, whatever the result. */
  socket: Socket;
  /** A-labels, sent as SNI, or an IP address, which is not (RFC 6066 §3). */
  host: string;
  context: SecureContext;
  timeoutMs: number;
  signal: AbortSignal;
}

const MAX_CERTIFICATES = 10;
const MAX_CERTIFICATE_BYTES = 64 * 1024;

/** Shakes hands once, reads what the server showed, and hangs up. Verifies nothing: that is the judge's work. */
export async function handshake({
  socket,
  host,
  context,
  timeoutMs,
  signal,
}: HandshakeOptions): Promise<HandshakeResult> {
  const tls = connect({
    socket,
    secureContext: context,
    // A certificate that clients refuse is what this product is there to see.
    rejectUnauthorized: false,
    servername: isIP(host) === 0 ? host : '',
  });
  const limit = { ms: timeoutMs, signal };
  try {
    const result = await within(secured(tls, socket), limit, failed('timeout'));
    if (result.ok) await within(hungUp(tls), limit, undefined);
    return result;
  } finally {
    tls.destroy();
    socket.destroy();
  }
}

/**
 * Sends our Finished and a close_notify before the FIN. Cut off between, a server has a failed handshake to log, at
 * every check.
 */
function hungUp(tls: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    tls.once('close', () => resolve());
    tls.destroySoon();
  });
}

/** The error listeners stay on both sockets: late errors must not end the process. */
function secured(tls: TLSSocket, socket: Socket): Promise<HandshakeResult> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({ ok: false, failure: handshakeFailure(error) });
    tls.on('error', fail);
    socket.on('error', fail);
    tls.once('close', () => resolve(failed('closed')));
    tls.once('secureConnect', () => {
      try {
        resolve(evidence(tls));
      } catch (error) {
        // Thrown out of an event handler it would end the process, for a certificate that a stranger made.
        reject(error);
      }
    });
  });
}

function evidence(tls: TLSSocket): HandshakeResult {
  const presentedChain: Uint8Array[] = [];
  // getPeerX509Certificate() links the certificates as they were sent; getPeerCertificate() sorts and completes them.
  let certificate = tls.getPeerX509Certificate();
  while (certificate !== undefined && presentedChain.length < MAX_CERTIFICATES) {
    const der = certificate.raw;
    if (der.length > MAX_CERTIFICATE_BYTES) break;
    presentedChain.push(der);
    certificate = certificate.issuerCertificate;
  }
  if (presentedChain.length === 0) return failed(certificate === undefined ? 'no_certificate' : 'too_large');
  const key = tls.getEphemeralKeyInfo();
  return {
    ok: true,
    evidence: {
      presentedChain,
      tlsVersion: tls.getProtocol() ?? '',
      cipher: tls.getCipher().name,
      group: key !== null && 'name' in key ? (key.name ?? null) : null,
      staple: null,
    },
  };
}

function failed(reason: HandshakeFailure['reason']): HandshakeResult {
  return { ok: false, failure: { reason, tlsAlert: null, detail: null, wantsLegacy: false } };
}
