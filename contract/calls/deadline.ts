import { z } from 'zod';
import { SEARCH_MAX_LENGTH } from '../words.ts';
import { type Call, cursorQuerySchema, envelope, nextCursor } from './call.ts';

const isoInstant = z.string();
/** A day in UTC, such as '2027-03-15'. */
const day = z.string();
const ruleSchema = z.string().regex(/^[a-z0-9_]{1,64}$/, 'Please give the id of a rule');

/** A date from which a rule holds that concerns certificates of the account, and how many are done already. */
const deadlineSchema = z
  .object({
    /** Id of the rule; `root_expires` if roots of certificates expire on this day. */
    rule: z.string(),
    /** The first day of the rule. */
    date: day,
    /**
     * `refused`: clients refuse the certificates from this day on; `renewal`: a certificate that replaces one of them after this day differs
     * from it; `lifetime`: new public certificates are valid for a shorter time.
     */
    effect: z.enum(['refused', 'renewal', 'lifetime']),
    /** What changes, as a sentence without a full stop. */
    title: z.string(),
    /** What to do before. */
    advice: z.string(),
    /** Names of the programs that apply the rule; empty if only CAs follow it, or if they differ between certificates. */
    clients: z.array(z.string()),
    /**
     * Number of certificates: those that the rule concerns, or concerned until they were renewed. For `lifetime` all public certificates
     * that domains serve.
     */
    total: z.number().int(),
    /** How many of them were renewed; for `lifetime`, how many are not longer valid than the limit. */
    done: z.number().int(),
    /** Number of certificates that are not done. */
    left: z.number().int(),
    /** When a certificate was last added or renewed; null for `lifetime`. */
    changed_at: isoInstant.nullable(),
    /** URL where the publisher of the rule gives the date; null for `root_expires`. */
    source: z.string().nullable(),
    /** The last day on which we compared the date with its source; null for `root_expires`. */
    reviewed_on: day.nullable(),
    /** For `lifetime`: the limit in days, and how many renewals a year it makes of those of today; else null. */
    limit: z.object({ days: z.number().int(), renewals: z.number().int() }).nullable(),
  })
  .meta({ id: 'Deadline' });
export type DeadlineWire = z.infer<typeof deadlineSchema>;

const deadlinesSchema = z
  .object({
    /** By date, earliest first. A past date is listed while a certificate is not renewed, and for 90 days if all are. */
    deadlines: z.array(deadlineSchema),
    /** `total`: number of certificates whose CA asked for an early replacement (RFC 9773); `done`: number of those that were replaced. */
    replacements: z.object({ total: z.number().int(), done: z.number().int() }),
    /**
     * Number of certificates below a public root that domains serve, and the renewals a year that they need if each is renewed when two
     * thirds of its lifetime have passed, or half if it lives for less than ten days.
     */
    renewals: z.object({ certificates: z.number().int(), now: z.number().int() }),
  })
  .meta({ id: 'Deadlines' });
export type DeadlinesWire = z.infer<typeof deadlinesSchema>;

/** A certificate that a date concerns. */
const deadlineCertificateSchema = z
  .object({
    /** Id of the rule; `replacement_wanted` if the CA asked for a replacement. */
    rule: z.string(),
    /** The first day of the rule, or the last day on which the CA wants the certificate replaced. */
    date: day,
    title: z.string(),
    /** SHA-256 of the DER, in hexadecimal. */
    fingerprint: z.string(),
    /** The subject or, without one, the first alternative name, with Unicode labels; may be empty. */
    display_name: z.string(),
    issuer: z.string(),
    authority_name: z.string(),
    expiry_date: isoInstant,
    /** Since when no domain serves the certificate any more; null while one does. */
    renewed_at: isoInstant.nullable(),
    /** Number of domains that serve it, or that served it. */
    domain_count: z.number().int(),
    /** One of these domains; null if it was removed. */
    domain: z.object({ id: z.string(), display_name: z.string() }).nullable(),
  })
  .meta({ id: 'DeadlineCertificate' });
export type DeadlineCertificateWire = z.infer<typeof deadlineCertificateSchema>;

const filterSchema = z.object({
  /** Text to find in the names of a certificate, and in the name, tags and notes of its domains. */
  q: z.string().trim().min(1).max(SEARCH_MAX_LENGTH).optional(),
  /** Id of a rule. Without it, lists the certificates of all rules except limits on the lifetime, which concern nearly all certificates. */
  rule: ruleSchema.optional(),
});

export const listDeadlines = {
  method: 'get',
  path: '/deadline/list',
  access: 'session',
  scope: 'read',
  cost: ['searchesByAccount'],
  summary: 'List the dates from which rules concern certificates of the domains, and how many are renewed',
  response: envelope(deadlinesSchema),
  status: 200,
  problems: [],
} as const satisfies Call;

export const deadlineCertificates = {
  method: 'get',
  path: '/deadline/certificates',
  access: 'session',
  scope: 'read',
  cost: ['searchesByAccount'],
  summary:
    'List the certificates that dates concern, those to renew first, paginated by page number or cursor',
  query: filterSchema.extend({
    ...cursorQuerySchema.shape,
    page: z.coerce.number<number>().int().min(1).max(1_000_000).default(1),
  }),
  response: z.object({
    data: z.array(deadlineCertificateSchema),
    /** Number of the page, from 1; null if the request used a cursor. */
    page: z.number().int().nullable(),
    page_size: z.number().int(),
    total: z.number().int(),
    next_cursor: nextCursor,
  }),
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const exportDeadlines = {
  method: 'get',
  path: '/deadline/export',
  access: 'session',
  scope: 'read',
  cost: ['csvByAccount', 'searchesByAccount'],
  summary:
    'Export the certificates that dates concern as CSV; cells are escaped so that spreadsheets run no formulas',
  query: filterSchema,
  response: null,
  mediaType: 'text/csv',
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;

export const deadlineCalendar = {
  method: 'get',
  path: '/deadline/{rule}/calendar',
  access: 'session',
  scope: 'read',
  cost: ['searchesByAccount'],
  summary: 'Get the calendar entry of a date as an iCalendar file',
  params: z.object({ rule: ruleSchema }),
  response: null,
  mediaType: 'text/calendar',
  status: 200,
  problems: ['not_found'],
} as const satisfies Call;
