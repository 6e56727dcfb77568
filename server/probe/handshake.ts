import { isIP, type Socket } from 'node:net';
import { connect, type EphemeralKeyInfo, type SecureContext, type TLSSocket } from 'node:tls';
import { within } from '../egress/index.ts';
import { handshakeFailure, type HandshakeFailure, isForClientCertificate } from './handshake-failure.ts';

export interface HandshakeEvidence {
  /** DER as sent, leaf first, at most 32. */
  presentedChain: Uint8Array[];
  /** Set if the server sent more certificates than were read. */
  chainCut?: true;
  tlsVersion: string;
  cipher: string;
  /** Common name of the key exchange group; null if there is none (RSA key exchange). */
  group: string | null;
  /** DER of the stapled OCSPResponse (RFC 6066 §8), if the server sent one. */
  staple: Uint8Array | null;
}

/**
 * `tls` is open; the caller closes it with `hangUp`. It is null if the server sent its certificate (TLS 1.2) and then
 * closed the connection because the client has none.
 */
export type HandshakeResult =
  { ok: true; evidence: HandshakeEvidence; tls: TLSSocket | null } | { ok: false; failure: HandshakeFailure };

export interface HandshakeOptions {
  /** A connected socket. A failed handshake destroys it. */
  socket: Socket;
  /** A-labels, which are sent as SNI, or an IP address, which is not (RFC 6066 §3). */
  host: string;
  context: SecureContext;
  timeoutMs: number;
  signal: AbortSignal;
}

const MAX_CERTIFICATES = 32;
const MAX_CERTIFICATE_BYTES = 64 * 1024;
const MAX_STAPLE_BYTES = 64 * 1024;
const HANG_UP_MS = 1_000;

/** Performs one TLS handshake and collects what the server sent. Verifies nothing; `judge` does that later. */
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
    // The product exists to find certificates that clients reject, so the handshake must not reject them.
    rejectUnauthorized: false,
    servername: isIP(host) === 0 ? host : '',
    requestOCSP: true,
  });
  let kept = false;
  try {
    const result = await within(handshakeResult(tls, socket), { ms: timeoutMs, signal }, failed('timeout'));
    kept = result.ok && result.tls !== null;
    return result;
  } finally {
    if (!kept) destroyBoth(tls, socket);
  }
}

/** Sends our Finished and a close_notify before the FIN. Otherwise the server logs a failed handshake per check. */
export async function hangUp(tls: TLSSocket | null, signal: AbortSignal): Promise<void> {
  if (tls === null) return;
  const closed = new Promise<void>((resolve) => {
    tls.once('close', () => resolve());
    tls.destroySoon();
  });
  if (!tls.destroyed) await within(closed, { ms: HANG_UP_MS, signal }, undefined);
  tls.destroy();
}

function destroyBoth(tls: TLSSocket, socket: Socket): void {
  tls.destroy();
  socket.destroy();
}

/** Resolves when the handshake ends. Keeps error listeners on both sockets: late errors must not end the process. */
function handshakeResult(tls: TLSSocket, socket: Socket): Promise<HandshakeResult> {
  return new Promise((resolve, reject) => {
    let staple: Uint8Array | null = null;
    const settle = (read: () => HandshakeResult): void => {
      try {
        resolve(read());
      } catch (error) {
        // An error thrown in this event handler, for example by a hostile certificate, would end the process.
        reject(error);
      }
    };
    const fail = (error: NodeJS.ErrnoException): void =>
      settle(() => {
        const failure = handshakeFailure(error);
        // In TLS 1.2 the server sends its certificate before it asks for the client's.
        const isOnlyClientRefused =
          isForClientCertificate(failure.tlsAlert) && tls.getPeerX509Certificate() !== undefined;
        return isOnlyClientRefused ? evidence(tls, staple, null) : { ok: false, failure };
      });
    tls.on('error', fail);
    socket.on('error', fail);
    tls.once('close', () => {
      socket.destroy();
      resolve(failed('closed'));
    });
    // A staple arrives with the server's certificate, always before the handshake ends.
    tls.once('OCSPResponse', (response: Buffer | null) => (staple = response));
    tls.once('secureConnect', () => settle(() => evidence(tls, staple, tls)));
  });
}

function evidence(tls: TLSSocket, staple: Uint8Array | null, open: TLSSocket | null): HandshakeResult {
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
  return {
    ok: true,
    tls: open,
    evidence: {
      presentedChain,
      ...(certificate !== undefined && { chainCut: true }),
      tlsVersion: tls.getProtocol() ?? '',
      cipher: tls.getCipher().name,
      group: groupName(tls.getEphemeralKeyInfo()),
      // An oversized staple is truncated, which makes it unreadable on purpose.
      staple: staple?.subarray(0, MAX_STAPLE_BYTES) ?? null,
    },
  };
}

function failed(reason: HandshakeFailure['reason']): HandshakeResult {
  return { ok: false, failure: { reason, tlsAlert: null, detail: null, wantsLegacy: false } };
}

/** NIST's names for the curves that OpenSSL names differently. */
const NAMES: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** Returns the common name of a key exchange group, such as X25519, P-256 or X25519MLKEM768; null if there was none. */
function groupName(key: EphemeralKeyInfo | object | null): string | null {
  if (key === null) return null;
  if ('name' in key && typeof key.name === 'string') return NAMES[key.name] ?? key.name;
  // Node gives no name for finite-field groups: those of RFC 7919 on TLS 1.3, arbitrary ones before.
  return 'size' in key && typeof key.size === 'number' ? `DH, ${key.size} bits` : null;
}

/** Returns whether the group resists quantum computers: ML-KEM, alone or in a hybrid with a classic group. */
export function isPostQuantum(group: string | null): boolean {
  return group?.includes('MLKEM') ?? false;
}
