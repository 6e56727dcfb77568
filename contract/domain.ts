import { z } from 'zod';
import { cursorQuerySchema, nextCursor } from './calls/call.ts';
import { FINDING_SEVERITIES } from './check-words.ts';
import { SORT_DIRECTIONS } from './calls/list-order.ts';
import { PERIOD_PATTERN } from './durations.ts';
import {
  ATTENTION_REASONS,
  BULK_SIZE,
  CHECK_FREQUENCIES,
  DEFAULT_CHECK_EVERY_MINUTES,
  DOMAIN_SORTS,
  DOMAIN_STATES,
  HOST_MAX_LENGTH,
  LIST_STATUSES,
  MAX_TAGS,
  NAME_MAX_LENGTH,
  NOTES_MAX_LENGTH,
  SEARCH_MAX_LENGTH,
  TAG_MAX_LENGTH,
  TARGET_MAX_LENGTH,
} from './words.ts';
import { PROTOCOL_NAMES } from './protocols.ts';
import { problemCodeSchema } from './problem.ts';
import { lineSchema, textSchema } from './text.ts';
import { uptimeSummarySchema } from './uptime.ts';

const domainStateSchema = z.enum(DOMAIN_STATES);

export const findingSchema = z.object({
  code: z.string(),
  severity: z.enum(FINDING_SEVERITIES),
  message: z.string(),
  /** A few words for a card; absent if the finding has only its message. */
  short: z.string().optional(),
  addresses: z.array(z.string()),
  /** Number of addresses that answered, if only some of them have the problem. */
  of_addresses: z.number().int().optional(),
});
export type FindingWire = z.infer<typeof findingSchema>;

const isoInstant = z.string();

const protocolSchema = z.enum(PROTOCOL_NAMES);

/** Label for grouping domains, in lower case. Contains no comma, because lists separate tags with commas. */
export const tagSchema = lineSchema(TAG_MAX_LENGTH)
  .toLowerCase()
  .min(1, 'A tag cannot be empty')
  .refine((tag) => !tag.includes(','), 'A tag cannot contain a comma');
const tagsSchema = z
  .array(tagSchema)
  .max(MAX_TAGS, `A domain can have at most ${MAX_TAGS} tags`)
  .transform((tags) => [...new Set(tags)]);
const notesSchema = textSchema(NOTES_MAX_LENGTH);

const targetText = z.string().max(TARGET_MAX_LENGTH).nullish();
/**
 * How a domain is checked. The target is part of the domain's identity, so it cannot be changed. Absent, null and empty
 * fields mean the default.
 */
export const targetFieldsSchema = z.object({
  /** Address or name to connect to instead of the host, with a port if that differs: '10.0.0.7', '[2001:db8::1]:8443'. */
  connect_to: targetText,
  /** Server name that the handshake sends (SNI) instead of the host. 'none': it sends no server name. */
  server_name: targetText,
  /** Name or IP address that the certificate must be valid for, instead of the host. */
  verify_name: targetText,
  /** HTTP statuses that count as up: '200-399,401'; only for the protocol https. Default: all but 500 to 599. */
  expected_status: targetText,
  /** '4' or '6': check IPv4 or IPv6 addresses only. */
  family: targetText,
});

/** The fields of a target in normalised form; null for a field that has its default. */
const targetSchema = z.object({
  connect_to: z.string().nullable(),
  server_name: z.string().nullable(),
  verify_name: z.string().nullable(),
  expected_status: z.string().nullable(),
  family: z.string().nullable(),
  /** The fields in one sentence, for people. */
  summary: z.string(),
});

/** Whether the next renewal of a certificate of a public CA will work, for lists and cards. */
export const nextRenewalSchema = z.object({
  outcome: z.enum(['works', 'fails', 'not_known']),
  /** One sentence for a card: "Next renewal will fail: CAA forbids Let's Encrypt"; null unless it will fail. */
  line: z.string().nullable(),
  /** When we expect the renewal. */
  expected_at: isoInstant,
});

/** A monitored endpoint. Instants are ISO 8601 UTC; certificate fields are null until a check has read a certificate. */
export const domainSchema = z
  .object({
    id: z.string(),
    /** Host name as A-label (RFC 5890), or IP address; without the port. */
    hostname: z.string(),
    port: z.number().int(),
    protocol: protocolSchema,
    /** Settings of how the domain is checked; null if all have their defaults. */
    target: targetSchema.nullable().default(null),
    /**
     * Name to display: U-label (RFC 5890), with the port unless it is 443. For a domain with a `target`, it ends with what
     * distinguishes the domain from others of the same host: 'example.com via 10.0.0.7'.
     */
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
    /** Start of the renewal window, the same as `renewal.from`. */
    renewal_from: isoInstant.nullable(),
    is_revoked: z.boolean(),
    revocation: z.object({
      /**
       * Revocation state. `not_applicable`: the certificate is too short-lived to be revoked, or declares that it has no
       * revocation information (RFC 9608).
       */
      state: z.enum(['good', 'revoked', 'unknown', 'unavailable', 'not_applicable']),
      source: z.enum(['crl', 'ocsp', 'staple']).nullable(),
      checked_at: isoInstant.nullable(),
      /** Reason code as named in RFC 5280 §5.3.1, e.g. `keyCompromise`; null if none is given. */
      reason: z.string().nullable(),
      revoked_at: isoInstant.nullable(),
    }),
    /** Renewal window of the certificate; null until a check has read a certificate. */
    renewal: z
      .object({
        from: isoInstant,
        to: isoInstant,
        /** Time when renewal becomes overdue; null if another address already serves the renewed certificate. */
        overdue_at: isoInstant.nullable().default(null),
        /** True if the lifetime is below 30 days. `state` can then be critical from the first day: only `overdue_at` says when to act. */
        is_short_lived: z.boolean().default(false),
        /** Source of the window. `ari`: published by the CA (RFC 9773); `lifetime`: estimated from the certificate's lifetime. */
        source: z.enum(['ari', 'lifetime']),
        /** URL (http or https) of the CA's explanation why the certificate should be replaced; null if there is none. */
        explanation_url: z.string().nullable(),
      })
      .nullable(),
    /** Forecast of the next renewal; null until one was made, and for certificates of private CAs. It never changes `attention`. */
    next_renewal: nextRenewalSchema.nullable().default(null),
    /** Intermediate certificate in the path that expires before the leaf; null if the leaf expires first. */
    weakest_link: z.object({ name: z.string(), expiry_date: isoInstant }).nullable(),
    uptime: uptimeSummarySchema,
    trusted: z.boolean().nullable(),
    /** True if some clients refuse to connect today, although the certificate is trusted. The findings say which clients and why. */
    refused: z.boolean().default(false),
    /**
     * The most urgent reason for attention; null if there is none. `overdue`: the renewal is overdue; `flawed`: a finding
     * without a reason of its own asks for a fix.
     */
    attention: z.enum(ATTENTION_REASONS).nullable().default(null),
    findings: z.array(findingSchema),
    /** Reason why the last check could not read a certificate; null if it could. */
    unreachable: z
      .object({ stage: z.string(), reason: z.string(), message: z.string(), since: isoInstant })
      .nullable(),
    /** True while a check is running or requested. */
    checking: z.boolean(),
    /**
     * Why the last check was not recorded, and when it is repeated; null if it was, during a check, and while the domain is
     * paused. `own_network`: many hosts failed at once, so our own network may be the cause.
     */
    waiting: z
      .object({ reason: z.enum(['own_network']), until: isoInstant })
      .nullable()
      .default(null),
    /**
     * Reason why the domain is paused; null while it is checked. `user`: the user paused it; `plan`: it exceeds the plan's limit;
     * `unconfirmed`: it was added before the account's email address was verified, and resuming confirms it.
     */
    paused: z.enum(['user', 'plan', 'unconfirmed']).nullable(),
    /** The owner's notes; may contain line breaks. */
    notes: z.string(),
    tags: z.array(z.string()),
    /** Path of the site's icon on this origin; null if no icon is known. A new icon gets a new path. */
    favicon: z.string().nullable(),
    check_every_minutes: z.number().int().default(DEFAULT_CHECK_EVERY_MINUTES),
    next_check_at: isoInstant,
    created_at: isoInstant,
  })
  .meta({ id: 'Domain' });
export type DomainWire = z.infer<typeof domainSchema>;

export const addDomainSchema = targetFieldsSchema.extend({ host: z.string().max(HOST_MAX_LENGTH) });

/** Filter of domains. `q` matches part of the name (A-label or U-label), of the notes or of a tag. */
export const domainFilterSchema = z.object({
  q: lineSchema(SEARCH_MAX_LENGTH).optional(),
  status: z.enum(LIST_STATUSES).optional(),
  tag: tagSchema.optional(),
  /** Period (UTC) in which the certificate of an active domain expires: '2027-03', or the days '2026-11-22..2026-12-05'. */
  expires: z
    .string()
    .regex(PERIOD_PATTERN, 'Please give a month such as 2027-03, or days such as 2026-11-22..2026-12-05')
    .optional(),
  /** Name of the authority that issued the certificate, as in `authority_name`. */
  issuer: lineSchema(NAME_MAX_LENGTH).optional(),
  /** Only domains without any tag, or without a known issuer. */
  without: z.enum(['tag', 'issuer']).optional(),
});
export type DomainFilter = z.infer<typeof domainFilterSchema>;

/**
 * Query of the domain list, with either `page` or `cursor`. A cursor is valid only for the sort order of the answer that
 * contained it.
 */
export const listQuerySchema = domainFilterSchema.extend({
  ...cursorQuerySchema.shape,
  page: z.coerce.number<number>().int().min(1).max(1_000_000).default(1),
  sort: z.enum(DOMAIN_SORTS).default('newest'),
  /** By default `desc` for `newest`, else `asc`. Domains whose certificate was never read are last in both directions of `soonest`. */
  direction: z.enum(SORT_DIRECTIONS).optional(),
});
/** Filter and sort order of the domain list, without pagination. */
export const csvQuerySchema = listQuerySchema.omit({ page: true, cursor: true, limit: true });

export const domainListSchema = z.object({
  data: z.array(domainSchema),
  /** Number of the page, from 1; null if the request used a cursor. */
  page: z.number().int().nullable(),
  page_size: z.number().int(),
  total: z.number().int(),
  next_cursor: nextCursor,
});

export const summarySchema = z.object({
  total: z.number().int(),
  counts: z.record(domainStateSchema, z.number().int()),
  /** Number of domains in `counts` with a trusted, short-lived certificate whose renewal is not overdue. */
  on_schedule: z
    .object({ critical: z.number().int(), soon: z.number().int() })
    .default({ critical: 0, soon: 0 }),
  /** Number of domains that the list's `renewal_fails` filter finds. */
  renewal_fails: z.number().int().default(0),
  /** Domains that need attention: what the list's `attention` filter finds. */
  attention: z.object({
    total: z.number().int(),
    /** Number of domains by their most urgent reason. */
    counts: z.record(z.enum(ATTENTION_REASONS), z.number().int()),
    /** Number of domains that the list's `problem` filter finds. */
    problems: z.number().int(),
    /** The three most urgent domains, most urgent first. */
    first: z.array(
      z.object({
        id: z.string(),
        hostname: z.string(),
        display_name: z.string(),
        reason: z.enum(ATTENTION_REASONS),
        /** End of validity of the certificate last read; null if none was read. */
        not_after: isoInstant.nullable(),
      }),
    ),
  }),
  /** The 500 tags with the most domains, in alphabetical order. */
  tags: z.array(z.object({ tag: z.string(), count: z.number().int() })),
  /**
   * Certificates, soonest first, each with its first domain by name. If there are more than 500, all that expire on the same day (UTC) in the
   * same state share one entry, with the domain whose certificate expires first. Domains in `problems` always have an entry of their own.
   */
  expiries: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      display_name: z.string(),
      not_after: isoInstant,
      /** Start of validity, which shows whether the certificate is short-lived; null unless the state is `critical` or `soon`. */
      valid_from: isoInstant.nullable().default(null),
      state: domainStateSchema,
      /** Whether `on_schedule` of the summary counts this domain. */
      on_schedule: z.boolean().default(false),
      /** Time from which the renewal counts as overdue; null unless `on_schedule` is true. */
      renewal_due_at: isoInstant.nullable().default(null),
      /** Number of domains that the entry stands for. */
      count: z.number().int().default(1),
      /** Number of certificates: more than one if the entry stands for several that expire on one day. */
      certificate_count: z.number().int().default(1),
      /** Fingerprint of the certificate; null except for one certificate that several domains serve. */
      fingerprint: z.string().nullable().default(null),
    }),
  ),
  /**
   * Up to 500 domains that need attention for another reason than an expiry date. `down` is confirmed by a second check. A
   * domain that is down has a second entry if its certificate has a problem too.
   */
  problems: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      display_name: z.string(),
      state: domainStateSchema,
      kind: z.enum(['untrusted', 'down', 'refused', 'unreachable', 'overdue', 'flawed']),
      /** One sentence: the message of the worst finding, or the reason why the domain is down or no certificate was read. */
      message: z.string(),
      /** Fingerprint of the certificate if `expiries` lists it as well; else null. */
      fingerprint: z.string().nullable().default(null),
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
    /** False if only the fields of this entry are stored. The certificate can then be neither compared nor downloaded. */
    kept: z.boolean().default(true),
  })
  .meta({ id: 'HistoryEntry' });
export type HistoryEntryWire = z.infer<typeof historyEntrySchema>;

/** Certificate of the chain that the endpoint last sent. Lists keep the order in which the endpoint sent the certificates. */
export const chainCertificateSchema = z
  .object({
    fingerprint: z.string(),
    /** Position in the chain. `root`: subject and issuer are equal. */
    role: z.enum(['leaf', 'intermediate', 'root']),
    subject: z.string(),
    subject_full_dn: z.string(),
    issuer: z.string(),
    issuer_full_dn: z.string(),
    /** Serial number in hexadecimal, as encoded in the certificate. */
    serial_number: z.string(),
    valid_from: isoInstant,
    expiry_date: isoInstant,
    /** Key type, e.g. 'ECDSA P-256', 'RSA 2048 bit' or 'Ed25519'; an object identifier for types without a usual name. */
    public_key: z.string(),
    /** Subject alternative names, at most 2,000. */
    sans: z.array(z.string()),
    pem: z.string(),
  })
  .meta({ id: 'ChainCertificate' });
export type ChainCertificateWire = z.infer<typeof chainCertificateSchema>;

/** Changes to the notes and tags of a domain. Omitted fields keep their value. */
export const describeDomainSchema = z.object({ notes: notesSchema.optional(), tags: tagsSchema.optional() });

const frequencySchema = z.coerce
  .number<number>()
  .int()
  .refine(
    (minutes) => CHECK_FREQUENCIES.some((choice) => choice.minutes === minutes),
    'Choose 10, 15, 60 or 1440 minutes',
  );
export const frequencyQuerySchema = z.object({ check_frequency: frequencySchema });

const idsSchema = z.array(z.uuid()).min(1).max(BULK_SIZE, `Select at most ${BULK_SIZE} domains at once`);
export const bulkSchema = z.discriminatedUnion('action', [
  z.object({ action: z.enum(['check', 'pause', 'resume', 'remove']), ids: idsSchema }),
  z.object({
    action: z.literal('frequency'),
    ids: idsSchema,
    check_frequency: frequencySchema,
    /** Changes only the domains that have this interval; the others stay as they are. */
    instead_of: frequencySchema.optional(),
  }),
  /** At least one of `add` and `remove` must contain a tag. */
  z
    .object({ action: z.literal('tag'), ids: idsSchema, add: tagsSchema, remove: tagsSchema })
    .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], message: 'Enter a tag' }),
]);
export type BulkRequest = z.infer<typeof bulkSchema>;

/**
 * Results in request order. `problem` is null on success, which includes domains that already were as requested. `domain` is
 * null if it no longer exists.
 */
export const bulkResultSchema = z.array(
  z.object({
    id: z.string(),
    problem: problemCodeSchema.nullable(),
    /** One sentence about the problem; null if there is none. */
    message: z.string().nullable(),
    domain: domainSchema.nullable(),
  }),
);
export type BulkResult = z.infer<typeof bulkResultSchema>;
