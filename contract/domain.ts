import { z } from 'zod';
import { CHECK_FREQUENCIES } from './constants.ts';
import { lineSchema } from './text.ts';

const DOMAIN_STATES = [
  'pending',
  'unread',
  'expired',
  'critical',
  'soon',
  'ok',
  'revoked',
  'paused',
] as const;
/** `paused`: not checked at present, whatever was seen before; `pending`: never checked; `unread`: checked, but no certificate was ever read; the rest by the badge's thresholds. */
const domainStateSchema = z.enum(DOMAIN_STATES);
export type DomainState = z.infer<typeof domainStateSchema>;

const findingSchema = z.object({
  code: z.string(),
  severity: z.enum(['critical', 'warning', 'note']),
  message: z.string(),
  addresses: z.array(z.string()),
});
export type FindingWire = z.infer<typeof findingSchema>;

const isoInstant = z.string();

/** A watched endpoint as the page shows it. Instants are ISO 8601 UTC; certificate fields are null until one was read. */
export const domainSchema = z
  .object({
    id: z.string(),
    /** A-label or IP address, without the port. */
    hostname: z.string(),
    port: z.number().int(),
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
      state: z.enum(['good', 'revoked', 'unknown', 'unavailable']),
      source: z.enum(['crl', 'ocsp', 'staple']).nullable(),
      checked_at: isoInstant.nullable(),
    }),
    trusted: z.boolean().nullable(),
    findings: z.array(findingSchema),
    /** Why the last check read no certificate; null when it read one. */
    unreachable: z
      .object({ stage: z.string(), reason: z.string(), message: z.string(), since: isoInstant })
      .nullable(),
    /** True while a check is running or asked for. */
    checking: z.boolean(),
    /** Who paused it: the user, or the plan after Premium ended; null while it is checked. */
    paused: z.enum(['user', 'plan']).nullable(),
    check_every_minutes: z.number().int(),
    next_check_at: isoInstant,
    created_at: isoInstant,
  })
  .meta({ id: 'Domain' });
export type DomainWire = z.infer<typeof domainSchema>;

export const addDomainSchema = z.object({ host: z.string().max(2048) });

/** `instead_of`: the domain that is paused in its place, where the plan allows no more. */
export const resumeSchema = z.object({ instead_of: z.uuid().optional() });

export const listQuerySchema = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  q: lineSchema(253).optional(),
  status: domainStateSchema.optional(),
  sort: z.enum(['newest', 'soonest']).default('newest'),
});
export const domainListSchema = z.object({
  data: z.array(domainSchema),
  page: z.number().int(),
  page_size: z.number().int(),
  total: z.number().int(),
});

export const summarySchema = z.object({
  total: z.number().int(),
  counts: z.record(domainStateSchema, z.number().int()),
  /** Soonest first; merged per day beyond 500, then `count` says how many stand behind the entry. */
  expiries: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      display_name: z.string(),
      not_after: isoInstant,
      state: domainStateSchema,
      count: z.number().int().default(1),
    }),
  ),
  /**
   * Domains that need a person for another reason than their dates, at most 500: `untrusted` (the last verdict says
   * so, a wrong name included) or `unreachable` (the last check read no certificate).
   */
  problems: z.array(
    z.object({
      id: z.string(),
      hostname: z.string(),
      display_name: z.string(),
      state: domainStateSchema,
      kind: z.enum(['untrusted', 'unreachable']),
      /** One plain sentence: the worst finding's message, or why nothing was read. */
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
  })
  .meta({ id: 'HistoryEntry' });
export type HistoryEntryWire = z.infer<typeof historyEntrySchema>;

export const frequencyQuerySchema = z.object({
  check_frequency: z.coerce
    .number()
    .int()
    .refine(
      (minutes) => CHECK_FREQUENCIES.some((choice) => choice.minutes === minutes),
      'Choose 10, 15, 60 or 1440 minutes',
    ),
});
