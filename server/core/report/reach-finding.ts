import type { DescribedFinding } from './describe-finding.ts';
import type { CheckedEndpoint } from '../target.ts';
import { displayName } from '../endpoint.ts';
import type { FindingCode } from '../finding.ts';
import { longInstant } from '../long-date.ts';
import type { ReachFailure, ReachStage } from '../observation.ts';
import { failureCommand, responseCommand } from './reproduce.ts';
import type { AddressVerdict, Failure, Verdict } from '../verdict.ts';

/**
 * A finding of a report. `unreachable`: no certificate was read; `down`: a certificate was read, but the service does not
 * work.
 */
export type ReportFinding = Omit<DescribedFinding, 'code'> & { code: FindingCode | 'unreachable' | 'down' };

/** The uptime of an endpoint when a report is written; instants in ms UTC. */
export interface ReportUptime {
  state: 'up' | 'down' | 'unknown' | null;
  downSince: number | null;
  /** Reason for the downtime, as a sentence; null if the endpoint is not down or the cause is unknown. */
  cause: string | null;
  /** Uptime over `windowDays` in percent; null if it is unknown, and for a single check. */
  percent: number | null;
  windowDays: number | null;
}

/**
 * Returns the first finding of a report if the endpoint was not reached, or if it was reached but is down for a known
 * cause; else null. `message` replaces the sentence about the failure.
 */
export function reachFinding(
  endpoint: CheckedEndpoint,
  { failure, addresses }: Pick<Verdict, 'failure' | 'addresses'>,
  uptime: ReportUptime,
  message: string | null = null,
): ReportFinding | null {
  const isDown = uptime.state === 'down';
  const since =
    uptime.downSince === null ? [] : [{ label: 'Down since', value: longInstant(uptime.downSince) }];
  const base = {
    severity: isDown ? ('critical' as const) : ('warning' as const),
    fingerprint: null,
    attachment: null,
    clients: [],
  };
  if (failure !== null)
    return {
      ...base,
      code: 'unreachable',
      message: message ?? failureSentence(failure, displayName(endpoint)),
      addresses: addresses.map(({ address }) => address),
      fix: fixOf(failure),
      command: failureCommand(endpoint, failure),
      evidence: [{ label: 'Failed at', value: STAGE_WORDS[failure.stage] }, ...since],
    };
  if (!isDown || uptime.cause === null) return null;
  return {
    ...base,
    code: 'down',
    message: uptime.cause,
    addresses: [],
    fix: 'Check the logs of the web server and of the application behind it, and restart what has stopped. The certificate is not the cause.',
    command: responseCommand(endpoint),
    evidence: since,
  };
}

export const STAGE_WORDS: Record<ReachStage, string> = {
  policy: 'address policy',
  dns: 'DNS lookup',
  connect: 'TCP connection',
  starttls: 'STARTTLS',
  handshake: 'TLS handshake',
  examination: 'our check of the certificates',
};

const FIX_DNS = 'Fix the domain’s name servers. If the domain is signed (DNSSEC), check its signatures too.';
const OUR_DNS = 'The host is not the cause. Fix the name server that this installation uses (DNS_SERVERS).';
const CERTIFICATE_MISSING =
  'Set the certificate, its chain and its key in the server’s configuration, and reload it.';
const OFFER_TLS = 'Enable TLS (STARTTLS) on this port, or correct the port or the protocol of this domain.';

/** One concrete thing to do for each reason why a host was not reached. */
const FIXES: Record<ReachFailure, string> = {
  name_not_found:
    'Correct the name, or create A and AAAA records for it in DNS. If the host is gone for good, remove it here.',
  no_addresses:
    'Create A and AAAA records for the name in DNS, or correct the name. If the host is gone for good, remove it here.',
  no_ipv4_addresses: 'Create an A record for the name in DNS, or check both address families.',
  no_ipv6_addresses: 'Create an AAAA record for the name in DNS, or check both address families.',
  dns_failed: FIX_DNS,
  dns_timeout: FIX_DNS,
  dns_refused: OUR_DNS,
  resolver_silent: OUR_DNS,
  address_refused:
    'Point the name to a public address. To check hosts of a private network, the operator must allow that network (EGRESS_ALLOW_CIDRS).',
  refused: 'Start the server, or correct the port: nothing is listening there.',
  reset:
    'Check the server’s logs and any firewall or proxy in front of it: something accepts the connection and then closes it.',
  timeout: 'Start the server, and allow connections to this port in its firewall.',
  unroutable: 'Point the name to an address on the internet, or fix the route to it.',
  no_route_here:
    'Set up IPv6 or IPv4 on this machine, whichever it lacks, or give the host addresses of both. The host itself may be fine.',
  not_tls: OFFER_TLS,
  tls_alert:
    'Configure the server for this name, with a certificate that covers it and the default TLS versions and ciphers.',
  protocol_version: 'Enable TLS 1.2 and 1.3 on the server, with their default ciphers.',
  no_certificate: CERTIFICATE_MISSING,
  unreadable_certificate:
    'Install the certificate file again. If that does not help, have the certificate reissued.',
  too_large: 'Send only the server’s certificate and its intermediates, not a whole list of authorities.',
  closed: CERTIFICATE_MISSING,
  wrong_protocol: 'Correct the port or the protocol of this domain: another service answers there.',
  starttls_refused: OFFER_TLS,
  starttls_injection:
    'Update the mail server or the proxy in front of it: attackers can inject commands before TLS starts (CVE-2011-0411).',
  not_examined:
    'The host itself may be fine. If this happens again, send only the server’s certificate and its intermediates.',
  other: 'Check whether the server is running, and check the network in front of it.',
};

const NO_APPLICATION_PROTOCOL = 120;

function fixOf({ reason, detail }: Failure): string {
  return detail?.kind === 'tls_alert' && detail.alert === NO_APPLICATION_PROTOCOL
    ? 'Have the server accept the protocols that clients offer by ALPN (browsers: h2 and http/1.1), or correct the port or the protocol of this domain.'
    : FIXES[reason];
}

/** The predicate of a sentence whose subject is a host or some of its addresses. */
const PREDICATES: Record<ReachFailure, string> = {
  name_not_found: 'does not exist in DNS',
  no_addresses: 'has no address in DNS',
  no_ipv4_addresses: 'has no IPv4 address, and only IPv4 is to be checked',
  no_ipv6_addresses: 'has no IPv6 address, and only IPv6 is to be checked',
  dns_failed: 'could not be looked up: its name servers answered with an error',
  dns_timeout: 'could not be looked up: its name servers did not answer in time',
  dns_refused: 'could not be looked up: the name server refused to answer',
  resolver_silent: 'could not be looked up: our name server does not answer',
  address_refused: 'has an address that this server may not check',
  refused: 'refused the connection',
  reset: 'reset the connection',
  timeout: 'did not answer in time',
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
  starttls_refused: 'does not offer STARTTLS',
  starttls_injection: 'sent plain text after agreeing to start TLS',
  not_examined: 'could not be checked: our check of its certificates took too long',
  other: 'could not be reached',
};
/** Returns the predicate of a sentence about a host, for example "did not answer in time". */
export function whatHappened(reason: ReachFailure): string {
  return PREDICATES[reason];
}

/** Returns what happened at one address that failed, for example "did not answer in time"; null if it answered. */
export function whatHappenedAt({
  family,
  failure,
}: Pick<AddressVerdict, 'family' | 'failure'>): string | null {
  if (failure?.reason === 'no_route_here') return `was not checked: our server has no IPv${family}`;
  return failure && whatHappened(failure.reason);
}

/** Returns a sentence on why no certificate was read. `host`: display name of the host. */
export function failureSentence({ reason, detail }: Failure, host: string): string {
  switch (detail?.kind) {
    case 'stored_words':
      return detail.message;
    case 'unreadable_certificate':
      return unreadableCertificate(host);
    case 'tls_alert':
      return `${host} ${alertPredicate(reason, detail.alert)} (TLS alert ${detail.alert}).`;
    default:
      return `${host} ${PREDICATES[reason]}.`;
  }
}

function alertPredicate(reason: ReachFailure, alert: number): string {
  const why = reason === 'tls_alert' ? TLS_ALERTS[alert] : undefined;
  return why === undefined ? PREDICATES[reason] : `ended the TLS handshake: ${why}`;
}

/** What servers say with the TLS alerts that they send during a handshake, by number (RFC 8446 §6.2). */
const TLS_ALERTS: Readonly<Record<number, string>> = {
  40: 'it accepts none of the versions, ciphers and key types that we offer',
  47: 'it finds a value in our request invalid',
  48: 'it does not know the authority of our certificate',
  49: 'it denies access',
  50: 'it cannot read our request',
  71: 'it requires stronger ciphers than we offer',
  80: 'it reports an internal error',
  109: 'it misses a TLS extension in our request',
  112: 'it does not know this name',
  116: 'it requires a client certificate',
  120: 'it supports none of the application protocols that we offer',
};

export function unreadableCertificate(host: string): string {
  return `${host} ${PREDICATES.unreadable_certificate}.`;
}
