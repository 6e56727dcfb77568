/** Loopback hosts in a URL: `localhost`, 127.0.0.0/8 and ::1. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** TLS settings for a connection to the operator's SMTP or IMAP server. */
export interface MailServerTls {
  /** Whether TLS begins with the first byte (`smtps:`, `imaps:`). */
  secure: boolean;
  /** Whether to give up before sending the password or any mail if STARTTLS fails. */
  requiresStartTls: boolean;
  tls: { rejectUnauthorized: boolean };
}

/**
 * Requires STARTTLS, because an attacker could remove its offer (RFC 3207 §6), unless TLS begins with the first byte or the
 * operator set `?tls=opportunistic`. A server at a loopback host needs neither STARTTLS nor a valid certificate.
 */
export function mailServerTls({ protocol, hostname, searchParams }: URL): MailServerTls {
  const secure = protocol.endsWith('s:');
  const isLoopback = LOOPBACK.test(hostname);
  return {
    secure,
    requiresStartTls: !secure && !isLoopback && searchParams.get('tls') !== 'opportunistic',
    tls: { rejectUnauthorized: !isLoopback },
  };
}
