import type { Endpoint } from '../endpoint.ts';
import { reproduceAnswer, reproduceFailure } from '../judge/reproduce.ts';
import { longInstant } from '../long-date.ts';
import type { ReachFailure, ReachStage } from '../observation.ts';
import type { Finding, FindingCode, Verdict } from '../verdict.ts';

/** A finding of a report. `unreachable`: no certificate was read; `down`: one was, but what answers there does not work. */
export type ReportFinding = Omit<Finding, 'code'> & { code: FindingCode | 'unreachable' | 'down' };

/** What is known of an endpoint's uptime when a report is written; instants in ms UTC. */
export interface ReportUptime {
  state: 'up' | 'down' | 'unknown' | null;
  downSince: number | null;
  /** Why it is down, as a sentence; null where it is not, or nobody knows. */
  cause: string | null;
  /** Over `windowDays`; null where nothing is known, and for a single check. */
  percent: number | null;
  windowDays: number | null;
}

/**
 * What keeps people from an endpoint, as the first of a report's findings: that it was not reached, or that it is down
 * although it was. Null where neither is so. `message`: what is said of a failure, where that is not the verdict's own sentence.
 */
export function reachFinding(
  endpoint: Pick<Endpoint, 'host' | 'port' | 'protocol'>,
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
      message: message ?? failure.message,
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

const MEND_DNS = 'Mend the name servers of the domain; if it is signed (DNSSEC), look at its signatures too.';
const OUR_DNS = 'Nothing is known about the host: mend the name server that is used here (DNS_SERVERS).';
const CERTIFICATE_MISSING =
  'Name the certificate, its chain and its key in the settings of the server, and reload it.';
const OFFER_TLS = 'Switch TLS (STARTTLS) on at this port, or correct the port or the protocol of this entry.';

/** One concrete thing to do about a host that was not reached. */
const FIXES: Record<ReachFailure, string> = {
  name_not_found:
    'Correct the name, or create its A and AAAA records in DNS. If the host is gone for good, stop watching it.',
  no_addresses:
    'Create A and AAAA records for the name in DNS, or correct the name. If the host is gone for good, stop watching it.',
  dns_failed: MEND_DNS,
  dns_timeout: MEND_DNS,
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
