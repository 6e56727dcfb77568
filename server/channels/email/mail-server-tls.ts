/** `localhost`, 127.0.0.0/8 and ::1, as a URL writes them. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** How the connection to one of the operator's own mail servers is encrypted. */
export interface MailServerTls {
  /** Whether TLS begins with the first byte (`smtps:`, `imaps:`). */
  secure: boolean;
  /** Whether to give up before sending the password or any mail if STARTTLS fails. */
  requiresStartTls: boolean;
  tls: { rejectUnauthorized: boolean };
}

/**
 * Returns how to encrypt the connection to a mail server. An attacker in between can remove the offer of STARTTLS (RFC 3207 §6), so it
 * is required unless the operator wrote `?tls=opportunistic`. On this machine neither STARTTLS nor a signed certificate is required.
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
