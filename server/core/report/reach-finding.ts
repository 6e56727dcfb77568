import type { DescribedFinding, Described } from './describe-finding.ts';
import { displayName } from '../endpoint.ts';
import type { FindingCode } from '../finding.ts';
import { longInstant } from '../long-date.ts';
import type { ReachFailure, ReachStage } from '../observation.ts';
import { reproduceAnswer, reproduceFailure } from './reproduce.ts';
import type { Failure, Verdict } from '../verdict.ts';

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
 * Returns the first finding of a report if the endpoint was not reached, or if it was reached but is down; else null.
 * `message` replaces the sentence about the failure.
 */
export function reachFinding(
  endpoint: Described,
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
  };
  if (failure !== null)
    return {
      ...base,
      code: 'unreachable',
      message: message ?? failureSentence(failure, displayName(endpoint)),
      addresses: addresses.map(({ address }) => address),
      fix: FIXES[failure.reason],
      command: reproduceFailure(endpoint, failure),
      evidence: [{ label: 'Failed at', value: STAGE_WORDS[failure.stage] }, ...since],
    };
  if (!isDown || uptime.cause === null) return null;
  return {
    ...base,
    code: 'down',
    message: uptime.cause,
    addresses: [],
    fix: 'Look into the logs of the web server and of the application behind it, and start what has stopped. The certificate is not the cause.',
    command: reproduceAnswer(endpoint),
    evidence: since,
  };
}

const STAGE_WORDS: Record<ReachStage, string> = {
  policy: 'the addresses that may be asked',
  dns: 'the name (DNS)',
  connect: 'the connection (TCP)',
  starttls: 'the change to TLS (STARTTLS)',
  handshake: 'the TLS handshake',
  examination: 'our examination of what it sends',
};

const FIX_DNS = 'Mend the name servers of the domain; if it is signed (DNSSEC), look at its signatures too.';
const OUR_DNS = 'Nothing is known about the host: mend the name server that is used here (DNS_SERVERS).';
const CERTIFICATE_MISSING =
  'Name the certificate, its chain and its key in the settings of the server, and reload it.';
const OFFER_TLS = 'Switch TLS (STARTTLS) on at this port, or correct the port or the protocol of this entry.';

/** One concrete thing to do for each reason why a host was not reached. */
const FIXES: Record<ReachFailure, string> = {
  name_not_found:
    'Correct the name, or create its A and AAAA records in DNS. If the host is gone for good, stop watching it.',
  no_addresses:
    'Create A and AAAA records for the name in DNS, or correct the name. If the host is gone for good, stop watching it.',
  dns_failed: FIX_DNS,
  dns_timeout: FIX_DNS,
  dns_refused: OUR_DNS,
  resolver_silent: OUR_DNS,
  address_refused:
    'Let the name lead to a public address. Hosts of a network of one’s own are checked where the operator has opened that network (EGRESS_ALLOW_CIDRS).',
  refused: 'Start the server, or correct the port: nothing listens there.',
  reset:
    'Look into the logs of the server, and at what stands before it (firewall, proxy): it is reached, and hangs up.',
  timeout: 'Start the server, and let the firewall before it pass connections to this port.',
  unroutable: 'Let the name lead to an address that is on the internet, or mend the route to it.',
  no_route_here: 'Give this machine IPv6, or the host an IPv4 address: about the host nothing is known.',
  not_tls: OFFER_TLS,
  tls_alert:
    'Let the server answer to this name: give it a certificate for the name, and the TLS versions and ciphers that it comes with.',
  protocol_version: 'Let the server offer TLS 1.2 and 1.3, with the ciphers that it comes with.',
  no_certificate: CERTIFICATE_MISSING,
  too_large:
    'Let the server send its own certificate and the intermediates above it only, not a whole list of authorities.',
  closed: CERTIFICATE_MISSING,
  wrong_protocol: 'Correct the port or the protocol of this entry: another service answers there.',
  starttls_refused: OFFER_TLS,
  starttls_injection:
    'Update the mail server or the proxy before it: whoever sends text before the handshake can be made to pass on commands (CVE-2011-0411).',
  not_examined:
    'About the host nothing is known. If this lasts, let the server send its own certificate and the intermediates above it only.',
  other: 'Look at whether the server runs, and at the network before it.',
};

/** The predicate of a sentence whose subject is a host or some of its addresses. */
const PREDICATES: Record<ReachFailure, string> = {
  name_not_found: 'does not exist in DNS',
  no_addresses: 'has no address in DNS',
  dns_failed: 'could not be looked up: its name servers answered with an error',
  dns_timeout: 'could not be looked up: its name servers did not answer in time',
  dns_refused: 'could not be looked up: the name server refused to answer',
  resolver_silent: 'could not be looked up: the name server that is used here does not answer',
  address_refused: 'leads to an address that cannot be tracked here',
  refused: 'refused the connection',
  reset: 'broke off the connection',
  timeout: 'did not answer in time',
  unroutable: 'cannot be reached from here: no route leads to it',
  no_route_here: 'has IPv6 addresses only, and there is no IPv6 here',
  not_tls: 'answered, but not with TLS',
  tls_alert: 'ended the TLS handshake with an error',
  protocol_version: 'speaks no TLS version that can be used',
  no_certificate: 'showed no certificate',
  too_large: 'sent more certificates than can be accepted',
  closed: 'closed the connection before showing a certificate',
  wrong_protocol: 'answered in another protocol',
  starttls_refused: 'offers no change to TLS (STARTTLS)',
  starttls_injection: 'sent plain text after it had agreed to change to TLS',
  not_examined: 'could not be checked: examining it took too long and was ended',
  other: 'could not be reached',
};
/** Returns the predicate of a sentence about a host, for example "did not answer in time". */
export function whatHappened(reason: ReachFailure): string {
  return PREDICATES[reason];
}

/** Returns a sentence on why no certificate was read. `host`: display name of the host. */
export function failureSentence({ reason, detail }: Failure, host: string): string {
  switch (detail?.kind) {
    case 'stored_words':
      return detail.message;
    case 'unreadable_certificate':
      return unreadableCertificate(host);
    case 'tls_alert':
      return `${host} ${PREDICATES[reason]} (TLS alert ${detail.alert}).`;
    default:
      return `${host} ${PREDICATES[reason]}.`;
  }
}

export function unreadableCertificate(host: string): string {
  return `${host} shows a certificate that cannot be read.`;
}
