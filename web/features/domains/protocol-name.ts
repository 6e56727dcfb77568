import type { DomainWire, ProtocolName } from '../../../contract/domain.ts';

const NAMES: Record<ProtocolName, string | null> = {
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

/** 'SMTP'; null for https, which goes without saying. */
export function protocolName({ protocol }: Pick<DomainWire, 'protocol'>): string | null {
  return NAMES[protocol];
}
