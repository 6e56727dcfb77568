import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import type {
  CaaStep,
  DnsAnswer,
  ForecastEvidence,
  HttpChallenge,
  NameEvidence,
} from '../../core/forecast/evidence.ts';
import type { AddressPolicy } from '../../egress/address-policy.ts';
import type { DnsType } from '../../egress/dns/dns-message.ts';
import { climbCaa, type DnsReader } from '../../egress/dns/dns-reader.ts';
import type { Nat64Lookup, Resolver } from '../../egress/resolver.ts';
import { createSemaphore } from '../../egress/with-timeout.ts';
import { askHttpChallenge, type HttpChallengeOptions } from './http-challenge.ts';

export interface ForecastSource {
  /**
   * Collects the evidence for whether a CA will issue a certificate for these names again. `watchedHosts`: hosts of the account, which are asked
   * over HTTP if the certificate names them. Does not ask about IP addresses and local names. Never rejects because of a network failure.
   */
  gather(request: GatherRequest): Promise<ForecastEvidence>;
}

export interface GatherRequest {
  /** The names of the certificate. */
  names: readonly string[];
  watchedHosts: readonly string[];
  /** Time of the evidence, ms UTC. */
  now: number;
  signal: AbortSignal;
}

export interface ForecastSourceOptions extends Pick<
  HttpChallengeOptions,
  'policy' | 'reach' | 'ports' | 'limits'
> {
  reader: DnsReader;
  resolver: Resolver & Nat64Lookup;
}

const MAX_NAMES = 100;
const MAX_HOSTS = 20;
/** Maximum number of IPv4 addresses, and of IPv6 addresses, of a host that are asked over HTTP. */
const MAX_ADDRESSES = 4;
/**
 * Maximum number of names, or hosts, of one certificate that are asked at the same time. With fewer, 100 names of a zone with silent servers would
 * exceed the time limit of a forecast.
 */
const CONCURRENCY = 16;
const NOT_ASKED = { outcome: 'no_answer', why: 'not_asked' } as const;

/** Creates a source that asks DNS through `reader`, and port 80 of watched hosts. */
export function createForecastSource(options: ForecastSourceOptions): ForecastSource {
  return {
    async gather({ names, watchedHosts, now, signal }) {
      const asked = askable(names, options.policy);
      const watched = new Set(watchedHosts.map((host) => host.toLowerCase()));
      const ask = askerOf(options.reader, signal);
      const limited = createSemaphore(CONCURRENCY);
      const [found, resolverValidates] = await Promise.all([
        Promise.all(
          asked.slice(0, MAX_NAMES).map((name) =>
            limited(async () => {
              const evidence = await readName(name, { ask, isWatched: watched.has(name) });
              return permittedOnly(evidence, options, signal);
            }),
          ),
        ),
        options.reader.validates(signal),
      ]);
      const hosts = found.filter(({ name }) => watched.has(name)).slice(0, MAX_HOSTS);
      const http = await Promise.all(
        hosts.map((host) => limited(() => askHost(host, { ...options, signal }))),
      );
      return {
        at: now,
        names: found,
        unread: Math.max(0, asked.length - MAX_NAMES),
        http: http.filter(({ results }) => results.length > 0),
        resolverValidates,
      };
    },
  };
}

/** Returns the distinct names that may be asked for in DNS, in lower case. */
function askable(names: readonly string[], policy: AddressPolicy): string[] {
  const lower = names.map((name) => name.toLowerCase().replace(/\.$/, ''));
  return [...new Set(lower)].filter((name) => isIP(name) === 0 && !policy.isLocalName(baseOf(name)));
}

/** Returns a name of a certificate without the label of a wildcard. */
const baseOf = (name: string): string => name.replace(/^\*\./, '');

type Asker = ReturnType<typeof askerOf>;

const askerOf =
  (reader: DnsReader, signal: AbortSignal) =>
  <Type extends DnsType>(name: string, type: Type) =>
    reader.query(name, type, { signal });

async function readName(
  name: string,
  { ask, isWatched }: { ask: Asker; isWatched: boolean },
): Promise<NameEvidence> {
  const base = baseOf(name);
  const caa = await climbCaa(base, (domain) => ask(domain, 'CAA'));
  const zone = await zoneOf(base, caa, ask);
  const own = caa[0]?.answer;
  const ipv4 = name === base || own?.outcome === 'no_name' ? await ask(base, 'A') : NOT_ASKED;
  // NXDOMAIN is for every type, but some old name servers give it for types that they do not know (RFC 4074 §4.2).
  if (own?.outcome === 'no_name' && ipv4.outcome === 'no_name') {
    // NXDOMAIN also covers all names below (RFC 8020). After aliases it is about their target.
    const below = own.aliases.length === 0 ? own : null;
    return { name, caa, zone, ipv4: own, ipv6: own, ...(await readTexts(base, ask, below)) };
  }
  if (name !== base)
    return { name, caa, zone, ipv4: NOT_ASKED, ipv6: NOT_ASKED, ...(await readTexts(base, ask, null)) };
  // If the name servers gave no answer twice, more questions would only take time.
  const isSilent = own?.outcome === 'no_answer' && ipv4.outcome === 'no_answer';
  const needsIpv6 = isWatched || ipv4.outcome !== 'records';
  const [ipv6, texts] = await Promise.all([
    isSilent ? ipv4 : needsIpv6 ? ask(base, 'AAAA') : NOT_ASKED,
    readTexts(base, ask, isSilent ? ipv4 : null),
  ]);
  return { name, caa, zone, ipv4, ipv6, ...texts };
}

/** Returns the evidence for dns-01 and dns-persist-01. `known`: the answer, if another answer implies it. */
async function readTexts(
  base: string,
  ask: Asker,
  known: Exclude<DnsAnswer<string>, { outcome: 'records' }> | null,
): Promise<Pick<NameEvidence, 'challenge' | 'challengeZone' | 'persist'>> {
  if (known !== null) return { challenge: known, challengeZone: 'exists', persist: known };
  const [challenge, persist] = await Promise.all([
    ask(`_acme-challenge.${base}`, 'TXT'),
    ask(`_validation-persist.${base}`, 'TXT'),
  ]);
  return { challenge, challengeZone: await targetZone(challenge, ask), persist };
}

/** Returns whether the zone that the aliases of an answer lead to exists. Asks only if the target does not exist. */
async function targetZone(answer: DnsAnswer<string>, ask: Asker): Promise<NameEvidence['challengeZone']> {
  if (answer.outcome !== 'no_name') return 'exists';
  const registered = registeredDomain(answer.aliases.at(-1) ?? '');
  if (registered === null) return answer.aliases.length === 0 ? 'exists' : 'not_known';
  return existence(await ask(registered, 'SOA'));
}

/** Returns whether the registered domain of a name exists, by the CAA answers. Asks for the SOA record before it calls the domain gone. */
async function zoneOf(name: string, caa: readonly CaaStep[], ask: Asker): Promise<NameEvidence['zone']> {
  const registered = registeredDomain(name);
  const last = caa.find(({ domain }) => domain === registered) ?? caa.at(-1);
  const zone = existence(last?.answer);
  return zone === 'gone' && last !== undefined ? existence(await ask(last.domain, 'SOA')) : zone;
}

const registeredDomain = (name: string): string | null => getDomain(name);

/** Returns whether a name exists in DNS. A name with an alias exists, even if its target does not. */
function existence(answer: DnsAnswer<unknown> | undefined): NameEvidence['zone'] {
  if (answer === undefined || answer.outcome === 'no_answer') return 'not_known';
  return answer.outcome === 'no_name' && answer.aliases.length === 0 ? 'gone' : 'exists';
}

/**
 * Leaves out addresses that the policy refuses: our name servers may know internal names, whose addresses strangers must not see. An answer whose
 * addresses are all left out still has the outcome `records`, because the name exists and may be validated by DNS.
 */
async function permittedOnly(
  evidence: NameEvidence,
  { policy, resolver }: ForecastSourceOptions,
  signal: AbortSignal,
): Promise<NameEvidence> {
  const { ipv4, ipv6 } = evidence;
  await resolver.learnNat64(addressesOf(evidence), { signal });
  const judged = (answer: DnsAnswer<string>): DnsAnswer<string> => {
    if (answer.outcome !== 'records') return answer;
    return { ...answer, records: answer.records.filter((address) => policy.permits(address)) };
  };
  return { ...evidence, ipv4: judged(ipv4), ipv6: judged(ipv6) };
}

function addressesOf({ ipv4, ipv6 }: NameEvidence, maxEach = Number.POSITIVE_INFINITY): string[] {
  return [ipv4, ipv6].flatMap((answer) =>
    answer.outcome === 'records' ? answer.records.slice(0, maxEach) : [],
  );
}

function askHost(
  evidence: NameEvidence,
  options: Omit<HttpChallengeOptions, 'host' | 'addresses'>,
): Promise<HttpChallenge> {
  return askHttpChallenge({
    ...options,
    host: evidence.name,
    addresses: addressesOf(evidence, MAX_ADDRESSES),
  });
}
