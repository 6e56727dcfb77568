import { TooManyBytes } from '../egress/index.ts';
import type { ReachFailure } from '../core/index.ts';

export interface HandshakeFailure {
  reason: ReachFailure;
  /** The number of the TLS alert that the peer sent (RFC 8446 §6). */
  tlsAlert: number | null;
  detail: string | null;
  /** The peer may accept the legacy context (old versions, weak keys), so a second attempt is worthwhile. */
  wantsLegacy: boolean;
}

const PROTOCOL_VERSION_ALERT = 70;
/** handshake_failure, protocol_version, insufficient_security (RFC 8446 §6.2): no common version, cipher, key size. */
const LEGACY_ALERTS = [40, PROTOCOL_VERSION_ALERT, 71];

/** certificate_required, and what servers send instead: bad_certificate, handshake_failure (RFC 8446 §6.2). */
const CLIENT_CERTIFICATE_ALERTS = [116, 42, 40];

/** Returns whether a server that requests a client certificate may send this alert to clients without one. */
export function isForClientCertificate(tlsAlert: number | null): boolean {
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
  if (error instanceof TooManyBytes) return failure('too_large');
  // OpenSSL versions spell the alert codes differently; the number at the end of the message is the same in all.
  const alert = /SSL alert number (\d{1,3})/.exec(error.message)?.[1];
  if (alert !== undefined) {
    const tlsAlert = Number(alert);
    const reason = tlsAlert === PROTOCOL_VERSION_ALERT ? 'protocol_version' : 'tls_alert';
    return failure(reason, { tlsAlert, wantsLegacy: LEGACY_ALERTS.includes(tlsAlert) });
  }
  if (code === undefined) return failure('other');
  if (VERSION_CODES.includes(code)) return failure('protocol_version', { wantsLegacy: true });
  if (WEAKNESS_CODES.includes(code)) return failure('other', { wantsLegacy: true });
  // Node uses ECONNRESET also for an orderly close before the handshake, but sets no `syscall` then.
  if (code === 'ECONNRESET') return failure(error.syscall === undefined ? 'closed' : 'reset');
  return failure(REASONS[code] ?? 'other');
}
