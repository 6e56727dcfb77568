import type { DomainWire } from '../../../contract/domain.ts';

/** The few words that stand on a card; the panel has the server's whole sentence. */
const SHORT_LINES: Record<string, string> = {
  name_not_found: 'DNS: no such name',
  no_addresses: 'DNS: no address',
  dns_failed: 'DNS: the name servers failed',
  dns_timeout: 'DNS: no answer in time',
  dns_refused: 'DNS: the lookup was refused',
  resolver_silent: 'DNS: our own name server is silent',
  address_refused: 'Its address cannot be tracked here',
  refused: 'The connection was refused',
  reset: 'The connection was broken off',
  timeout: 'No answer in time',
  unroutable: 'No route leads there',
  no_route_here: 'IPv6 only, which is missing here',
  not_tls: 'The answer was not TLS',
  tls_alert: 'The TLS handshake failed',
  protocol_version: 'No usable TLS version',
  no_certificate: 'No certificate was shown',
  too_large: 'Too many certificates were sent',
  closed: 'The connection was closed early',
  wrong_protocol: 'The answer was in another protocol',
  starttls_refused: 'STARTTLS is not offered',
  starttls_injection: 'Plain text came after STARTTLS',
  not_examined: 'Examining it took too long',
};

/** 'DNS: no such name' */
export function shortReachLine({ reason, message }: NonNullable<DomainWire['unreachable']>): string {
  return SHORT_LINES[reason] ?? message;
}
