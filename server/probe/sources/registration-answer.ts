import { z } from 'zod';

/* Parsers for RDAP bootstrap files (RFC 9224) and domain objects (RFC 9083). They check only the fields that we use. */

const bootstrapSchema = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });

/** Returns https base URLs with a trailing slash by top-level domain; null if the content is not a bootstrap file. */
export function readRegistries(content: unknown): Map<string, string> | null {
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

const domainSchema = z.object({
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

export interface Registration {
  /** ms UTC; null if the registry publishes none. */
  expiresAt: number | null;
  registrar: string | null;
}

/** Parses a domain object; returns null if the content is not one. */
export function readRegistration(content: unknown): Registration | null {
  const read = domainSchema.safeParse(content).data;
  if (read === undefined) return null;
  const expiration = read.events.find(({ eventAction }) => eventAction.toLowerCase() === 'expiration');
  const registrar = read.entities.find(({ roles }) => roles.includes('registrar'));
  return {
    expiresAt: expiration === undefined ? null : parseInstant(expiration.eventDate),
    registrar: registrar === undefined ? null : fullName(registrar.vcardArray),
  };
}

/** Parses a date-time of RFC 3339 §5.6 into ms UTC. Four-digit years only, because others cannot be displayed. */
function parseInstant(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text)) return null;
  const at = Date.parse(text.toUpperCase());
  return Number.isNaN(at) ? null : at;
}

const vcardSchema = z.tuple([z.literal('vcard'), z.array(z.tuple([z.string()], z.unknown()))]);
const MAX_NAME_LENGTH = 200;

/** Returns `fn` of a jCard (RFC 7095 §3.3) as one line of at most `MAX_NAME_LENGTH` characters. */
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
