import { z } from 'zod';
import { domainFilterSchema, domainSchema } from '../domain.ts';
import { CERTIFICATE_SORTS, SORT_DIRECTIONS } from './list-order.ts';
import { type Call, cursorQuerySchema, envelope, nextCursor } from './call.ts';

const isoInstant = z.string();
const fingerprintSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'Please give the SHA-256 fingerprint in hexadecimal');

/** A domain that serves a certificate, in the short form that lists use. */
const servingDomainSchema = z.object({
  id: z.string(),
  hostname: z.string(),
  port: z.number().int(),
  display_name: z.string(),
});

/** A leaf certificate, with the account's domains that served it at one or more addresses when last read. Instants are ISO 8601 UTC. */
const certificateSchema = z
  .object({
    /** SHA-256 of the DER, in hexadecimal. */
    fingerprint: z.string(),
    subject: z.string(),
    /** The subject or, without one, the first alternative name, with Unicode labels; may be empty. */
    display_name: z.string(),
    /** The first ten subject alternative names. */
    names: z.array(z.string()),
    /** Number of all subject alternative names, at most 2,000. */
    name_count: z.number().int(),
    issuer: z.string(),
    authority_name: z.string(),
    valid_from: isoInstant,
    expiry_date: isoInstant,
    /** The state of a domain that serves the certificate, but never `paused` or `pending`. */
    state: domainSchema.shape.state,
    renewal: domainSchema.shape.renewal,
    next_renewal: domainSchema.shape.next_renewal,
    /**
     * The worst problem of the certificate on any of its domains, besides expiry; null if there is none. `untrusted`: all clients refuse
     * it for another reason; `refused`: some clients refuse it; `overdue`: its renewal is overdue; `flawed`: another finding asks for a fix.
     */
    problem: z.enum(['revoked', 'wrong_name', 'untrusted', 'refused', 'flawed', 'overdue']).nullable(),
    /** True if all of its domains are paused, so that nobody checks whether it is still served. */
    paused: z.boolean().default(false),
    /** Number of domains, paused ones included. */
    domain_count: z.number().int(),
    /** The first three of these domains by name. */
    domains: z.array(servingDomainSchema),
    /** Tags of all domains that serve it, in alphabetical order. */
    tags: z.array(z.string()),
  })
  .meta({ id: 'Certificate' });
export type CertificateWire = z.infer<typeof certificateSchema>;

/** Query of the list of certificates. Lists those that the matching domains serve. Takes either `page` or `cursor`. */
const certificateQuerySchema = domainFilterSchema.extend({
  ...cursorQuerySchema.shape,
  page: z.coerce.number<number>().int().min(1).max(1_000_000).default(1),
  sort: z.enum(CERTIFICATE_SORTS).default('soonest'),
  /** By default `desc` for `domains`, else `asc`. */
  direction: z.enum(SORT_DIRECTIONS).optional(),
});
/** Filter and order of the list of certificates, without pagination. */
const certificateCsvQuerySchema = certificateQuerySchema.omit({ page: true, cursor: true, limit: true });

const certificateListSchema = z.object({
  data: z.array(certificateSchema),
  /** Number of the page, from 1; null if the request used a cursor. */
  page: z.number().int().nullable(),
  page_size: z.number().int(),
  /** Number of all certificates that match the filter, on all pages. */
  total: z.number().int(),
  next_cursor: nextCursor,
});

const fingerprintParams = z.object({ fingerprint: fingerprintSchema });

/**
 * How the domains of the account changed to a certificate from its predecessors: the earlier leaf certificates of these
 * domains with the same names.
 */
const certificateStorySchema = z
  .object({
    /** The certificate, as in lists; null if no domain serves it any more. */
    certificate: certificateSchema.nullable(),
    /** All of its subject alternative names, at most 2,000. */
    names: z.array(z.string()),
    /**
     * A page of the domains whose last check found this certificate, or one with the same names, at one or more addresses.
     * Domains that have not changed to this certificate come first, then the latest change first.
     */
    domains: z.array(
      servingDomainSchema.extend({
        /** Fingerprint of the certificate that the last check read. If the addresses served several, the one that expires first. */
        serves: z.string(),
        /** Whether an address served this certificate at the last check. */
        is_serving: z.boolean(),
        /**
         * Whether the domain has changed to this certificate: every address serves it or one issued later. Certificates with
         * another type of key, which a server may use beside it, do not matter.
         */
        is_done: z.boolean(),
        /** Time when a check first saw this certificate on the domain; null if none did. */
        first_seen_at: isoInstant.nullable(),
        paused: z.boolean(),
        /** What each address showed at the last check. */
        addresses: z.array(
          z.object({
            address: z.string(),
            /** Fingerprint of the certificate at this address; null if none was read. */
            serves: z.string().nullable(),
          }),
        ),
      }),
    ),
    /** Number of domains on all pages. */
    domain_count: z.number().int(),
    /**
     * `done`: number of domains that have changed to this certificate; `total`: number of all domains. Paused domains count
     * only if they have changed.
     */
    done: z.number().int(),
    total: z.number().int(),
    /** The certificate and the 20 newest others with the same names, newest first. */
    versions: z.array(
      z.object({
        fingerprint: z.string(),
        issuer: z.string(),
        valid_from: isoInstant,
        expiry_date: isoInstant,
        first_seen_at: isoInstant,
        /** Number of domains that serve this version now at one or more addresses. */
        domain_count: z.number().int(),
      }),
    ),
    /** Total number of certificates with the same names. */
    version_count: z.number().int(),
  })
  .meta({ id: 'CertificateStory' });
export type CertificateStory = z.infer<typeof certificateStorySchema>;

/** A certificate that domains of the account should serve by a given time. */
const expectCertificateSchema = z.object({
  /** PEM of one host certificate, optionally with its issuers' certificates. A private key is refused. */
  pem: z.string().min(1).max(100_000),
  /** Host names of the domains that should serve it; if omitted, every domain whose name the certificate covers. */
  hosts: z.array(z.string().min(1).max(253)).min(1).max(1_000).optional(),
  /** Time by which they should serve it, at most 30 days ahead; in an hour if omitted. */
  by: z.iso.datetime({ offset: true }).optional(),
});

const expectedCertificateSchema = z
  .object({
    fingerprint: z.string(),
    subject: z.string(),
    due_at: isoInstant,
    /** Number of domains that should serve it. */
    domain_count: z.number().int(),
    /** Number of these domains that served another certificate at their last check. */
    waiting_count: z.number().int(),
    /** The first hundred of the domains that served another certificate, by name. */
    waiting: z.array(servingDomainSchema),
  })
  .meta({ id: 'ExpectedCertificate' });

export const expectCertificate = {
  method: 'post',
  path: '/certificate/expect',
  access: 'session',
  scope: 'write',
  needs: { premium: 'Telling us by API what domains should serve requires Premium.' },
  cost: ['authoritiesByAccount'],
  summary: 'Say which certificate domains should serve soon; those that do not by then are reported',
  body: expectCertificateSchema,
  response: envelope(expectedCertificateSchema),
  status: 200,
  problems: ['invalid_certificate', 'premium_required', 'too_many_expectations'],
} as const satisfies Call;

export const listCertificates = {
  method: 'get',
  path: '/certificate/list',
  access: 'session',
  scope: 'read',
  cost: ['searchesByAccount'],
  summary: 'List the certificates that the domains serve, each once, paginated by page number or cursor',
  query: certificateQuerySchema,
  response: certificateListSchema,
  status: 200,
  problems: [],
} as const satisfies Call;

export const exportCertificates = {
  method: 'get',
  path: '/certificate/export',
  access: 'session',
  scope: 'read',
  cost: ['csvByAccount', 'searchesByAccount'],
  summary: 'Export the matching certificates as CSV; cells are escaped so that spreadsheets run no formulas',
  query: certificateCsvQuerySchema,
  response: null,
  mediaType: 'text/csv',
  status: 200,
  problems: [],
} as const satisfies Call;

export const certificateStory = {
  method: 'get',
  path: '/certificate/{fingerprint}',
  access: 'session',
  scope: 'read',
  cost: ['reportByAccount'],
  summary: 'Get a certificate, its predecessors, and which domains have changed to it, paginated by cursor',
  params: fingerprintParams,
  query: cursorQuerySchema,
  response: z.object({ data: certificateStorySchema, next_cursor: nextCursor }),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;
