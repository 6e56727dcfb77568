import { z } from 'zod';
import { cursorQuerySchema, nextCursor } from './calls/call.ts';
import {
  DEFAULT_CHECK_EVERY_MINUTES,
  BULK_SIZE,
  CHECK_FREQUENCIES,
  DOMAIN_STATES,
  PROTOCOLS,
  HOST_MAX_LENGTH,
  MOST_TAGS,
  NOTES_MAX_LENGTH,
  SEARCH_MAX_LENGTH,
  TAG_MAX_LENGTH,
} from './words.ts';
import { problemCodeSchema } from './problem.ts';
import { lineSchema, textSchema } from './text.ts';
import { uptimeSummarySchema } from './uptime.ts';

const domainStateSchema = z.enum(DOMAIN_STATES);

export const findingSchema = z.object({
  code: z.string(),
  severity: z.enum(['critical', 'warning', 'note']),
  message: z.string(),
  addresses: z.array(z.string()),
});
export type FindingWire = z.infer<typeof findingSchema>;

const isoInstant = z.string();

const protocolSchema = z.enum(PROTOCOLS);

/** One word or a few that people sort domains by; compared in lower case. Commas part tags where they stand in a line. */
export const tagSchema = lineSchema(TAG_MAX_LENGTH)
  .toLowerCase()
  .min(1, 'A tag has at least one character')
  .refine((tag) => !tag.includes(','), 'A tag has no comma');
const tagsSchema = z
  .array(tagSchema)
  .max(MOST_TAGS, `A domain has at most ${MOST_TAGS} tags`)
  .transform((tags) => [...new Set(tags)]);
const notesSchema = textSchema(NOTES_MAX_LENGTH);

/** A watched endpoint as the page shows it. Instants are ISO 8601 UTC; certificate fields are null until one was read. */
export const domainSchema = z
  .object({
    id: z.string(),
    /** A-label or IP address, without the port. */
    hostname: z.string(),
    port: z.number().int(),
    protocol: protocolSchema,
    /** For people: U-label, with the port unless it is 443. */
    display_name: z.string(),
    state: domainStateSchema,
    issuer: z.string().nullable(),
    subject: z.string().nullable(),
    valid_from: isoInstant.nullable(),
    expiry_date: isoInstant.nullable(),
    last_checked_at: isoInstant.nullable(),
    authority_name: z.string().nullable(),
    authority_full_dn: z.string().nullable(),
    authority_url: z.string().nullable(),
    fingerprint: z.string().nullable(),
    /** From where on a renewal is expected. */
    renewal_from: isoInstant.nullable(),
    is_revoked: z.boolean(),
    revocation: z.object({
      /** `not_applicable`: it lives too short to be revoked, or says so. */
      state: z.enum(['good', 'revoked', 'unknown', 'unavailable', 'not_applicable']),
      source: z.enum(['crl', 'ocsp', 'staple']).nullable(),
      checked_at: isoInstant.nullable(),
      /** As in RFC 5280 §5.3.1, `keyCompromise`; null where none is given. */
      reason: z.string().nullable(),
      revoked_at: isoInstant.nullable(),
    }),
    /** When it should be renewed; null where no certificate was read. */
    renewal: z
      .object({
        from: isoInstant,
        to: isoInstant,
        /** From when on it is overdue; null where another address already shows the renewed certificate. */
        overdue_at: isoInstant.nullable().default(null),
        /** Valid for less than 30 days: `state` is critical or soon from the first day on, and only `overdue_at` says whether to act. */
        is_short_lived: z.boolean().default(false),
        /** `ari`: the window that its CA publishes. */
        source: z.enum(['ari', 'lifetime']),
        /** Why the CA wants it replaced; http(s). */
        explanation_url: z.string().nullable(),
      })
      .nullable(),
    /** The certificate of the path that expires before the leaf; null where the leaf expires first. */
    weakest_link: z.object({ name: z.string(), expiry_date: isoInstant }).nullable(),
    uptime: uptimeSummarySchema,
    trusted: z.boolean().nullable(),
    findings: z.array(findingSchema),
    /** Why the last check read no certificate; null when it read one. */
    unreachable: z
      .object({ stage: z.string(), reason: z.string(), message: z.string(), since: isoInstant })
      .nullable(),
    /** True while a check is running or asked for. */
    checking: z.boolean(),
    /**
     * Why it is paused: by the user, by the plan after Premium ended, or because somebody added it before the account's owner
     * proved the address (`unconfirmed`; resuming it confirms it). null while it is checked.
     */
    paused: z.enum(['user', 'plan', 'unconfirmed']).nullable(),
    /** What its owner wrote; may have lines. */
    notes: z.string(),
    tags: z.array(z.string()),
    /** Where its icon is, below this origin; null where none is known. A new icon has a new address. */
    favicon: z.string().nullable(),
    check_every_minutes: z.number().int().default(DEFAULT_CHECK_EVERY_MINUTES),
    next_check_at: isoInstant,
    created_at: isoInstant,
  })
  .meta({ id: 'Domain' });
export type DomainWire = z.infer<typeof domainSchema>;

export const addDomainSchema = z.object({ host: z.string().max(HOST_MAX_LENGTH) });

/** `instead_of`: the domain that is paused in its place, where the plan allows no more. */
export const resumeSchema = z.object({ instead_of: z.uuid().optional() });

export const DOMAIN_SORTS = ['newest', 'soonest', 'name'] as const;
export type DomainSort = (typeof DOMAIN_SORTS)[number];

/** What a list can be of: the domains in a state, or those that need a person for another reason (`problems` of the summary). */
export const LIST_STATUSES = [...DOMAIN_STATES, 'problem'] as const;
export type ListStatus = (typeof LIST_STATUSES)[number];

/** Which of the domains: `q` is part of the name (A-label or U-label), of the notes or of a tag. */
const domainFilterSchema = z.object({
  q: lineSchema(SEARCH_MAX_LENGTH).optional(),
  status: z.enum(LIST_STATUSES).optional(),
  tag: tagSchema.optional(),
});
export type DomainFilter = z.infer<typeof domainFilterSchema>;

/** `page` or `cursor`; a cursor is good for the order that it came from. */
export const listQuerySchema = domainFilterSchema.extend({
  ...cursorQuerySchema.shape,
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  sort: z.enum(DOMAIN_SORTS).default('newest'),
});
/** As the list; the rows of the file are in this order. */
export const csvQuerySchema = listQuerySchema.omit({ page: true, cursor: true, limit: true });

/** In the order of the list; at most 10,000, and `total` says how many there are. */
export const domainIdsSchema = z.object({ ids: z.array(z.string()), total: z.number().int() });

export const domainListSchema = z.object({
  data: z.array(domainSchema),
  /** null where the list is read on by its cursor. */
  page: z.number().int().nullable(),
  page_size: z.number().int(),
  total: z.number().int(),
  next_cursor: nextCursor,
});

export const summarySchema = z.object({
  total: z.number().int(),
  counts: z.record(domainStateSchema, z.number().int()),
  /** How many of `counts.critical` and `counts.soon` are short-lived, trusted, and not overdue for renewal: nobody has to act. */
  on_schedule: z
    .object({ critical: z.number().int(), soon: z.number().int() })
    .default({ critical: 0, soon: 0 }),
  /** Every tag in use, in alphabetical order. */
  tags: z.array(z.object({ tag: z.string(), count: z.number().int() })),
  /** Soonest first; merged per day beyond 500, then `count` says how many stand behind the entry. */
  expiries: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      display_name: z.string(),
      not_after: isoInstant,
      /** Of those that are `critical` or `soon`: one that lives for days only is so from its first day on. */
      valid_from: isoInstant.nullable().default(null),
      state: domainStateSchema,
      /** Whether `on_schedule` of the summary counts it. */
      on_schedule: z.boolean().default(false),
      count: z.number().int().default(1),
    }),
  ),
  /**
   * Domains that need a person for another reason than their dates, at most 500: `untrusted` (the last verdict says
   * so, a wrong name included), `down` (a second look agreed) or `unreachable` (the last check read no certificate). One
   * that is untrusted and down stands here twice.
   */
  problems: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      display_name: z.string(),
      state: domainStateSchema,
      kind: z.enum(['untrusted', 'down', 'unreachable']),
      /** One plain sentence: the worst finding's message, or why it is down or was not read. */
      message: z.string(),
    }),
  ),
});
export type SummaryWire = z.infer<typeof summarySchema>;

export const historyEntrySchema = z
  .object({
    id: z.string(),
    fingerprint: z.string(),
    issuer: z.string(),
    subject: z.string(),
    valid_from: isoInstant,
    expiry_date: isoInstant,
    authority_name: z.string(),
    authority_full_dn: z.string(),
    authority_url: z.string().nullable(),
    sans: z.array(z.string()).default([]),
    first_seen_at: isoInstant,
    last_seen_at: isoInstant,
    /** False: only what stands here is kept of it; it cannot be compared or downloaded any more. */
    kept: z.boolean().default(true),
  })
  .meta({ id: 'HistoryEntry' });
export type HistoryEntryWire = z.infer<typeof historyEntrySchema>;

/** A sentence that names the limit, where one kept certificates of a domain from being stored; null: all of them are. */
export const notKeptSchema = z.string().nullable().default(null);

/** One certificate of the chain that the endpoint sent when a certificate was last read there, in the order sent. */
export const chainCertificateSchema = z
  .object({
    fingerprint: z.string(),
    /** `root`: its subject is its issuer. */
    role: z.enum(['leaf', 'intermediate', 'root']),
    subject: z.string(),
    subject_full_dn: z.string(),
    issuer: z.string(),
    issuer_full_dn: z.string(),
    /** Hexadecimal, as the certificate has it. */
    serial_number: z.string(),
    valid_from: isoInstant,
    expiry_date: isoInstant,
    /** 'ECDSA P-256', 'RSA 2048 bit', 'Ed25519'; what else there is by its object identifier. */
    public_key: z.string(),
    /** At most 2,000. */
    sans: z.array(z.string()),
    pem: z.string(),
  })
  .meta({ id: 'ChainCertificate' });
export type ChainCertificateWire = z.infer<typeof chainCertificateSchema>;

/** What is left out stays as it is. */
export const describeDomainSchema = z.object({ notes: notesSchema.optional(), tags: tagsSchema.optional() });

const frequencySchema = z.coerce
  .number()
  .int()
  .refine(
    (minutes) => CHECK_FREQUENCIES.some((choice) => choice.minutes === minutes),
    'Choose 10, 15, 60 or 1440 minutes',
  );
export const frequencyQuerySchema = z.object({ check_frequency: frequencySchema });

const idsSchema = z.array(z.uuid()).min(1).max(BULK_SIZE, `At most ${BULK_SIZE} domains at once`);
export const bulkSchema = z.discriminatedUnion('action', [
  z.object({ action: z.enum(['check', 'pause', 'resume', 'remove']), ids: idsSchema }),
  z.object({ action: z.literal('frequency'), ids: idsSchema, check_frequency: frequencySchema }),
  /** Both lists may be empty, but not the two of them. */
  z
    .object({ action: z.literal('tag'), ids: idsSchema, add: tagsSchema, remove: tagsSchema })
    .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], message: 'Name a tag' }),
]);
export type BulkRequest = z.infer<typeof bulkSchema>;

/** In the order asked. `problem` null: it was done, or was so already; `domain` null: it is no more. */
export const bulkResultSchema = z.array(
  z.object({
    id: z.string(),
    problem: problemCodeSchema.nullable(),
    /** A sentence where there is a problem. */
    message: z.string().nullable(),
    domain: domainSchema.nullable(),
  }),
);
export type BulkResult = z.infer<typeof bulkResultSchema>;
