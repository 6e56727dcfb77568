import type { DomainWire } from '../../../../contract/domain.ts';

/** Short texts for cards; the panel shows the server's full message. */
const SHORT_LINES: Record<string, string> = {
  name_not_found: 'DNS: no public address',
  no_addresses: 'DNS: no address',
  dns_failed: 'DNS: the name servers failed',
  dns_timeout: 'DNS: timeout',
  dns_refused: 'DNS: the lookup was refused',
  resolver_silent: 'DNS: our own name server does not respond',
  service_declined: 'DNS: the service is not offered',
  address_refused: 'This address cannot be tracked here',
  refused: 'The connection was refused',
  reset: 'The connection was reset',
  timeout: 'Timeout',
  greeting_timeout: 'No greeting within 60 seconds',
  unroutable: 'No route to the host',
  no_route_here: 'This server lacks the host’s IP version',
  not_tls: 'The server did not answer with TLS',
  tls_alert: 'The TLS handshake failed',
  protocol_version: 'No usable TLS version',
  no_certificate: 'The server sent no certificate',
  unreadable_certificate: 'The certificate cannot be read',
  too_large: 'The server sent too many certificates',
  closed: 'The connection was closed early',
  wrong_protocol: 'The server answered in another protocol',
  no_starttls: 'STARTTLS is not offered',
  server_refused: 'The server refused us now',
  client_blocked: 'The server blocks our address',
  expects_tls: 'The port expects TLS',
  starttls_refused: 'STARTTLS is not offered',
  starttls_injection: 'Unencrypted data after STARTTLS',
  not_examined: 'The check took too long',
};

/** Returns 'DNS: no public address'. */
export function shortReachLine({ reason, message }: NonNullable<DomainWire['unreachable']>): string {
  return SHORT_LINES[reason] ?? message;
}
