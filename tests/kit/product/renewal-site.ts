import { DAY_MS } from '../../../contract/durations.ts';
import type {
  CaaProperty,
  DnsAnswer,
  ForecastContext,
  ForecastEvidence,
  HttpChallengeResult,
  NameEvidence,
  PastRenewal,
  ValidationMethod,
} from '../../../server/core/forecast/evidence.ts';

/** A site with one certificate, as a forecast sees it. Tests and the benchmark change it to inject faults. */
export interface RenewalSite {
  domain: string;
  evidence: ForecastEvidence;
  context: ForecastContext;
}

export const NOW = Date.parse('2026-12-01T12:00:00Z');

export const LETS_ENCRYPT = { issuerOrganization: "Let's Encrypt", issuerName: 'R12' };
export const DIGICERT = {
  issuerOrganization: 'DigiCert Inc',
  issuerName: 'DigiCert Global G2 TLS RSA SHA256 2020 CA1',
};

export function records<Found>(found: Found[], aliases: string[] = []): DnsAnswer<Found> {
  return { outcome: 'records', records: found, aliases, security: 'insecure' };
}
export const NO_DATA = { outcome: 'no_data', aliases: [], security: 'insecure' } satisfies DnsAnswer<never>;
export const NO_NAME = { outcome: 'no_name', aliases: [], security: 'insecure' } satisfies DnsAnswer<never>;
export const noAnswer = (
  why: Extract<DnsAnswer<never>, { outcome: 'no_answer' }>['why'],
): DnsAnswer<never> => ({ outcome: 'no_answer', why });
export const caa = (tag: string, value: string, flags = 0): CaaProperty => ({ flags, tag, value });

/** Returns the domains at which CAA records of a name are looked up, itself first. */
function climbed(name: string): string[] {
  const labels = name.replace(/^\*\./, '').split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Returns a name that exists, has IPv4 and IPv6 addresses and no further records. */
export function healthyName(name: string): NameEvidence {
  const isWildcard = name.startsWith('*.');
  return {
    name,
    caa: climbed(name).map((domain) => ({ domain, answer: NO_DATA })),
    zone: 'exists',
    ipv4: isWildcard ? noAnswer('not_asked') : records(['192.0.2.1']),
    ipv6: isWildcard ? noAnswer('not_asked') : records(['2001:db8::1']),
    challenge: NO_NAME,
    challengeZone: 'exists',
    persist: NO_NAME,
  };
}

export const ANSWERS_404: Extract<HttpChallengeResult, { outcome: 'answered' }> = {
  outcome: 'answered',
  status: 404,
  url: 'http://www.example.com/.well-known/acme-challenge/token',
  isPage: false,
};

export interface SiteOptions {
  /** Names below the domain; '' is the domain itself. */
  labels?: readonly string[];
  lifetimeDays?: number;
  /** Age of the certificate in days. */
  ageDays?: number;
  issuer?: Pick<ForecastContext['certificate'], 'issuerOrganization' | 'issuerName'>;
  /** The methods that were possible at each of the last renewals, newest first. */
  renewals?: readonly (readonly ValidationMethod[] | null)[];
}

/** Returns a site whose next renewal will work, as far as can be seen. */
export function healthySite(domain = 'example.com', options: SiteOptions = {}): RenewalSite {
  const { labels = ['', 'www', 'api'], lifetimeDays = 90, ageDays = 50, issuer = LETS_ENCRYPT } = options;
  const sans = labels.map((label) => (label === '' ? domain : `${label}.${domain}`));
  const notBefore = NOW - ageDays * DAY_MS;
  const hosts = sans.filter((name) => !name.startsWith('*.'));
  return {
    domain,
    evidence: {
      at: NOW,
      names: sans.map(healthyName),
      unread: 0,
      http: hosts.map((host) => ({
        host,
        results: ['192.0.2.1', '2001:db8::1'].map((address) => ({ address, result: ANSWERS_404 })),
      })),
      resolverValidates: true,
    },
    context: {
      certificate: {
        fingerprint: 'f'.repeat(64),
        notBefore,
        notAfter: notBefore + lifetimeDays * DAY_MS,
        sans,
        ...issuer,
      },
      renewalWindow: null,
      registrations: [],
      renewals: (options.renewals ?? []).map((possible, index) =>
        pastRenewal(notBefore - index * 60 * DAY_MS, possible, lifetimeDays),
      ),
      otherRenewals: [],
      unreachable443: [],
      first: null,
      now: NOW,
    },
  };
}

/** Returns a renewal at an instant (ms UTC), after two thirds of the lifetime. */
export function pastRenewal(
  renewedAt: number,
  possible: readonly ValidationMethod[] | null = null,
  lifetimeDays = 90,
): PastRenewal {
  return {
    notBefore: renewedAt - (lifetimeDays * DAY_MS * 2) / 3,
    renewedAt,
    lifetimeMs: lifetimeDays * DAY_MS,
    possible,
  };
}

/** Returns the site with changed evidence about one name. */
export function withName(
  site: RenewalSite,
  index: number,
  change: (name: NameEvidence) => Partial<NameEvidence>,
): RenewalSite {
  const names = site.evidence.names.map((name, at) => (at === index ? { ...name, ...change(name) } : name));
  return { ...site, evidence: { ...site.evidence, names } };
}

/** Returns the site with changed evidence about all names. */
export function withNames(
  site: RenewalSite,
  change: (name: NameEvidence) => Partial<NameEvidence>,
): RenewalSite {
  const names = site.evidence.names.map((name) => ({ ...name, ...change(name) }));
  return { ...site, evidence: { ...site.evidence, names } };
}

/** Returns the site with CAA records at one domain, which all names below it find. */
export function withCaa(site: RenewalSite, found: CaaProperty[], domain = site.domain): RenewalSite {
  return withCaaAnswer(site, records(found), domain);
}

/** Returns the site with an answer for CAA at one domain, at which climbing ends. */
export function withCaaAnswer(
  site: RenewalSite,
  answer: DnsAnswer<CaaProperty>,
  domain = site.domain,
): RenewalSite {
  return withNames(site, ({ caa: steps }) => {
    const at = steps.findIndex((step) => step.domain === domain);
    return at === -1 ? {} : { caa: [...steps.slice(0, at), { domain, answer }] };
  });
}

/** Returns the site with another answer of port 80 for all hosts. */
export function withHttp(
  site: RenewalSite,
  result: HttpChallengeResult,
  only: (address: string) => boolean = () => true,
): RenewalSite {
  const http = site.evidence.http.map(({ host, results }) => ({
    host,
    results: results.map((one) => (only(one.address) ? { ...one, result } : one)),
  }));
  return { ...site, evidence: { ...site.evidence, http } };
}

/** Returns the site with a changed context. */
export function withContext(site: RenewalSite, change: Partial<ForecastContext>): RenewalSite {
  return { ...site, context: { ...site.context, ...change } };
}
