import type { ReachFailure, ReachStage } from '../observation.ts';

export const STAGE_WORDS: Record<ReachStage, string> = {
  policy: 'address policy',
  dns: 'DNS lookup',
  connect: 'TCP connection',
  starttls: 'STARTTLS',
  handshake: 'TLS handshake',
  examination: 'our check of the certificates',
};

/** The predicate of a sentence whose subject is a host or some of its addresses. */
export const PREDICATES: Record<ReachFailure, string> = {
  name_not_found: 'has no public address in DNS',
  no_addresses: 'has no address in DNS',
  no_ipv4_addresses: 'has no public IPv4 address, and only IPv4 is to be checked',
  no_ipv6_addresses: 'has no public IPv6 address, and only IPv6 is to be checked',
  dns_failed: 'could not be looked up: its name servers answered with an error',
  dns_timeout: 'could not be looked up: its name servers did not answer in time',
  dns_refused: 'could not be looked up: the name server refused to answer',
  resolver_silent: 'could not be looked up: our name server does not answer',
  service_declined: 'does not offer this service, as its SRV records say',
  address_refused: 'has an address that this server may not check',
  refused: 'refused the connection',
  reset: 'reset the connection',
  timeout: 'did not answer in time',
  greeting_timeout: 'accepted the connection but did not greet us within 60 seconds',
  slow_answers: 'answers slowly, and this check did not wait longer for it',
  unroutable: 'cannot be reached: there is no route to it',
  no_route_here: 'has only IPv6 or only IPv4 addresses, and our server has only the other',
  not_tls: 'answered, but not with TLS',
  tls_alert: 'ended the TLS handshake with an error',
  protocol_version: 'supports no TLS version that we can use',
  no_certificate: 'sent no certificate',
  unreadable_certificate: 'serves a certificate that cannot be read',
  too_large: 'sent more certificates than we accept',
  closed: 'closed the connection before sending a certificate',
  wrong_protocol: 'answered with another protocol',
  no_starttls: 'does not offer STARTTLS',
  server_refused: 'refused us now',
  client_blocked: 'has blocked our address after too many connection errors: FLUSH HOSTS unblocks it',
  expects_tls: 'expects TLS from the start',
  starttls_refused: 'does not offer STARTTLS',
  starttls_injection: 'sent plain text after agreeing to start TLS',
  not_examined: 'could not be checked: our check of its certificates took too long',
  other: 'could not be reached',
};

/** Returns the predicate of a sentence about a host, for example "did not answer in time". */
export function whatHappened(reason: ReachFailure): string {
  return PREDICATES[reason];
}

export function unreadableCertificate(host: string): string {
  return `${host} ${PREDICATES.unreadable_certificate}.`;
}
