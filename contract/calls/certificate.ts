import { z } from 'zod';
import { domainFilterSchema, domainSchema } from '../domain.ts';
import { CERTIFICATE_SORTS, SORT_DIRECTIONS } from './list-order.ts';
import { type Call, cursorQuerySchema, nextCursor, wrapped } from './call.ts';

const isoInstant = z.string();
const fingerprintSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'Please give the SHA-256 fingerprint in hexadecimal');

/** A domain that serves a certificate, as lists name it. */
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
    /** The subject, else the first alternative name, with Unicode labels; may be empty. */
    display_name: z.string(),
    /** The first ten subject alternative names. */
    names: z.array(z.string()),
    /** Number of all of them, at most 2,000. */
    name_count: z.number().int(),
    issuer: z.string(),
    authority_name: z.string(),
    valid_from: isoInstant,
    expiry_date: isoInstant,
    /** As of a domain that serves it, but never `paused` or `pending`. */
    state: domainSchema.shape.state,
    renewal: domainSchema.shape.renewal,
    /**
     * The worst problem of the certificate on any of its domains, besides expiry; null if there is none. `untrusted`: all clients refuse
     * it for another reason; `refused`: some clients refuse it; `overdue`: its renewal is overdue; `flawed`: another finding asks for a fix.
     */
    problem: z.enum(['revoked', 'wrong_name', 'untrusted', 'refused', 'flawed', 'overdue']).nullable(),
    /** Number of domains, paused ones included. */
    domain_count: z.number().int(),
    /** The first three domains by name. */
    domains: z.array(servingDomainSchema),
    /** Tags of all of its domains, in alphabetical order. */
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
  /** Number of all matching certificates. */
  total: z.number().int(),
  next_cursor: nextCursor,
});

const fingerprintParams = z.object({ fingerprint: fingerprintSchema });

/**
 * The story of a certificate: how the domains of the account changed to it from its predecessors, which are the leaf certificates
 * with the same names that these domains served before.
 */
const certificateStorySchema = z
  .object({
    /** Null if no domain serves it any more. */
    certificate: certificateSchema.nullable(),
    /** All of its subject alternative names, at most 2,000. */
    names: z.array(z.string()),
    /**
     * A page of the domains that last served it, or a certificate with the same names, at one or more addresses: those that have not
     * changed first, then the latest change first.
     */
    domains: z.array(
      servingDomainSchema.extend({
        /** Fingerprint of the certificate read last. If the addresses served several, the one that expires first. */
        serves: z.string(),
        /** Whether an address served this certificate at the last check. */
        is_serving: z.boolean(),
        /** Whether the certificates of all addresses are this one or were issued later, beside earlier ones with another type of key. */
        is_done: z.boolean(),
        /** When a check first saw this certificate there; null if none did. */
        first_seen_at: isoInstant.nullable(),
        paused: z.boolean(),
        /** What each address showed at the last check. */
        addresses: z.array(
          z.object({
            address: z.string(),
            /** Fingerprint of the certificate; null if none was read. */
            serves: z.string().nullable(),
          }),
        ),
      }),
    ),
    /** Total number of these domains. */
    domain_count: z.number().int(),
    /** Number of domains that have changed, and of all; paused ones count only if they have changed. */
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
        /** Number of domains that serve it now at one or more addresses. */
        domain_count: z.number().int(),
      }),
    ),
    /** Total number of certificates with the same names. */
    version_count: z.number().int(),
  })
  .meta({ id: 'CertificateStory' });
export type CertificateStory = z.infer<typeof certificateStorySchema>;

/** A certificate that domains of the account should serve from a time on. */
const expectCertificateSchema = z.object({
  /** PEM of one host certificate, optionally with its issuers' certificates. A private key is refused. */
  pem: z.string().min(1).max(100_000),
  /** Host names of domains; if omitted, every domain that the certificate names. */
  hosts: z.array(z.string().min(1).max(253)).min(1).max(1_000).optional(),
  /** When they should serve it, at most 30 days ahead; in an hour if omitted. */
  by: z.iso.datetime({ offset: true }).optional(),
});

const expectedCertificateSchema = z
  .object({
    fingerprint: z.string(),
    subject: z.string(),
    due_at: isoInstant,
    /** Number of domains that should serve it. */
    domain_count: z.number().int(),
    /** Number of them that served another certificate at their last check. */
    waiting_count: z.number().int(),
    /** The first hundred of them by name. */
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
  response: wrapped(expectedCertificateSchema),
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
