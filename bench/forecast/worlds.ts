import type { DnsAnswer, HttpChallengeResult, NameEvidence } from '../../server/core/forecast/evidence.ts';
import type { BindZone } from '../../tests/kit/peers/bind.ts';
import type { RenewalFault } from '../../tests/kit/product/renewal-faults.ts';
import { healthySite, type RenewalSite } from '../../tests/kit/product/renewal-site.ts';

/** How port 80 of a host behaves. `acme`: it serves tokens that exist, and answers 404 for others. */
export type Behaviour = 'acme' | 'redirect_port' | 'redirect_scheme' | 'redirect_loop';

/** A site with real zones and web servers, which have the faults of a simulated site. */
export interface World {
  site: RenewalSite;
  /** The names of the certificate. */
  names: string[];
  zones: BindZone[];
  /** Records of the shared zone `SHARED_ZONE`. */
  shared: string[];
  behaviours: Map<string, Record<4 | 6, Behaviour>>;
  /** How the site's ACME client validates; null if Pebble cannot judge the renewal. */
  method: 'http-01' | 'dns-01' | null;
}

/** A zone to which aliases of all sites point. */
export const SHARED_ZONE = 'example.net';
/** A zone without signatures, although its parent has a DS record for it. */
export const BOGUS_ZONE = 'bogus-example.net';
/** The web server, a mail server at port 80, and an address without a server, by family. */
export const ADDRESSES = {
  web: { 4: '192.0.2.1', 6: '2001:db8::1' },
  mail: { 4: '192.0.2.5', 6: '2001:db8::5' },
  none: { 4: '192.0.2.9', 6: '2001:db8::9' },
} as const;

/** Faults of the signatures of whole zones. */
const SIGNATURES: Readonly<Record<string, BindZone['signatures']>> = {
  dnssec_bogus: 'expired',
  dnssec_bogus_parent: 'foreign_key',
};
/** Kinds whose twins have lookups that fail, which BIND cannot imitate. Here their twins are healthy sites. */
const HEALTHY_TWINS = ['dnssec_bogus_addresses', 'zone_of_one_name_gone'];

/** Returns the zones and the behaviour of web servers that have the fault, or those of its healthy twin. */
export function realise(
  kind: RenewalFault,
  { domain, isFaulty }: { domain: string; isFaulty: boolean },
): World {
  const isHealthy = !isFaulty && HEALTHY_TWINS.includes(kind.id);
  const site = isFaulty ? kind.fault(domain) : isHealthy ? healthySite(domain) : kind.twin(domain);
  const world: World = {
    site,
    names: [],
    zones: [],
    shared: [],
    behaviours: new Map(),
    method: methodOf(kind.id, site, isFaulty),
  };
  const records: string[] = [];
  const signatures = SIGNATURES[kind.id];
  for (const name of site.evidence.names) {
    const isElsewhere = kind.id === 'zone_of_one_name_gone' && isFaulty && name.zone === 'gone';
    world.names.push(isElsewhere ? name.name.replace(domain, `gone-${domain}`) : name.name);
    if (isElsewhere) continue;
    records.push(...addressRecords(name, site, world), ...textRecords(name, world));
  }
  records.push(...caaRecords(site, world));
  const isGone = kind.id === 'zone_of_wildcard_gone' && isFaulty;
  const zone = { name: domain, records: [...new Set(records)].join('\n') };
  if (!isGone)
    world.zones.push(
      signatures === undefined ? zone : { ...zone, signatures: isFaulty ? signatures : 'valid' },
    );
  return world;
}

function methodOf(id: string, { context }: RenewalSite, isFaulty: boolean): World['method'] {
  // Pebble 2.4 checks no CAA records and knows no dns-persist-01. If the IPv6 address of a host does not answer, Pebble does not try IPv4, as CAs do.
  if (id.startsWith('persist_') || (isFaulty && id.startsWith('caa_'))) return null;
  if (id === 'ipv6_redirects_elsewhere' && !isFaulty) return null;
  const usesDns =
    context.certificate.sans.some((name) => name.startsWith('*.')) ||
    context.renewals[0]?.possible?.includes('http-01') === false;
  return usesDns ? 'dns-01' : 'http-01';
}

const dotted = (name: string): string => `${name}.`;

function addressRecords(name: NameEvidence, site: RenewalSite, world: World): string[] {
  if (name.name.startsWith('*.')) return [`${dotted(name.name.slice(2))} TXT "exists"`];
  const host = dotted(name.name);
  const alias = aliasOf(name.ipv4, world) ?? aliasOf(name.caa[0]?.answer, world);
  if (alias !== null) {
    if (name.ipv4.outcome !== 'no_name')
      world.shared.push(
        `${dotted(alias)} A ${ADDRESSES.web[4]}`,
        `${dotted(alias)} AAAA ${ADDRESSES.web[6]}`,
      );
    world.behaviours.set(name.name, { 4: 'acme', 6: 'acme' });
    return [`${host} CNAME ${dotted(alias)}`];
  }
  const why = name.ipv4.outcome === 'no_answer' ? name.ipv4.why : null;
  if (why === 'alias_limit') return [`${host} CNAME loop.${host}`, `loop.${host} CNAME ${host}`];
  // BIND has bogus zones only directly below its root, so an alias points to one.
  const isWholeZone = name.caa.some(({ answer }) => answer.outcome === 'no_answer');
  if (why === 'bogus' && !isWholeZone) return [`${host} CNAME web.${BOGUS_ZONE}.`];
  if (name.ipv4.outcome === 'no_name') return [];
  const seen = site.evidence.http.find((one) => one.host === name.name)?.results ?? [];
  const of = (family: 4 | 6) =>
    seen.find(({ address }) => address.includes(':') === (family === 6))?.result ?? null;
  world.behaviours.set(name.name, { 4: behaviourOf(of(4)), 6: behaviourOf(of(6)) });
  const has = (answer: DnsAnswer<string>): boolean => answer.outcome !== 'no_data';
  return [
    `${host} TXT "exists"`,
    ...(has(name.ipv4) ? [`${host} A ${ADDRESSES[serverOf(of(4))][4]}`] : []),
    ...(has(name.ipv6) ? [`${host} AAAA ${ADDRESSES[serverOf(of(6))][6]}`] : []),
  ];
}

/** Returns where the aliases of an answer lead. Each site has a target of its own. */
function aliasOf(answer: DnsAnswer<unknown> | undefined, { site }: World): string | null {
  const target = answer === undefined || answer.outcome === 'no_answer' ? undefined : answer.aliases.at(-1);
  return target === undefined ? null : `${site.domain.replaceAll('.', '-')}.${target}`;
}

function serverOf(result: HttpChallengeResult | null): keyof typeof ADDRESSES {
  if (result?.outcome === 'no_connection') return 'none';
  return result?.outcome === 'no_answer' ? 'mail' : 'web';
}

function behaviourOf(result: HttpChallengeResult | null): Behaviour {
  if (result?.outcome !== 'bad_redirect') return 'acme';
  if (result.why === 'port') return 'redirect_port';
  return result.why === 'scheme' ? 'redirect_scheme' : 'redirect_loop';
}

function textRecords({ name, challenge, challengeZone, persist }: NameEvidence, world: World): string[] {
  const base = name.replace(/^\*\./, '');
  const host = `_acme-challenge.${base}.`;
  const alias = aliasOf(challenge, world);
  const records: string[] = [];
  if (persist.outcome === 'records')
    records.push(...persist.records.map((text) => `_validation-persist.${base}. TXT "${text}"`));
  if (challenge.outcome === 'no_answer' && challenge.why === 'alias_limit')
    records.push(`${host} CNAME loop.${host}`, `loop.${host} CNAME ${host}`);
  else if (challenge.outcome === 'no_answer') records.push(`${host} CNAME ${base}.${BOGUS_ZONE}.`);
  else if (alias !== null) {
    const target = challengeZone === 'gone' ? `x.gone-${world.site.domain}` : alias;
    records.push(`${host} CNAME ${dotted(target)}`);
    if (challenge.outcome === 'records') world.shared.push(`${dotted(target)} TXT "old"`);
  }
  return records;
}

function caaRecords({ evidence }: RenewalSite, world: World): string[] {
  return evidence.names.flatMap(({ caa }) =>
    caa.flatMap(({ domain, answer }) => {
      if (answer.outcome !== 'records') return [];
      const lines = answer.records.map(
        ({ flags, tag, value }) => `CAA ${flags} ${tag} "${value.replaceAll('"', '\\"')}"`,
      );
      const owner = aliasOf(answer, world);
      if (owner === null) return lines.map((line) => `${dotted(domain)} ${line}`);
      world.shared.push(...lines.map((line) => `${dotted(owner)} ${line}`));
      return [];
    }),
  );
}
