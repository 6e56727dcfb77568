/** `localhost`, 127.0.0.0/8 and ::1, as a URL writes them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** How the connection to one of the operator's own mail servers is encrypted. */
export interface MailServerTls {
  /** Whether TLS begins with the first byte (`smtps:`, `imaps:`). */
  secure: boolean;
  /** Whether the connection is given up, before the password and any mail, unless STARTTLS encrypts it. */
  requiresStartTls: boolean;
  tls: { rejectUnauthorized: boolean };
}

/**
 * Returns how to encrypt the connection to a mail server. Whoever stands between us and the server can remove its offer of STARTTLS
 * (RFC 3207 §6), so it is required unless the operator wrote `?tls=opportunistic`. What goes to this very machine does not pass
 * anybody: there STARTTLS is optional, and so is a certificate that somebody signed.
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
