import { isIP, type Socket } from 'node:net';
import { connect, type EphemeralKeyInfo, type SecureContext, type TLSSocket } from 'node:tls';
import { within } from '../egress/index.ts';
import { handshakeFailure, type HandshakeFailure, isForClientCertificate } from './handshake-failure.ts';

export interface HandshakeEvidence {
  /** DER as sent, leaf first, at most 32. */
  presentedChain: Uint8Array[];
  /** The server sent more certificates than were read. */
  chainCut?: true;
  tlsVersion: string;
  cipher: string;
  /** The key exchange group by its usual name; null where there is none (RSA key exchange). */
  group: string | null;
  /** DER of the OCSPResponse that came along; nothing waits for one. */
  staple: Uint8Array | null;
}

/**
 * `tls` is open; the caller closes it with `hangUp`. It is null if the server sent its certificate (TLS 1.2) and then closed the
 * connection because the client has none.
 */
export type HandshakeResult =
  { ok: true; evidence: HandshakeEvidence; tls: TLSSocket | null } | { ok: false; failure: HandshakeFailure };

export interface HandshakeOptions {
  /** A connected socket; it is destroyed where the handshake fails. */
  socket: Socket;
  /** A-labels, sent as SNI, or an IP address, which is not (RFC 6066 §3). */
  host: string;
  context: SecureContext;
  timeoutMs: number;
  signal: AbortSignal;
}

const MAX_CERTIFICATES = 32;
const MAX_CERTIFICATE_BYTES = 64 * 1024;
const MAX_STAPLE_BYTES = 64 * 1024;
const HANG_UP_MS = 1_000;

/** Shakes hands once and reads what the server showed. Verifies nothing: that is the judge's work. */
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
    requestOCSP: true,
  });
  let kept = false;
  try {
    const result = await within(secured(tls, socket), { ms: timeoutMs, signal }, failed('timeout'));
    kept = result.ok && result.tls !== null;
    return result;
  } finally {
    if (!kept) end(tls, socket);
  }
}

/**
 * Sends our Finished and a close_notify before the FIN. Cut off between, a server has a failed handshake to log, at
 * every check.
 */
export async function hangUp(tls: TLSSocket | null, signal: AbortSignal): Promise<void> {
  if (tls === null) return;
  const closed = new Promise<void>((resolve) => {
    tls.once('close', () => resolve());
    tls.destroySoon();
  });
  if (!tls.destroyed) await within(closed, { ms: HANG_UP_MS, signal }, undefined);
  tls.destroy();
}

function end(tls: TLSSocket, socket: Socket): void {
  tls.destroy();
  socket.destroy();
}

/** The error listeners stay on both sockets: late errors must not end the process. */
function secured(tls: TLSSocket, socket: Socket): Promise<HandshakeResult> {
  return new Promise((resolve, reject) => {
    let staple: Uint8Array | null = null;
    const settle = (read: () => HandshakeResult): void => {
      try {
        resolve(read());
      } catch (error) {
        // Thrown in an event handler, an error about a hostile certificate would end the process.
        reject(error);
      }
    };
    const fail = (error: NodeJS.ErrnoException): void =>
      settle(() => {
        const failure = handshakeFailure(error);
        // In TLS 1.2 the server sends its certificate before it asks for the client's.
        const isRefused =
          isForClientCertificate(failure.tlsAlert) && tls.getPeerX509Certificate() !== undefined;
        return isRefused ? evidence(tls, staple, null) : { ok: false, failure };
      });
    tls.on('error', fail);
    socket.on('error', fail);
    tls.once('close', () => {
      socket.destroy();
      resolve(failed('closed'));
    });
    // It comes with the server's certificate or not at all, in any case before the end of the handshake.
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
      // Cut, a giant one is what it deserves to be: one that cannot be read.
      staple: staple?.subarray(0, MAX_STAPLE_BYTES) ?? null,
    },
  };
}

function failed(reason: HandshakeFailure['reason']): HandshakeResult {
  return { ok: false, failure: { reason, tlsAlert: null, detail: null, wantsLegacy: false } };
}

/** OpenSSL's names of the curves that people know by NIST's. */
const NAMES: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** The group of a key exchange as people know it: X25519, P-256, X25519MLKEM768; null where there was none. */
function groupName(key: EphemeralKeyInfo | object | null): string | null {
  if (key === null) return null;
  if ('name' in key && typeof key.name === 'string') return NAMES[key.name] ?? key.name;
  // Finite fields have no name here: on TLS 1.3 they are those of RFC 7919, before it those and others.
  return 'size' in key && typeof key.size === 'number' ? `DH, ${key.size} bits` : null;
}

/** Safe against quantum computers: ML-KEM, alone or beside a classic group. */
export function isPostQuantum(group: string | null): boolean {
  return group?.includes('MLKEM') ?? false;
}
