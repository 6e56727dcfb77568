/** Host names of this machine in a URL: `localhost`, 127.0.0.0/8 and ::1. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** TLS settings of the connection to one of the operator's own mail servers. */
export interface MailServerTls {
  /** Whether TLS begins with the first byte (`smtps:`, `imaps:`). */
  secure: boolean;
  /** Whether to give up before sending the password or any mail if STARTTLS fails. */
  requiresStartTls: boolean;
  tls: { rejectUnauthorized: boolean };
}

/**
 * Returns the TLS settings for a mail server. Requires STARTTLS, because an attacker can remove its offer (RFC 3207 §6), unless
 * the operator set `?tls=opportunistic`. A server on this machine needs neither STARTTLS nor a valid certificate.
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
