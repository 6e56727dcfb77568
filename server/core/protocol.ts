/**
 * How an endpoint is spoken to before and after its TLS handshake. `https`: TLS at once, and one request afterwards;
 * `tls`: TLS at once, nothing more; the others start in plain text and change over (STARTTLS).
 */
export const PROTOCOLS = [
  'https',
  'tls',
  'smtp',
  'imap',
  'pop3',
  'ftp',
  'nntp',
  'sieve',
  'xmpp',
  'ldap',
  'postgres',
  'mysql',
] as const;
export type Protocol = (typeof PROTOCOLS)[number];
