import type { ProtocolName } from '../../../../contract/domain.ts';

/** How the host is spoken to, for people. */
export const PROTOCOL_TITLES: Record<ProtocolName, string> = {
  https: 'HTTPS',
  tls: 'TLS from the first byte',
  smtp: 'SMTP with STARTTLS',
  imap: 'IMAP with STARTTLS',
  pop3: 'POP3 with STARTTLS',
  ftp: 'FTP with AUTH TLS',
  nntp: 'NNTP with STARTTLS',
  sieve: 'ManageSieve with STARTTLS',
  xmpp: 'XMPP with STARTTLS',
  ldap: 'LDAP with STARTTLS',
  postgres: 'PostgreSQL with TLS',
  mysql: 'MySQL with TLS',
};
