import { z } from 'zod';
import { cursorQuerySchema, nextCursor } from './calls/call.ts';
import {
  DEFAULT_CHECK_EVERY_MINUTES,
  BULK_SIZE,
  CHECK_FREQUENCIES,
  DOMAIN_STATES,
  PROTOCOLS,
  HOST_MAX_LENGTH,
  MAX_TAGS,
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

/** A short label for grouping domains, in lower case. Lists separate tags by commas, so a tag has none. */
export const tagSchema = lineSchema(TAG_MAX_LENGTH)
  .toLowerCase()
  .min(1, 'A tag has at least one character')
  .refine((tag) => !tag.includes(','), 'A tag has no comma');
const tagsSchema = z
  .array(tagSchema)
  .max(MAX_TAGS, `A domain has at most ${MAX_TAGS} tags`)
  .transform((tags) => [...new Set(tags)]);
const notesSchema = textSchema(NOTES_MAX_LENGTH);

/** A monitored endpoint. Instants are ISO 8601 UTC; certificate fields are null until a certificate was read. */
export const domainSchema = z
  .object({
    id: z.string(),
    /** A-label (RFC 5890) or IP address, without the port. */
    hostname: z.string(),
    port: z.number().int(),
    protocol: protocolSchema,
    /** Name to display: U-label (RFC 5890), with the port unless it is 443. */
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
    /** Start of the renewal window. */
    renewal_from: isoInstant.nullable(),
    is_revoked: z.boolean(),
    revocation: z.object({
      /** `not_applicable`: too short-lived to be revoked, or the certificate declares it (RFC 9608). */
      state: z.enum(['good', 'revoked', 'unknown', 'unavailable', 'not_applicable']),
      source: z.enum(['crl', 'ocsp', 'staple']).nullable(),
      checked_at: isoInstant.nullable(),
      /** Reason code as named in RFC 5280 §5.3.1, e.g. `keyCompromise`; null if none is given. */
      reason: z.string().nullable(),
      revoked_at: isoInstant.nullable(),
    }),
    /** When it should be renewed; null if no certificate was read. */
    renewal: z
      .object({
        from: isoInstant,
        to: isoInstant,
        /** When renewal becomes overdue; null if another address already serves the renewed certificate. */
        overdue_at: isoInstant.nullable().default(null),
        /** Lifetime below 30 days: `state` is critical or soon from day one, so only `overdue_at` calls for action. */
        is_short_lived: z.boolean().default(false),
        /** `ari`: the window that the CA publishes (RFC 9773); `lifetime`: estimated from the lifetime. */
        source: z.enum(['ari', 'lifetime']),
        /** http(s) page on which the CA explains why the certificate should be replaced. */
        explanation_url: z.string().nullable(),
      })
      .nullable(),
    /** The certificate in the path that expires before the leaf; null if the leaf expires first. */
    weakest_link: z.object({ name: z.string(), expiry_date: isoInstant }).nullable(),
    uptime: uptimeSummarySchema,
    trusted: z.boolean().nullable(),
    findings: z.array(findingSchema),
    /** Why the last check could not read a certificate; null if it could. */
    unreachable: z
      .object({ stage: z.string(), reason: z.string(), message: z.string(), since: isoInstant })
      .nullable(),
    /** True while a check is running or requested. */
    checking: z.boolean(),
    /**
     * Why it is paused: by the user, by the plan after Premium ended, or because it was added before the account's
     * email address was verified (`unconfirmed`; resuming it confirms it). null while it is checked.
     */
    paused: z.enum(['user', 'plan', 'unconfirmed']).nullable(),
    /** The owner's notes; may contain line breaks. */
    notes: z.string(),
    tags: z.array(z.string()),
    /** Path of the site's icon on this origin; null if none is known. A new icon gets a new URL. */
    favicon: z.string().nullable(),
    check_every_minutes: z.number().int().default(DEFAULT_CHECK_EVERY_MINUTES),
    next_check_at: isoInstant,
    created_at: isoInstant,
  })
  .meta({ id: 'Domain' });
export type DomainWire = z.infer<typeof domainSchema>;

export const addDomainSchema = z.object({ host: z.string().max(HOST_MAX_LENGTH) });

/** `instead_of` is the domain to pause in exchange when the plan's limit is reached. */
export const resumeSchema = z.object({ instead_of: z.uuid().optional() });

export const DOMAIN_SORTS = ['newest', 'soonest', 'name'] as const;
export type DomainSort = (typeof DOMAIN_SORTS)[number];

/** List filters: a state, or `problem` for domains among the summary's `problems`. */
export const LIST_STATUSES = [...DOMAIN_STATES, 'problem'] as const;
export type ListStatus = (typeof LIST_STATUSES)[number];

/** Selects domains. `q` matches part of the name (A-label or U-label), the notes or a tag. */
const domainFilterSchema = z.object({
  q: lineSchema(SEARCH_MAX_LENGTH).optional(),
  status: z.enum(LIST_STATUSES).optional(),
  tag: tagSchema.optional(),
});
export type DomainFilter = z.infer<typeof domainFilterSchema>;

/** Takes `page` or `cursor`. A cursor is valid only for the sort order that it came from. */
export const listQuerySchema = domainFilterSchema.extend({
  ...cursorQuerySchema.shape,
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  sort: z.enum(DOMAIN_SORTS).default('newest'),
});
/** The list's filter and sort order, without pagination. */
export const csvQuerySchema = listQuerySchema.omit({ page: true, cursor: true, limit: true });

/** Ids in list order, at most 10,000; `total` counts all that match. */
export const domainIdsSchema = z.object({ ids: z.array(z.string()), total: z.number().int() });

export const domainListSchema = z.object({
  data: z.array(domainSchema),
  /** null if the request used a cursor. */
  page: z.number().int().nullable(),
  page_size: z.number().int(),
  total: z.number().int(),
  next_cursor: nextCursor,
});

export const summarySchema = z.object({
  total: z.number().int(),
  counts: z.record(domainStateSchema, z.number().int()),
  /** How many in `counts` are short-lived, trusted and not overdue for renewal, so that nobody has to act. */
  on_schedule: z
    .object({ critical: z.number().int(), soon: z.number().int() })
    .default({ critical: 0, soon: 0 }),
  /** All tags in use, in alphabetical order. */
  tags: z.array(z.object({ tag: z.string(), count: z.number().int() })),
  /** Soonest first. Above 500 domains, entries are merged per day and `count` says how many each one stands for. */
  expiries: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      display_name: z.string(),
      not_after: isoInstant,
      /** Set for `critical` and `soon`, which a certificate valid for a few days is from its first day on. */
      valid_from: isoInstant.nullable().default(null),
      state: domainStateSchema,
      /** Whether the summary's `on_schedule` counts it. */
      on_schedule: z.boolean().default(false),
      count: z.number().int().default(1),
    }),
  ),
  /**
   * At most 500 domains with other problems than dates: `untrusted` (or a wrong name), `down` (a second check confirmed
   * it) or `unreachable` (the last check read no certificate). An untrusted domain that is down has two entries.
   */
  problems: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      display_name: z.string(),
      state: domainStateSchema,
      kind: z.enum(['untrusted', 'down', 'unreachable']),
      /** One sentence: the worst finding's message, or why it is down or no certificate could be read. */
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
    /** False if only these fields are stored: the certificate can no longer be compared or downloaded. */
    kept: z.boolean().default(true),
  })
  .meta({ id: 'HistoryEntry' });
export type HistoryEntryWire = z.infer<typeof historyEntrySchema>;

/** A sentence that names the limit because of which some certificates were not stored; null if all were. */
export const notKeptSchema = z.string().nullable().default(null);

/** A certificate of the chain that the endpoint last sent. Lists keep the order in which they were sent. */
export const chainCertificateSchema = z
  .object({
    fingerprint: z.string(),
    /** `root`: subject and issuer are equal. */
    role: z.enum(['leaf', 'intermediate', 'root']),
    subject: z.string(),
    subject_full_dn: z.string(),
    issuer: z.string(),
    issuer_full_dn: z.string(),
    /** Hexadecimal, as encoded in the certificate. */
    serial_number: z.string(),
    valid_from: isoInstant,
    expiry_date: isoInstant,
    /** 'ECDSA P-256', 'RSA 2048 bit', 'Ed25519'; an object identifier for other key types. */
    public_key: z.string(),
    /** At most 2,000. */
    sans: z.array(z.string()),
    pem: z.string(),
  })
  .meta({ id: 'ChainCertificate' });
export type ChainCertificateWire = z.infer<typeof chainCertificateSchema>;

/** Fields that are left out keep their value. */
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
  /** At least one of `add` and `remove` has a tag. */
  z
    .object({ action: z.literal('tag'), ids: idsSchema, add: tagsSchema, remove: tagsSchema })
    .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], message: 'Name a tag' }),
]);
export type BulkRequest = z.infer<typeof bulkSchema>;

/** Results in request order. `problem` null: done, or already so. `domain` null: it no longer exists. */
export const bulkResultSchema = z.array(
  z.object({
    id: z.string(),
    problem: problemCodeSchema.nullable(),
    /** One sentence; set if there is a problem. */
    message: z.string().nullable(),
    domain: domainSchema.nullable(),
  }),
);
export type BulkResult = z.infer<typeof bulkResultSchema>;
