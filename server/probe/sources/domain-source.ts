import { isIP } from 'node:net';
import { parse } from 'tldts';
import { z } from 'zod';
import type { CaaObservation, RegistrationObservation } from '../../core/observation.ts';
import { climbCaa, type DnsReader } from '../../egress/dns/dns-reader.ts';
import type { DiskCache } from './disk-cache.ts';
import { fetchJson, type JsonContext } from './fetch-json.ts';
import { createCachedAnswers, type FetchedAnswer } from './cached-answers.ts';
import type { DomainSource } from './sources.ts';
import { DAY_MS, HOUR_MS, WEEK_MS } from '../../../contract/durations.ts';

export interface DomainContext extends JsonContext {
  reader: Pick<DnsReader, 'query'>;
  cache: DiskCache;
  /** URL of IANA's list of the registries' RDAP services (RFC 9224). */
  bootstrapUrl?: string;
}

const BOOTSTRAP_URL = 'https://data.iana.org/rdap/dns.json';
const MAX_BOOTSTRAP_BYTES = 1024 * 1024;
const MAX_DOMAIN_BYTES = 64 * 1024;
const MAX_TEXT_LENGTH = 512;
const MAX_CAA_RECORDS = 50;
/**
 * Time before the end of a registration (ms) in which we look it up daily. Alerts begin 60 days before the end and must not depend on an
 * old answer.
 */
const ENDS_SOON_MS = 62 * DAY_MS;
/**
 * Cache lifetime in ms of a registration that ends soon. It is shorter than the day between two posture checks, so that each of these asks
 * the registry.
 */
const ALERTED_EVERY_MS = 18 * HOUR_MS;

const registriesSchema = z.array(z.tuple([z.string(), z.string()]));
const registrationSchema = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('expires'),
    domain: z.string(),
    expiresAt: z.number(),
    registrar: z.string().nullable(),
  }),
  z.object({ outcome: z.enum(['no_date', 'not_found', 'unavailable']), domain: z.string() }),
]);
type Registries = z.infer<typeof registriesSchema>;
type StoredRegistration = z.infer<typeof registrationSchema>;

/**
 * Creates a source that looks up CAA records in DNS and a registration's expiry by RDAP at the registry. Caches
 * registrations for a week, for most of a day if they end within two months.
 */
export function createDomainSource(context: DomainContext): DomainSource {
  const { cache, bootstrapUrl = BOOTSTRAP_URL, ...json } = context;
  const registriesOf = createCachedAnswers<Registries>({
    cache,
    read: (content) => registriesSchema.safeParse(content).data ?? null,
    maxConcurrent: 1,
  });
  const registrationOf = createCachedAnswers<StoredRegistration>({
    cache,
    read: (content) => registrationSchema.safeParse(content).data ?? null,
    maxConcurrent: 4,
  });

  const fetchRegistries = async (now: number): Promise<FetchedAnswer<Registries>> => {
    const options = { accept: 'application/json', maxBytes: MAX_BOOTSTRAP_BYTES, now };
    const response = await fetchJson(bootstrapUrl, json, options);
    const found = response.status === 200 ? readRegistries(response.content) : null;
    if (found === null) return { answer: [], askAgainAt: now + HOUR_MS, isFailure: true };
    return { answer: [...found], askAgainAt: now + WEEK_MS, isFailure: false };
  };

  const fetchRegistration = async (
    domain: string,
    registry: string,
    now: number,
  ): Promise<FetchedAnswer<StoredRegistration>> => {
    const options = { accept: 'application/rdap+json', maxBytes: MAX_DOMAIN_BYTES, now };
    const response = await fetchJson(`${registry}domain/${domain}`, json, options);
    const learned = (answer: StoredRegistration): FetchedAnswer<StoredRegistration> => {
      const endsSoon = answer.outcome === 'expires' && answer.expiresAt - now < ENDS_SOON_MS;
      return { answer, askAgainAt: now + (endsSoon ? ALERTED_EVERY_MS : WEEK_MS), isFailure: false };
    };
    if (response.status === 404) return learned({ outcome: 'not_found', domain });
    const found = response.status === 200 ? readRegistration(response.content) : null;
    if (found === null) {
      // Registries limit requests and stop answering heavy clients for hours.
      const wait = Math.min(Math.max(response.retryAfterMs ?? 0, HOUR_MS), DAY_MS);
      return { answer: { outcome: 'unavailable', domain }, askAgainAt: now + wait, isFailure: true };
    }
    const { expiresAt, registrar } = found;
    return learned(
      expiresAt === null
        ? { outcome: 'no_date', domain }
        : { outcome: 'expires', domain, expiresAt, registrar },
    );
  };

  return {
    caa: ({ host, signal }) => closestCaa(host, context, signal),
    async registration({ host, now, signal }): Promise<RegistrationObservation> {
      const domain = registrableDomain(host);
      if (domain === null) return { outcome: 'not_applicable' };
      const registries = await registriesOf({
        key: `rdap-registries:${bootstrapUrl}`,
        now,
        signal,
        ask: () => fetchRegistries(now),
      });
      const topLevel = domain.slice(domain.lastIndexOf('.') + 1);
      const registry = registries?.find(([name]) => name === topLevel)?.[1];
      if (registry === undefined) return { outcome: 'unavailable', domain };
      const known = await registrationOf({
        key: `rdap:${registry}${domain}`,
        now,
        signal,
        ask: () => fetchRegistration(domain, registry, now),
      });
      return known ?? { outcome: 'unavailable', domain };
    },
  };
}

/**
 * Returns the domain that is registered at the registry; null for IP addresses and local names. Ignores private
 * suffixes such as github.io.
 */
function registrableDomain(host: string): string | null {
  const { domain, isIcann, isIp } = parse(host, { allowPrivateDomains: false });
  return isIp === true || isIcann !== true ? null : domain;
}

/** The bit of the flags that says that CAs must understand the property (RFC 8659 §4.1). */
const CRITICAL = 128;

/** Returns the CAA records of the name or its closest parent that has any; at most 50. */
async function closestCaa(
  host: string,
  { reader, policy }: DomainContext,
  signal: AbortSignal,
): Promise<CaaObservation> {
  // CAA applies to domain names only (RFC 8659 §1), and public CAs issue nothing for local names.
  if (isIP(host) !== 0) return { outcome: 'not_applicable' };
  if (policy.isLocalName(host)) return { outcome: 'none' };
  const last = (await climbCaa(host, (domain) => reader.query(domain, 'CAA', { signal }))).at(-1);
  if (last?.answer.outcome === 'no_answer') return { outcome: 'unavailable' };
  if (last?.answer.outcome !== 'records') return { outcome: 'none' };
  const records = last.answer.records.slice(0, MAX_CAA_RECORDS).map(({ flags, tag, value }) => ({
    critical: (flags & CRITICAL) !== 0,
    tag: tag.slice(0, MAX_TEXT_LENGTH),
    value: value.slice(0, MAX_TEXT_LENGTH),
  }));
  return { outcome: 'records', domain: last.domain, records };
}

/* Parsers for RDAP bootstrap files (RFC 9224) and domain objects (RFC 9083). They check only the fields that we use. */

const bootstrapSchema = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

/** Returns https base URLs with a trailing slash by top-level domain; null if the content is not a bootstrap file. */
function readRegistries(content: unknown): Map<string, string> | null {
  const read = bootstrapSchema.safeParse(content).data;
  if (read === undefined) return null;
  const found = new Map<string, string>();
  for (const [names, urls] of read.services) {
    const url = urls.find((one) => one.startsWith('https://'));
    for (const name of url === undefined ? [] : names)
      found.set(name.toLowerCase(), `${url?.replace(/\/$/, '')}/`);
  }
  return found.size === 0 ? null : found;
}

const domainObjectSchema = z.object({
  objectClassName: z.literal('domain'),
  events: z
    .array(
      z.object({ eventAction: z.string(), eventDate: z.string() }).catch({ eventAction: '', eventDate: '' }),
    )
    .catch([]),
  entities: z
    .array(
      z
        .object({ roles: z.array(z.string()), vcardArray: z.unknown() })
        .catch({ roles: [], vcardArray: null }),
    )
    .catch([]),
});

interface Registration {
  /** Expiry of the registration in ms UTC; null if the registry publishes none. */
  expiresAt: number | null;
  registrar: string | null;
}

/** Parses a domain object; returns null if the content is not one. */
function readRegistration(content: unknown): Registration | null {
  const read = domainObjectSchema.safeParse(content).data;
  if (read === undefined) return null;
  const expiration = read.events.find(({ eventAction }) => eventAction.toLowerCase() === 'expiration');
  const registrar = read.entities.find(({ roles }) => roles.includes('registrar'));
  return {
    expiresAt: expiration === undefined ? null : parseInstant(expiration.eventDate),
    registrar: registrar === undefined ? null : fullName(registrar.vcardArray),
  };
}

/**
 * Parses a date-time (RFC 3339 §5.6) into ms UTC, or returns null. Accepts only four-digit years, because
 * others cannot be displayed.
 */
function parseInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text)) return null;
  const at = Date.parse(text.toUpperCase());
  return Number.isNaN(at) ? null : at;
}

const vcardSchema = z.tuple([z.literal('vcard'), z.array(z.tuple([z.string()], z.unknown()))]);
const MAX_NAME_LENGTH = 200;

/**
 * Returns `fn` of a jCard (RFC 7095 §3.3) as one line of at most `MAX_NAME_LENGTH` characters; null if it is missing.
 */
function fullName(vcard: unknown): string | null {
  const properties = vcardSchema.safeParse(vcard).data?.[1] ?? [];
  const value = properties.find(([name]) => name === 'fn')?.[3];
  if (typeof value !== 'string') return null;
  const text = value
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH);
  return text === '' ? null : text;
}
