import { keyTypeOf } from '../core/judge/clients/field-rules.ts';
import type { FailedObservation, HandshakeObservation, ReachFailure } from '../core/observation.ts';
import type { CheckedEndpoint } from '../core/target.ts';
import type { AddressPolicy } from '../egress/address-policy.ts';
import { TooManyBytesError } from '../egress/open-connection.ts';
import { withTimeout } from '../egress/with-timeout.ts';
import type { OwnNames } from './starttls/ehlo-name.ts';
import type { DialogueTiming } from './starttls/negotiate-tls.ts';
import type { Tls13Stream } from './tls13/tls13-stream.ts';
import { isIP, type Socket } from 'node:net';
import { connect, type EphemeralKeyInfo, type SecureContext, type TLSSocket } from 'node:tls';
import type { KeyType } from '../../contract/check-words.ts';
import { tryParseCertificate } from '../pki/certificate.ts';

/** One address of an endpoint, with the limits for connecting to it. */
export interface ConnectOptions {
  address: string;
  endpoint: CheckedEndpoint;
  /** Protocols to offer by ALPN. Default: those that clients of the endpoint's protocol offer. */
  alpn?: readonly string[];
  policy: AddressPolicy;
  /** How to introduce ourselves to mail servers. Default: with our address; behind NAT with a name that reveals nothing. */
  ownNames?: OwnNames | undefined;
  signal: AbortSignal;
  connectTimeoutMs: number;
  handshakeTimeoutMs: number;
  /** How long the dialogue before TLS may take. Default: the limits of the protocol. */
  dialogue?: DialogueTiming;
  /** Called for a connection whose dialogue or handshake failed, which servers may log and count. */
  onFailure?: (address: string) => void;
}

/**
 * Result of a connection attempt with TLS handshake. `tls` is as in `HandshakeResult`. The caller ends the connection with `close`,
 * which says goodbye as clients of the service do. It waits at most 1 s, and never rejects.
 */
export type ConnectResult =
  | {
      ok: true;
      evidence: HandshakeEvidence & Pick<HandshakeObservation, 'startTlsCode'>;
      tls: TLSSocket | null;
      close: () => Promise<void>;
    }
  | {
      ok: false;
      failure: Pick<FailedObservation, 'stage' | 'reason' | 'tlsAlert' | 'detail' | 'refusal' | 'scheme'>;
      /** True if the peer may accept the legacy context, as in `HandshakeFailure`. */
      wantsLegacy: boolean;
      /** True if the peer may speak TLS from the first byte instead of STARTTLS, as in `PlaintextSession`. */
      mayExpectTls: boolean;
    };

export interface HandshakeEvidence {
  /** Certificates (DER) as sent, leaf first, at most 256. */
  presentedChain: Uint8Array[];
  /** Set if the server sent more certificates than were read. */
  chainCut?: true;
  tlsVersion: string;
  cipher: string;
  /** Usual name of the key exchange group; null if there is none (RSA key exchange). */
  group: string | null;
  /** Protocol agreed by ALPN; null if none was offered, or the server chose none. */
  alpn: string | null;
  /** DER of the stapled OCSPResponse (RFC 6066 §8); null if the server sent none. */
  staple: Uint8Array | null;
}

/**
 * Result of a TLS handshake. `tls` is open; the caller closes it with `closeConnection`. It is null if a TLS 1.2 server sent
 * its certificate and then ended the handshake because the client sent none.
 */
export type HandshakeResult =
  { ok: true; evidence: HandshakeEvidence; tls: TLSSocket | null } | { ok: false; failure: HandshakeFailure };

export interface HandshakeOptions {
  /** A connected socket. A failed handshake destroys it. */
  socket: Socket;
  /** Host name in A-labels, which is sent as SNI, or an IP address, which is not (RFC 6066 §3); empty to send none. */
  host: string;
  context: SecureContext;
  /** Protocols to offer by ALPN (RFC 7301); empty to send no such extension. */
  alpn: readonly string[];
  timeoutMs: number;
  signal: AbortSignal;
}

/** The 100 kB that OpenSSL accepts hold about 200 certificates with ECDSA keys. */
const MAX_CERTIFICATES = 256;
const MAX_STAPLE_BYTES = 64 * 1024;
const CLOSE_TIMEOUT_MS = 1_000;

/** Performs one TLS handshake and returns what the server sent. Does not verify the chain; `judge` does that later. */
export async function handshake({
  socket,
  host,
  context,
  alpn,
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
    ...(alpn.length > 0 && { ALPNProtocols: [...alpn] }),
  });
  let kept = false;
  try {
    const result = await withTimeout(
      handshakeResult(tls, socket),
      { ms: timeoutMs, signal },
      failed('timeout'),
    );
    kept = result.ok && result.tls !== null;
    return result;
  } finally {
    if (!kept) destroyBoth(tls, socket);
  }
}

/**
 * Says `goodbye`, then closes the connection. On TLS sends our Finished and a close_notify before the FIN, because otherwise the
 * server logs a failed handshake at every check. Waits at most 1 s; a longer goodbye continues in the background.
 */
export async function closeConnection(
  socket: Socket | Tls13Stream | null,
  signal: AbortSignal,
  goodbye: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  if (socket === null) return;
  const limit = { ms: CLOSE_TIMEOUT_MS, signal };
  const close = async (): Promise<void> => {
    await goodbye();
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.destroySoon();
    });
    if (!socket.destroyed) await withTimeout(closed, limit, undefined);
    socket.destroy();
  };
  await withTimeout(close(), limit, undefined);
}

function destroyBoth(tls: TLSSocket, socket: Socket): void {
  tls.destroy();
  socket.destroy();
}

/**
 * Returns the result when the handshake ends. Keeps error listeners on both sockets, because an unhandled late
 * error would end the process.
 */
function handshakeResult(tls: TLSSocket, socket: Socket): Promise<HandshakeResult> {
  return new Promise((resolve, reject) => {
    let staple: Uint8Array | null = null;
    const finish = (read: () => HandshakeResult): void => {
      try {
        resolve(read());
      } catch (error) {
        // Reject instead of throwing: an error in this event handler, for example from a hostile
        // certificate, would end the process.
        reject(error);
      }
    };
    const fail = (error: NodeJS.ErrnoException): void =>
      finish(() => {
        const failure = handshakeFailure(error);
        // In TLS 1.2 the server sends its certificate before it requests one from the client.
        const isOnlyClientRefused =
          mayDemandClientCertificate(failure.tlsAlert) && tls.getPeerX509Certificate() !== undefined;
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
    tls.once('secureConnect', () => finish(() => evidence(tls, staple, tls)));
  });
}

function evidence(tls: TLSSocket, staple: Uint8Array | null, open: TLSSocket | null): HandshakeResult {
  const presentedChain: Uint8Array[] = [];
  // getPeerX509Certificate() links the certificates as they were sent; getPeerCertificate() sorts and completes them.
  let certificate = tls.getPeerX509Certificate();
  while (certificate !== undefined && presentedChain.length < MAX_CERTIFICATES) {
    presentedChain.push(certificate.raw);
    certificate = certificate.issuerCertificate;
  }
  if (presentedChain.length === 0) return failed('no_certificate');
  return {
    ok: true,
    tls: open,
    evidence: {
      presentedChain,
      ...(certificate !== undefined && { chainCut: true }),
      tlsVersion: tls.getProtocol() ?? '',
      cipher: tls.getCipher().name,
      group: groupName(tls.getEphemeralKeyInfo()),
      alpn: tls.alpnProtocol || null,
      // Truncate an oversized staple on purpose, so that it cannot be parsed.
      staple: staple?.subarray(0, MAX_STAPLE_BYTES) ?? null,
    },
  };
}

function failed(reason: HandshakeFailure['reason']): HandshakeResult {
  return { ok: false, failure: { reason, tlsAlert: null, detail: null, wantsLegacy: false } };
}

/** NIST names of curves by their OpenSSL names. */
const NAMES: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** Returns the usual name of a key exchange group, such as X25519, P-256 or X25519MLKEM768; null if there was none. */
function groupName(key: EphemeralKeyInfo | object | null): string | null {
  if (key === null) return null;
  if ('name' in key && typeof key.name === 'string') return NAMES[key.name] ?? key.name;
  // Node gives no name for finite-field groups. TLS 1.3 uses those of RFC 7919, older versions use arbitrary ones.
  return 'size' in key && typeof key.size === 'number' ? `DH, ${key.size} bits` : null;
}

/**
 * Returns whether some current clients do not offer the group. A separate rule reports such groups, so a server that needs one does not
 * count as one with outdated TLS.
 */
export function isRareGroup(group: string | null): boolean {
  return group !== null && !['X25519', 'P-256', 'P-384'].includes(group);
}

/** Returns whether the group resists quantum computers: ML-KEM, alone or in a hybrid with a classic group. */
export function isPostQuantum(group: string | null): boolean {
  return group?.includes('MLKEM') ?? false;
}

/** Returns the key type of a chain's leaf; null if it cannot be read, or if TLS has no signatures for its key. */
export function leafKeyType([leaf]: readonly Uint8Array[]): KeyType | null {
  const key = leaf === undefined ? undefined : tryParseCertificate(leaf)?.key;
  return key === undefined ? null : keyTypeOf(key);
}

export interface HandshakeFailure {
  reason: ReachFailure;
  /** Number of the TLS alert that the peer sent (RFC 8446 §6); null if it sent none. */
  tlsAlert: number | null;
  detail: string | null;
  /**
   * True if the peer may accept the legacy context (old versions, weak keys), so that a second attempt is worthwhile.
   */
  wantsLegacy: boolean;
}

const PROTOCOL_VERSION_ALERT = 70;
/**
 * Alerts for no common version, cipher or key size: handshake_failure, protocol_version,
 * insufficient_security (RFC 8446 §6.2).
 */
const LEGACY_ALERTS = [40, PROTOCOL_VERSION_ALERT, 71];

/**
 * Alerts for a missing client certificate: certificate_required, and bad_certificate and handshake_failure, which some servers send for the
 * same reason (RFC 8446 §6.2).
 */
const CLIENT_CERTIFICATE_ALERTS = [116, 42, 40];

/** Returns whether a server that requests a client certificate may send this alert to clients without one. */
export function mayDemandClientCertificate(tlsAlert: number | null): boolean {
  return tlsAlert !== null && CLIENT_CERTIFICATE_ALERTS.includes(tlsAlert);
}

const VERSION_CODES = [
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_WRONG_SSL_VERSION',
  'ERR_SSL_VERSION_TOO_LOW',
];
const WEAKNESS_CODES = [
  'ERR_SSL_DH_KEY_TOO_SMALL',
  'ERR_SSL_WRONG_SIGNATURE_TYPE',
  'ERR_SSL_NO_SUITABLE_SIGNATURE_ALGORITHM',
  'ERR_SSL_LEGACY_SIGALG_DISALLOWED_OR_UNSUPPORTED',
  'ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED',
];

const REASONS: Record<string, ReachFailure> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'not_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'not_tls',
  ERR_SSL_HTTP_REQUEST: 'not_tls',
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE: 'too_large',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unroutable',
  ENETUNREACH: 'unroutable',
};

/** The parts of OpenSSL that decode a certificate during a handshake. */
const DECODERS: readonly unknown[] = ['asn1 encoding routines', 'x509 certificate routines'];

/** Returns the part of OpenSSL that reports the error; undefined for other errors. */
function libraryOf(error: Error): unknown {
  return 'library' in error ? error.library : undefined;
}

/** Classifies a handshake error. `detail` is OpenSSL's or the kernel's code, never text that the peer chose. */
export function handshakeFailure(error: NodeJS.ErrnoException): HandshakeFailure {
  const { code } = error;
  const failure = (reason: ReachFailure, more: Partial<HandshakeFailure> = {}): HandshakeFailure => ({
    reason,
    tlsAlert: null,
    detail: code ?? null,
    wantsLegacy: false,
    ...more,
  });
  if (error instanceof TooManyBytesError) return failure('too_large');
  // OpenSSL versions spell the alert codes differently, but the number at the end of the message is always the same.
  const alert = /SSL alert number (\d{1,3})/.exec(error.message)?.[1];
  if (alert !== undefined) {
    const tlsAlert = Number(alert);
    const reason = tlsAlert === PROTOCOL_VERSION_ALERT ? 'protocol_version' : 'tls_alert';
    return failure(reason, { tlsAlert, wantsLegacy: LEGACY_ALERTS.includes(tlsAlert) });
  }
  if (code === undefined) return failure('other');
  if (DECODERS.includes(libraryOf(error))) return failure('unreadable_certificate');
  if (VERSION_CODES.includes(code)) return failure('protocol_version', { wantsLegacy: true });
  if (WEAKNESS_CODES.includes(code)) return failure('other', { wantsLegacy: true });
  // Node also reports an orderly close during the handshake as ECONNRESET, but then sets no `syscall`.
  if (code === 'ECONNRESET') return failure(error.syscall === undefined ? 'closed' : 'reset');
  return failure(REASONS[code] ?? 'other');
}
