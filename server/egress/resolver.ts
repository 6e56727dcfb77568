import { parseAddress } from './address.ts';
import type { AddressPolicy } from './address-policy.ts';
import { createDnsQueries, systemLookup } from './dns-queries.ts';
import type { Answer, CaaRecord } from './dns-queries.ts';

/** Permitted addresses in canonical text, at most 20, IPv4 and IPv6 alternating; or why there are none. */
export type Resolution =
  | { ok: true; addresses: string[] }
  | { ok: false; stage: 'policy'; reason: 'address_refused'; detail: null }
  | { ok: false; stage: 'dns'; reason: DnsFailure; detail: string | null };

/** `dns_refused`: the name server would not answer us. `dns_failed` includes SERVFAIL, thus also bogus DNSSEC. */
type DnsFailure =
  | 'name_not_found'
  | 'no_addresses'
  | 'dns_failed'
  | 'dns_timeout'
  | 'dns_refused'
  /** Our own name servers answer nobody. */
  | 'resolver_silent';

export interface Resolver {
  /** Never rejects for what the network answers; an aborted signal ends it as `dns_timeout`. */
  resolve(host: string, options: { signal: AbortSignal }): Promise<Resolution>;
}

export interface CaaLookup {
  /** The CAA records at exactly this name, at most 50; none where the name or the type does not exist. Never rejects. */
  caa(name: string, options: { signal: AbortSignal }): Promise<CaaResolution>;
}

export type CaaResolution = { ok: true; records: CaaRecord[] } | { ok: false; reason: DnsFailure };

export interface ResolverOptions {
  /** `ip`, `ip:port` or `[ip6]:port`; empty for those of the machine. */
  servers: readonly string[];
  policy: AddressPolicy;
  timeoutMs?: number;
}

const MAX_ADDRESSES = 20;
/** The part of its time after which a question makes us ask whether the name servers answer anything. */
const DOUBTFUL_AFTER = 0.5;
/** No code of node:dns: our own name servers answered nothing at all, which says nothing about the name. */
const SILENT = { ok: false, code: 'ESILENT' } as const;
const MAX_CAA_RECORDS = 50;
const TIMEOUT_MS = 5_000;
// Says nothing about what is behind the name: who asks may be looking around in our network.
const REFUSED: Resolution = { ok: false, stage: 'policy', reason: 'address_refused', detail: null };

/** Looks up every address of a name and refuses the name when the policy refuses any of them. */
export function createResolver({
  servers,
  policy,
  timeoutMs = TIMEOUT_MS,
}: ResolverOptions): Resolver & CaaLookup {
  const queries = createDnsQueries(servers);
  // Where local names may be meant, part of the time belongs to the machine's own resolver.
  const queryMs = policy.permitsLocalNames ? timeoutMs * 0.6 : timeoutMs;

  const ask = async (host: string, signal: AbortSignal): Promise<Answer> => {
    const limit = { ms: queryMs, signal };
    if (isLocalhost(host)) return systemLookup(host, limit);
    const askedAt = performance.now();
    // In time for its answer to come before the limit of this question.
    const doubt = setTimeout(() => {
      if (!queries.heardSince(askedAt)) queries.askForRoot();
    }, queryMs * DOUBTFUL_AFTER);
    const merged = merge(
      await Promise.all([queries.addresses(host, 4, limit), queries.addresses(host, 6, limit)]),
    );
    clearTimeout(doubt);
    const isLate = !merged.ok && merged.code === 'ETIMEOUT' && !signal.aborted;
    const answer: Answer = isLate && !queries.heardSince(askedAt) ? SILENT : merged;
    if (answer.ok || !policy.permitsLocalNames || signal.aborted) return answer;
    // c-ares knows neither /etc/hosts nor search domains nor mDNS.
    const found = await systemLookup(host, { ms: timeoutMs - queryMs, signal });
    return found.ok ? found : answer;
  };

  return {
    async resolve(host, { signal }) {
      if (parseAddress(host) !== null)
        return policy.permits(host) ? { ok: true, addresses: [host] } : REFUSED;
      const isLocal = policy.refusedName(host);
      if (!isHostName(host) || (isLocal && !policy.permitsLocalNames)) return REFUSED;
      const answer = await ask(host, signal);
      if (!answer.ok) return { ok: false, stage: 'dns', reason: failureOf(answer.code), detail: answer.code };
      if (answer.addresses.length === 0)
        return { ok: false, stage: 'dns', reason: 'no_addresses', detail: null };
      const isAllowed = (address: string): boolean =>
        isLocal ? policy.opens(address) : policy.permits(address);
      return answer.addresses.every(isAllowed) ? { ok: true, addresses: capped(answer.addresses) } : REFUSED;
    },
    async caa(name, { signal }) {
      // Nobody issues publicly for such names, and the name servers of others need not hear of them.
      if (parseAddress(name) !== null || !isHostName(name) || policy.refusedName(name))
        return { ok: true, records: [] };
      const answer = await queries.caa(name, { ms: timeoutMs, signal });
      if (answer.ok) return { ok: true, records: answer.records.slice(0, MAX_CAA_RECORDS) };
      const reason = failureOf(answer.code);
      if (reason === 'name_not_found' || reason === 'no_addresses') return { ok: true, records: [] };
      return { ok: false, reason };
    },
  };
}

/** One family's addresses are enough; many name servers answer AAAA with an error. */
function merge(answers: readonly [Answer, Answer]): Answer {
  const addresses = answers.flatMap((answer) => (answer.ok ? answer.addresses : []));
  if (addresses.length > 0) return { ok: true, addresses };
  const codes = answers.flatMap((answer) => (answer.ok ? [] : [answer.code]));
  // NXDOMAIN is about the name, whatever the type (RFC 8020); "no data" only matters when nothing went wrong.
  const isNotFound = codes.includes('ENOTFOUND');
  return {
    ok: false,
    code: isNotFound ? 'ENOTFOUND' : (codes.find((code) => code !== 'ENODATA') ?? 'ENODATA'),
  };
}

function failureOf(code: string): DnsFailure {
  switch (code) {
    case 'ENOTFOUND':
      return 'name_not_found';
    case 'ENODATA':
      return 'no_addresses';
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

/** Distinct addresses; both families are represented among the first 20. */
function capped(addresses: readonly string[]): string[] {
  const families = [false, true].map((isIpv6) =>
    addresses.filter((address) => address.includes(':') === isIpv6),
  );
  const longest = Math.max(...families.map((family) => family.length));
  const alternating = Array.from({ length: longest }, (_, index) =>
    families.flatMap((family) => family[index] ?? []),
  );
  return [...new Set(alternating.flat())].slice(0, MAX_ADDRESSES);
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/** Letters, digits, hyphens and underscores. A numeric last label would be an IPv4 address to the system's resolver. */
function isHostName(host: string): boolean {
  const labels = host.split('.');
  const isNumeric = /^(?:\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? '');
  return (
    host.length <= 253 &&
    !isNumeric &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
  );
}
