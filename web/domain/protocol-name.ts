import type { DomainWire } from '../../contract/domain.ts';
import type { Protocol } from '../../contract/words.ts';

const NAMES: Record<Protocol, string | null> = {
  https: null,
  tls: 'TLS',
  smtp: 'SMTP',
  imap: 'IMAP',
  pop3: 'POP3',
  ftp: 'FTP',
  nntp: 'NNTP',
  sieve: 'Sieve',
  xmpp: 'XMPP',
  ldap: 'LDAP',
  postgres: 'PostgreSQL',
  mysql: 'MySQL',
};

/** Returns 'SMTP'; null for https. */
export function protocolName({ protocol }: Pick<DomainWire, 'protocol'>): string | null {
  return NAMES[protocol];
}

/** Full protocol names, for the panel. */
export const PROTOCOL_TITLES: Record<Protocol, string> = {
  https: 'HTTPS',
  tls: 'Direct TLS',
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
