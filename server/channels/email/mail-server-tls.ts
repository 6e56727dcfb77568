/** Loopback hosts in a URL: `localhost`, 127.0.0.0/8 and ::1. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** TLS settings for a connection to the operator's SMTP or IMAP server. */
export interface MailServerTls {
  /** Whether TLS begins with the first byte (`smtps:`, `imaps:`). */
  secure: boolean;
  /** Whether to give up if STARTTLS fails, before sending the password or any mail. */
  requiresStartTls: boolean;
  tls: { rejectUnauthorized: boolean };
}

/**
 * Requires STARTTLS, because an attacker could remove the server's offer (RFC 3207 §6). Exceptions: TLS begins with the first
 * byte, the operator set `?tls=opportunistic`, or the host is a loopback one, which needs no valid certificate either.
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
