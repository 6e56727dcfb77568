import { TooManyBytes } from '../egress/index.ts';
import type { ReachFailure } from '../core/index.ts';

export interface HandshakeFailure {
  reason: ReachFailure;
  /** The number of the alert that the peer sent. */
  tlsAlert: number | null;
  detail: string | null;
  /** The peer wants something that only the legacy context offers. */
  wantsLegacy: boolean;
}

const PROTOCOL_VERSION_ALERT = 70;
/** handshake_failure, protocol_version, insufficient_security (RFC 8446 §6.2): no common version, cipher or key size. */
const LEGACY_ALERTS = [40, PROTOCOL_VERSION_ALERT, 71];

/** certificate_required, and what servers say instead: bad_certificate, handshake_failure (RFC 8446 §6.2). */
const CLIENT_CERTIFICATE_ALERTS = [116, 42, 40];

/** Whether this alert is what clients without a certificate get, from a server that has come as far as to ask for one. */
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

/** Names what ended a handshake. `detail` is OpenSSL's or the kernel's code, never text that the peer chose. */
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
  // The spelling of the codes of alerts changed between OpenSSL versions; the number at the end of the text did not.
  const alert = /SSL alert number (\d{1,3})/.exec(error.message)?.[1];
  if (alert !== undefined) {
    const tlsAlert = Number(alert);
    const reason = tlsAlert === PROTOCOL_VERSION_ALERT ? 'protocol_version' : 'tls_alert';
    return failure(reason, { tlsAlert, wantsLegacy: LEGACY_ALERTS.includes(tlsAlert) });
  }
  if (code === undefined) return failure('other');
  if (VERSION_CODES.includes(code)) return failure('protocol_version', { wantsLegacy: true });
  if (WEAKNESS_CODES.includes(code)) return failure('other', { wantsLegacy: true });
  // Node reports an orderly end before the handshake with the same code as a reset, but without a system call.
  if (code === 'ECONNRESET') return failure(error.syscall === undefined ? 'closed' : 'reset');
  return failure(REASONS[code] ?? 'other');
}
