import { z } from 'zod';
import { MOST_TAGS } from './words.ts';
import { tagSchema } from './domain.ts';
import { lineSchema } from './text.ts';

const isoInstant = z.string();

/** Domains that a page shows at most, and that can be named for it. */
export const MOST_SHOWN = 200;
/** Incidents that a page tells of at most. */
export const MOST_INCIDENTS_SHOWN = 20;
const TITLE_MAX_LENGTH = 80;

/** What would look like ours, or like a promise of ours. */
const RESERVED_ADDRESSES = new Set(
  `about abuse account accounts admin administrator alert alerts api app assets auth badge billing blog certlantern
  contact dashboard demo docs domain domains example health help home incident incidents info legal login logout mail
  metrics news official operator page pages postmaster pricing privacy profile public root security service settings
  signup site staff static status statuspage support sysadmin system team terms test uptime webmaster www`.split(
    /\s+/,
  ),
);
export const isReservedAddress = (slug: string): boolean => RESERVED_ADDRESSES.has(slug);

/** The last part of a page's address. */
export const pageAddressSchema = lineSchema(200)
  .toLowerCase()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'Use letters, digits and single hyphens between them')
  .min(3, 'At least 3 characters')
  .max(40, 'At most 40 characters');

const choicesSchema = z.object({
  title: lineSchema(TITLE_MAX_LENGTH).min(1, 'A page has a title'),
  /** Which domains: all of them, those with one of `tags`, or those that `domains` names. */
  shows: z.enum(['all', 'tags', 'chosen']),
  tags: z.array(tagSchema).max(MOST_TAGS, `At most ${MOST_TAGS} tags`),
  /** Names for people; empty: the domain's own. With `chosen`, in this order. */
  domains: z
    .array(z.object({ id: z.uuid(), label: lineSchema(80) }))
    .max(MOST_SHOWN, `At most ${MOST_SHOWN} domains`)
    .refine(
      (domains) => new Set(domains.map(({ id }) => id)).size === domains.length,
      'A domain stands twice',
    ),
  show_certificates: z.boolean(),
  show_uptime: z.boolean(),
  show_incidents: z.boolean(),
});

export const previewStatusPageSchema = choicesSchema;
export type StatusPageChoices = z.infer<typeof choicesSchema>;

/** What is left out stays as it is. */
export const saveStatusPageSchema = choicesSchema
  .extend({
    slug: pageAddressSchema,
    /** Whether anybody can see the page. */
    enabled: z.boolean(),
    /** Whether search engines may list it. */
    listed: z.boolean(),
  })
  .partial();
export type StatusPageChange = z.infer<typeof saveStatusPageSchema>;

export const statusPageSchema = choicesSchema
  .extend({
    /** null before the first time. */
    slug: z.string().nullable(),
    enabled: z.boolean(),
    listed: z.boolean(),
    /** Where the page is, absolute; null without an address. */
    url: z.string().nullable(),
    title: z.string(),
    domains: z.array(z.object({ id: z.string(), display_name: z.string(), label: z.string() })),
  })
  .meta({ id: 'StatusPage' });
export type StatusPageWire = z.infer<typeof statusPageSchema>;

export const pageAddressQuerySchema = z.object({ slug: z.string().max(200) });
export const pageAddressAnswerSchema = z.object({
  available: z.boolean(),
  /** A sentence where it is not. */
  reason: z.string().nullable(),
});

const certificateStateSchema = z.enum(['ok', 'soon', 'critical', 'expired', 'revoked', 'untrusted']);

const shownDomainSchema = z.object({
  /** The label, or the domain's own name. */
  name: z.string(),
  /** Confirmed by a second look. `paused`: not checked at present; `unknown`: not known yet, or not at present. */
  state: z.enum(['up', 'down', 'unknown', 'paused']),
  down_since: isoInstant.nullable(),
  /** null where none was read yet, or the page shows none. */
  certificate: z
    .object({
      state: certificateStateSchema,
      /** Whole days, rounded down; negative once it has expired. */
      days_left: z.number().int(),
      expiry_date: isoInstant,
    })
    .nullable(),
  /** null where the page shows none, and of what is paused. */
  uptime: z
    .object({
      /** By time, 0 to 100; null where nothing was seen yet. */
      percent: z.number().nullable(),
      /** The last checks, oldest first, a letter each: `u` up, `d` failed, `?` unknown. At most 90. */
      checks: z.string(),
    })
    .nullable(),
});
export type ShownDomain = z.infer<typeof shownDomainSchema>;

const shownIncidentSchema = z.object({
  name: z.string(),
  started_at: isoInstant,
  /** null while it lasts. */
  ended_at: isoInstant.nullable(),
});
export type ShownIncident = z.infer<typeof shownIncidentSchema>;

/** What anybody sees of a status page. Nothing in it says whose it is, nor what its domains are called beside their labels. */
export const publicStatusSchema = z
  .object({
    title: z.string(),
    /** Of what the page shows, the worst: `down`, then `trouble` with a certificate; `unknown` where nothing is known. */
    state: z.enum(['up', 'trouble', 'down', 'unknown']),
    /** How far back uptime and incidents go, in days. */
    window_days: z.number().int(),
    /** The newest check of any of its domains; null before the first. */
    checked_at: isoInstant.nullable(),
    domains: z.array(shownDomainSchema),
    /** Domains for which there is no room. */
    more: z.number().int(),
    /** What lasts before what has ended, each newest first, at most 20; null where the page tells of none. */
    incidents: z.array(shownIncidentSchema).nullable(),
  })
  .meta({ id: 'PublicStatus' });
export type PublicStatus = z.infer<typeof publicStatusSchema>;

/** A picture that anybody who knows its address can see. */
export const badgeSchema = z.object({ url: z.string() }).nullable();
