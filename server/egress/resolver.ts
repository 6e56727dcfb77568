import type { SrvRecord } from 'node:dns';
import { parseAddress } from './address.ts';
import type { AddressPolicy } from './address-policy.ts';
import { type AddressAnswer, createDnsQueries, type SrvAnswer, systemLookup } from './dns-queries.ts';
import type { HostsFile } from './hosts-file.ts';
import { createNat64Discovery, DISCOVERY_NAME } from './nat64.ts';
import { type TimeLimit, withTimeout } from './with-timeout.ts';

/**
 * At most 20 permitted addresses in canonical text, IPv4 and IPv6 alternating, or why there are none. `leftOut`: number of refused
 * addresses, which are not listed because they may be internal.
 */
export type Resolution =
  | { ok: true; addresses: string[]; leftOut?: number }
  /** The host is an IP address or a local name that the policy does not permit, or it is not a valid host name. We make no query. */
  | { ok: false; stage: 'policy'; reason: 'address_refused'; detail: null }
  | Unresolved;
type Unresolved = { ok: false; stage: 'dns'; reason: DnsFailure; detail: string | null };

/** The addresses of a name that the policy permits, and those that it refuses. */
type Judged = Record<'permitted' | 'refused', readonly string[]>;

/**
 * Reasons why a DNS query failed. `name_not_found`: no permitted address; it does not say whether the name exists. `dns_refused`: the
 * name server responded REFUSED. `dns_failed`: any other failure, such as SERVFAIL, which name servers also send for bogus DNSSEC.
 */
type DnsFailure =
  | 'name_not_found'
  | NoFamily
  | 'dns_failed'
  | 'dns_timeout'
  | 'dns_refused'
  /** Failure of our own name servers: they respond to no query at all. */
  | 'resolver_silent';

/** The name has permitted addresses, but none of the family asked for. */
type NoFamily = 'no_ipv4_addresses' | 'no_ipv6_addresses';

export interface Resolver {
  /**
   * Resolves a host name; returns a permitted IP address unchanged. `family` keeps the addresses of one family; by default both
   * are kept. Never rejects because of a network failure. Returns `dns_timeout` if the signal aborts.
   */
  resolve(host: string, options: { signal: AbortSignal; family?: 4 | 6 | null }): Promise<Resolution>;
}

export interface ServerLookup {
  /**
   * Returns at most 10 SRV records (RFC 2782) with this name, those with the lowest priority first. None on NXDOMAIN or no data, for local
   * names that are not permitted, and if the hosts file has the domain. Never rejects because of a network failure.
   */
  servers(name: string, options: { signal: AbortSignal }): Promise<ServerResolution>;
}

/** `isDeclined`: the only record says that the domain does not have the service. */
export type ServerResolution =
  | { ok: true; records: ServerRecord[]; isDeclined: boolean }
  | { ok: false; reason: DnsFailure; detail: string };

/** An SRV record. `name`: a host name in lower case without a dot at the end; `port`: from 1 to 65,535. */
export type ServerRecord = Record<'priority' | 'weight' | 'port', number> & { name: string };

export interface Nat64Lookup {
  /**
   * Tells the address policy the NAT64 prefixes of our network, if any of the addresses may be in one. `resolve` does so by
   * itself. Never rejects.
   */
  learnNat64(addresses: readonly string[], options?: { signal: AbortSignal }): Promise<void>;
}

export interface ResolverOptions {
  /** Name servers as `ip`, `ip:port` or `[ip6]:port`; empty to use the system's name servers. */
  servers: readonly string[];
  policy: AddressPolicy;
  /** File whose names win over DNS. Default: none. */
  hostsFile?: HostsFile | null;
  /** Timeout of one lookup. Default: 5,000. */
  timeoutMs?: number;
}

const MAX_ADDRESSES = 20;
/** Fraction of a query's timeout after which we test whether the name servers respond at all. */
const ROOT_QUERY_AFTER = 0.5;
/**
 * Result if our name servers respond to no query, which says nothing about the queried name. node:dns does not use this
 * code.
 */
const SILENT = { ok: false, code: 'ESILENT' } as const;
const MAX_SERVERS = 10;
/** Maximum time that a lookup with an IPv6 address waits for the first discovery of our network's NAT64 prefixes. */
const NAT64_WAIT_MS = 2_000;
const NEVER = new AbortController().signal;
const TIMEOUT_MS = 5_000;
const REFUSED: Resolution = { ok: false, stage: 'policy', reason: 'address_refused', detail: null };
// A name that has only forbidden addresses gets the same answer as an unknown name, because our name servers may know internal names, which
// strangers must not find out.
const NOT_FOUND: Unresolved = { ok: false, stage: 'dns', reason: 'name_not_found', detail: null };

/**
 * Creates a resolver that looks up all addresses of a name and returns those that the policy permits. A name without a permitted address counts
 * as not found, and so does a local name if the policy refuses one of its addresses.
 */
export function createResolver({
  servers,
  policy,
  hostsFile = null,
  timeoutMs = TIMEOUT_MS,
}: ResolverOptions): Resolver & ServerLookup & Nat64Lookup {
  const queries = createDnsQueries(servers);
  // If local names are permitted, reserve 40 % of the timeout for the system resolver.
  const queryMs = policy.permitsLocalNames ? timeoutMs * 0.6 : timeoutMs;

  const listedAddresses = async (host: string, limit: TimeLimit): Promise<readonly string[]> =>
    hostsFile === null ? [] : withTimeout(hostsFile.addresses(host), limit, []);

  const judge = async (host: string, answer: AddressAnswer, signal: AbortSignal): Promise<Judged> => {
    const found = answer.ok ? [...new Set(answer.addresses)] : [];
    await learnNat64(found, { signal });
    return judgeAddresses(policy, host, found);
  };

  /**
   * Looks a name up. Which queries it makes depends on whether an address is permitted, but never on whether the name exists, so that the
   * time of the answer does not show whether it exists.
   */
  const lookUp = async (host: string, signal: AbortSignal): Promise<Judged | Unresolved> => {
    const limit = { ms: queryMs, signal };
    if (isLocalhost(host)) return judge(host, await systemLookup(host, limit), signal);
    const listed = await listedAddresses(host, limit);
    const inFile = await judge(host, { ok: true, addresses: [...listed] }, signal);
    if (inFile.permitted.length > 0) return inFile;
    const answer = await noticeSilence(queries, limit, async () =>
      merge(await Promise.all([queries.addresses(host, 4, limit), queries.addresses(host, 6, limit)])),
    );
    let found = await judge(host, answer, signal);
    // Fall back to the system resolver, because DNS queries over c-ares do not use /etc/hosts, search domains or mDNS.
    if (found.permitted.length === 0 && policy.permitsLocalNames && !signal.aborted)
      found = await judge(host, await systemLookup(host, { ms: timeoutMs - queryMs, signal }), signal);
    // The file wins over DNS, even if the policy refuses its addresses.
    if (listed.length > 0) return inFile;
    if (found.permitted.length > 0 || answer.ok) return found;
    const reason = failureOf(answer.code);
    return reason === 'name_not_found' ? found : { ok: false, stage: 'dns', reason, detail: answer.code };
  };

  const discoverNat64 = createNat64Discovery(
    () => queries.addresses(DISCOVERY_NAME, 6, { ms: timeoutMs, signal: NEVER }),
    (prefixes) => policy.setNat64Prefixes(prefixes),
  );
  const learnNat64: Nat64Lookup['learnNat64'] = (addresses, { signal } = { signal: NEVER }) =>
    discoverNat64(addresses, { ms: NAT64_WAIT_MS, signal });

  return {
    learnNat64,
    async resolve(host, { signal, family = null }) {
      await learnNat64([host], { signal });
      if (parseAddress(host) !== null)
        return policy.permits(host) ? keepFamily({ permitted: [host], refused: [] }, family) : REFUSED;
      if (!isHostName(host) || (policy.isLocalName(host) && !policy.permitsLocalNames)) return REFUSED;
      const found = await lookUp(host, signal);
      return 'ok' in found ? found : keepFamily(found, family);
    },
    async servers(name, { signal }) {
      const limit = { ms: queryMs, signal };
      // The name of the records begins with the labels of the service and of its transport.
      const host = name.split('.').slice(2).join('.');
      const isForbidden = policy.isLocalName(host) && !policy.permitsLocalNames;
      if (!isHostName(name) || isLocalhost(host) || isForbidden) return NO_SERVERS;
      if ((await listedAddresses(host, limit)).length > 0) return NO_SERVERS;
      const answer = await noticeSilence(queries, limit, () => queries.srv(name, limit));
      if (answer.ok) return readServers(answer.records);
      const reason = failureOf(answer.code);
      if (reason === 'name_not_found') return NO_SERVERS;
      return { ok: false, reason, detail: answer.code };
    },
  };
}

/** Runs a query, and returns `SILENT` if it times out while our name servers respond to no query at all. */
async function noticeSilence<Answer extends AddressAnswer | SrvAnswer>(
  queries: ReturnType<typeof createDnsQueries>,
  { ms, signal }: TimeLimit,
  query: () => Promise<Answer>,
): Promise<Answer | typeof SILENT> {
  const queriedAt = performance.now();
  // Query the root early enough that its response arrives before this query times out.
  const rootQueryTimer = setTimeout(() => {
    if (!queries.hasResponseSince(queriedAt)) queries.queryRoot();
  }, ms * ROOT_QUERY_AFTER);
  const answer = await query();
  clearTimeout(rootQueryTimer);
  const timedOut = !answer.ok && answer.code === 'ETIMEOUT' && !signal.aborted;
  return timedOut && !queries.hasResponseSince(queriedAt) ? SILENT : answer;
}

/** Returns the addresses of a name that may be probed. Of a local name, these are all or none. */
function judgeAddresses(policy: AddressPolicy, host: string, addresses: readonly string[]): Judged {
  const isLocal = policy.isLocalName(host);
  const permitted = addresses.filter((one) => (isLocal ? policy.opens(one) : policy.permits(one)));
  const refused = addresses.filter((one) => !permitted.includes(one));
  return isLocal && refused.length > 0 ? { permitted: [], refused: addresses } : { permitted, refused };
}

const NO_SERVERS: ServerResolution = { ok: true, records: [], isDeclined: false };

/** Leaves out records that name no host, such as the root, which stands for "not available" (RFC 2782). */
function readServers(records: readonly SrvRecord[]): ServerResolution {
  const named = records
    .map((record) => ({ ...record, name: record.name.toLowerCase().replace(/\.$/, '') }))
    .filter(({ name, port }) => isHostName(name) && port > 0)
    .toSorted((left, right) => left.priority - right.priority || right.weight - left.weight);
  return {
    ok: true,
    records: named.slice(0, MAX_SERVERS),
    isDeclined: records.length > 0 && named.length === 0,
  };
}

/** Merges A and AAAA results. One family suffices, because many name servers return an error for AAAA. */
function merge(answers: readonly [AddressAnswer, AddressAnswer]): AddressAnswer {
  const addresses = answers.flatMap((answer) => (answer.ok ? answer.addresses : []));
  if (addresses.length > 0) return { ok: true, addresses };
  const codes = answers.flatMap((answer) => (answer.ok ? [] : [answer.code]));
  // NXDOMAIN applies to the name for every type (RFC 8020). ENODATA applies only if the other query did not fail.
  const isNotFound = codes.includes('ENOTFOUND');
  return {
    ok: false,
    code: isNotFound ? 'ENOTFOUND' : (codes.find((code) => code !== 'ENODATA') ?? 'ENODATA'),
  };
}

function failureOf(code: string): DnsFailure {
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return 'name_not_found';
    case 'ETIMEOUT':
      return 'dns_timeout';
    case SILENT.code:
      return 'resolver_silent';
    case 'EREFUSED':
      return 'dns_refused';
    default:
      return 'dns_failed';
  }
}

/** Returns the result for the addresses of one family; null keeps both. */
function keepFamily({ permitted, refused }: Judged, family: 4 | 6 | null): Resolution {
  if (permitted.length === 0) return NOT_FOUND;
  const isKept = (address: string): boolean => family === null || address.includes(':') === (family === 6);
  const addresses = permitted.filter(isKept);
  if (family !== null && addresses.length === 0)
    return { ok: false, stage: 'dns', reason: `no_ipv${family}_addresses`, detail: null };
  const leftOut = refused.filter(isKept).length;
  return { ok: true, addresses: capped(addresses), ...(leftOut > 0 && { leftOut }) };
}

/** Returns up to 20 of the addresses, IPv4 and IPv6 alternating, so that both families are included. */
function capped(addresses: readonly string[]): string[] {
  const families = [false, true].map((isIpv6) =>
    addresses.filter((address) => address.includes(':') === isIpv6),
  );
  const longest = Math.max(...families.map((family) => family.length));
  const alternating = Array.from({ length: longest }, (_, index) =>
    families.flatMap((family) => family[index] ?? []),
  );
  return alternating.flat().slice(0, MAX_ADDRESSES);
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * Returns whether all labels are valid: at most 63 letters, digits, hyphens and underscores. Rejects a numeric last label,
 * because getaddrinfo may read such a name as an IPv4 address.
 */
function isHostName(host: string): boolean {
  const labels = host.split('.');
  const isNumeric = /^(?:\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? '');
  return (
    host.length <= 253 &&
    !isNumeric &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
  );
}
