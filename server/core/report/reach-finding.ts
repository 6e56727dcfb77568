import type { Client } from '../../../contract/check-words.ts';
import type { CheckedEndpoint } from '../target.ts';
import { displayName } from '../endpoint.ts';
import type { Finding, FindingCode, FindingWords } from '../finding.ts';
import { PROTOCOL_FINDINGS } from '../findings/protocol.ts';
import { isHttp2Outage } from '../judge/address-findings.ts';
import { longInstant } from '../long-date.ts';
import type { ReachFailure } from '../observation.ts';
import { countsAsDownAt, temporarilyRefusedSince } from '../telling-failure.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { failureCommand, responseCommand } from './reproduce.ts';
import { PREDICATES, STAGE_WORDS, unreadableCertificate, whatHappened } from './reach-words.ts';
import { schemeNamed } from '../protocol.ts';
import { endpointAt } from '../srv.ts';
import type { AddressVerdict, Failure, Verdict } from '../verdict.ts';

/** A finding in words. */
export type DescribedFinding = Omit<Finding, 'facts' | 'keyType' | 'shownTo' | 'clients'> &
  FindingWords & {
    /** The clients that refuse the endpoint because of the finding. */
    clients: readonly Client[];
  };

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
  { failure, addresses, findings }: Pick<Verdict, 'failure' | 'addresses' | 'findings'>,
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
      fix: isDown ? fixOf(failure, endpoint) : withDeadline(fixOf(failure, endpoint), failure),
      command: failureCommand(failedEndpoint(endpoint, failure, addresses), failure),
      evidence: [
        { label: 'Failed at', value: STAGE_WORDS[failure.stage] },
        ...replyEvidence(addresses),
        ...refusedEvidence(failure),
        ...since,
      ],
    };
  if (!isDown || uptime.cause === null) return null;
  const http2 = findings.find(isHttp2Outage);
  return {
    ...base,
    code: 'down',
    message: uptime.cause,
    addresses: [],
    fix: http2
      ? PROTOCOL_FINDINGS.http2_fault.fix
      : 'Check the logs of the web server and of the application behind it, and restart what has stopped. The certificate is not the cause.',
    command: responseCommand(endpoint),
    evidence: since,
  };
}

/** Returns each different reply of the addresses, with the addresses as labels if there are several. */
function replyEvidence(addresses: Verdict['addresses']): ReportFinding['evidence'] {
  const byReply = Map.groupBy(addresses, (seen) => replyAt(seen));
  return [...byReply].flatMap(([reply, at]) =>
    reply === null
      ? []
      : [
          {
            label: byReply.size === 1 ? 'Answer' : `Answer of ${at.map(({ address }) => address).join(', ')}`,
            value: reply,
          },
        ],
  );
}

/**
 * Returns the code and text with which an address refused us; null if it did not, or if they are withheld. For the owner's report
 * only: the text is what a stranger's server sent.
 */
export function replyAt({ failure }: Pick<AddressVerdict, 'failure'>): string | null {
  const { code = null, text = null } = failure?.reply ?? {};
  return [code, text].filter((part) => part !== null).join(' ') || null;
}

function refusedEvidence(failure: Failure): ReportFinding['evidence'] {
  const since = temporarilyRefusedSince(failure);
  return since === null ? [] : [{ label: 'Refused since', value: longInstant(since) }];
}

/**
 * Returns the endpoint for the command. If another scheme fits the port, the endpoint has the protocol of that scheme. Else, if DNS names
 * servers for the domain, its host is a server that failed for this reason.
 */
function failedEndpoint(
  endpoint: CheckedEndpoint,
  { stage, reason, detail }: Failure,
  addresses: Verdict['addresses'],
): CheckedEndpoint {
  const right = detail?.kind === 'other_scheme' ? schemeNamed(detail.scheme)?.protocol : undefined;
  if (right) return { ...endpoint, protocol: right };
  const server = addresses.find(
    (one) => one.failure?.stage === stage && one.failure.reason === reason,
  )?.server;
  return server === undefined ? endpoint : endpointAt(endpoint, server);
}

const FIX_DNS = 'Fix the domain’s name servers. If the domain is signed (DNSSEC), check its signatures too.';
const OUR_DNS = 'The host is not the cause. Fix the name server that this installation uses (DNS_SERVERS).';
const CERTIFICATE_MISSING =
  'Set the certificate, its chain and its key in the server’s configuration, and reload it.';
const TOO_SLOW =
  'The server accepts connections but answers too slowly. Check its load, its logs and any proxy in front of it.';
const OFFER_TLS = 'Enable TLS (STARTTLS) on this port, or correct the port or the protocol of this domain.';

/** One concrete thing to do for each reason why a host was not reached. */
const FIXES: Record<ReachFailure, string> = {
  name_not_found:
    'Correct the name, or create A and AAAA records with public addresses for it in DNS. If the host is gone for good, remove it here. To check hosts of a private network, the operator must allow that network (EGRESS_ALLOW_CIDRS).',
  no_addresses:
    'Create A and AAAA records for the name in DNS, or correct the name. If the host is gone for good, remove it here.',
  no_ipv4_addresses:
    'Create an A record with a public address for the name in DNS, or check both address families.',
  no_ipv6_addresses:
    'Create an AAAA record with a public address for the name in DNS, or check both address families.',
  dns_failed: FIX_DNS,
  dns_timeout: FIX_DNS,
  dns_refused: OUR_DNS,
  resolver_silent: OUR_DNS,
  service_declined:
    'Correct the SRV records of the domain: their target is a dot, or they name no host or no port. If the service is gone for good, remove it here.',
  address_refused:
    'Enter a public address. To check hosts of a private network, the operator must allow that network (EGRESS_ALLOW_CIDRS).',
  refused: 'Start the server, or correct the port: nothing is listening there.',
  reset:
    'Check the server’s logs and any firewall or proxy in front of it: something accepts the connection and then closes it.',
  timeout: 'Start the server, and allow connections to this port in its firewall.',
  greeting_timeout:
    'The server is running but greets too late. Check its load and its DNS lookups, and exempt this server’s address from any greet delay or tarpit.',
  slow_answers:
    'The server makes clients wait, as postscreen and tarpits do on purpose. Domains that you watch get up to a minute for the greeting.',
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
  no_starttls: OFFER_TLS,
  server_refused:
    'Find the reason in the server’s log: often a limit on connections, a blocklist, or a rule about client names and addresses. Allow this server’s address there.',
  client_blocked:
    'Run “mysqladmin flush-hosts” or the statement FLUSH HOSTS on the database server; MySQL 8.4 and later: TRUNCATE TABLE performance_schema.host_cache. Then find out what caused the connection errors (max_connect_errors).',
  expects_tls: 'Use the scheme for direct TLS.',
  starttls_refused: OFFER_TLS,
  starttls_injection:
    'Update the mail server or the proxy in front of it: attackers can inject commands before TLS starts (CVE-2011-0411).',
  not_examined:
    'The host itself may be fine. If this happens again, send only the server’s certificate and its intermediates.',
  other: 'Check whether the server is running, and check the network in front of it.',
};

const NO_APPLICATION_PROTOCOL = 120;

const HOST_UNKNOWN =
  'Configure the XMPP server for this domain, or correct the name to verify of this domain.';

/** More precise advice for some codes of refusals, by protocol. */
const REFUSAL_FIXES: Partial<Record<Protocol, Readonly<Record<string, string>>>> = {
  mysql: {
    '1040': 'Raise max_connections on the database server, or find out which clients keep connections open.',
    '1130':
      'Create an account on the database server whose host part matches this server’s address. It needs no privileges.',
  },
  postgres: {
    '53300': 'Raise max_connections on the database server, or find out which clients keep connections open.',
  },
  xmpp: {
    'host-unknown': HOST_UNKNOWN,
    'invalid-namespace':
      'This port may be for other servers: use xmpp-server:// with the same host and port.',
  },
  'xmpp-server': {
    'host-unknown': HOST_UNKNOWN,
    'invalid-namespace': 'This port may be for clients: use xmpp:// with the same host and port.',
  },
};

function fixOf({ stage, reason, detail }: Failure, { protocol }: CheckedEndpoint): string {
  // Servers also close connections like this because of connection limits or address rules, so advise as for a reset connection.
  if (reason === 'closed' && stage === 'starttls') return FIXES.reset;
  if (reason === 'timeout' && stage !== 'connect') return TOO_SLOW;
  if (detail?.kind === 'other_scheme')
    return `This port ${reason === 'expects_tls' ? 'expects TLS' : 'starts in plain text'}: use ${detail.scheme}:// with the same host and port.`;
  if (detail?.kind === 'tls_alert' && detail.alert === NO_APPLICATION_PROTOCOL)
    return 'Have the server accept the protocols that clients offer by ALPN (browsers: h2 and http/1.1), or correct the port or the protocol of this domain.';
  if (detail?.kind !== 'refusal') return FIXES[reason];
  return REFUSAL_FIXES[protocol]?.[detail.code ?? ''] ?? FIXES[reason];
}

function withDeadline(fix: string, failure: Failure): string {
  const downAt = countsAsDownAt(failure);
  return downAt === null
    ? fix
    : `${fix} The uptime is unknown until ${longInstant(downAt)}. If the server still refuses us then, the domain counts as down.`;
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
    case 'refusal':
      return `${host} ${PREDICATES[reason]}${reason === 'server_refused' && detail.code !== null ? `: it answered ${detail.code}` : ''}.`;
    case 'other_scheme':
      return `${host} ${reason === 'expects_tls' ? PREDICATES[reason] : 'starts in plain text'}: use ${detail.scheme}://.`;
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
