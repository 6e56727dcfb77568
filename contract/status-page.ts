import { z } from 'zod';
import { MAX_TAGS } from './words.ts';
import { tagSchema } from './domain.ts';
import { lineSchema } from './text.ts';

const isoInstant = z.string();

/** Maximum number of domains that can be chosen for a status page and that it shows. */
export const MAX_SHOWN = 200;
/** Maximum number of incidents that a status page shows. */
export const MAX_INCIDENTS_SHOWN = 20;
const TITLE_MAX_LENGTH = 80;

/** Slugs that nobody may choose, because readers could mistake the page for a page of the operator. */
const RESERVED_ADDRESSES = new Set(
  `about abuse account accounts admin administrator alert alerts api app assets auth badge billing blog certlantern
  contact dashboard demo docs domain domains example health help home incident incidents info legal login logout mail
  metrics news official operator page pages postmaster pricing privacy profile public root security service settings
  signup site staff static status statuspage support sysadmin system team terms test uptime webmaster www`.split(
    /\s+/,
  ),
);
export const isReservedAddress = (slug: string): boolean => RESERVED_ADDRESSES.has(slug);

/** Slug of a status page: the last segment of its URL. */
export const pageAddressSchema = lineSchema(200)
  .toLowerCase()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'Use letters, digits and single hyphens between them')
  .min(3, 'Enter at least 3 characters')
  .max(40, 'Enter at most 40 characters');

const choicesSchema = z.object({
  title: lineSchema(TITLE_MAX_LENGTH).min(1, 'Enter a title'),
  /** Selection of domains: all, those with one of `tags`, or those listed in `domains`. */
  shows: z.enum(['all', 'tags', 'chosen']),
  tags: z.array(tagSchema).max(MAX_TAGS, `Choose at most ${MAX_TAGS} tags`),
  /**
   * Labels shown instead of domain names; an empty label shows the domain's own name. Private names appear only if listed here.
   * With `chosen`, domains in the same state appear in this order.
   */
  domains: z
    .array(z.object({ id: z.uuid(), label: lineSchema(80) }))
    .max(MAX_SHOWN, `Choose at most ${MAX_SHOWN} domains`)
    .refine(
      (domains) => new Set(domains.map(({ id }) => id)).size === domains.length,
      'Choose each domain only once',
    ),
  show_certificates: z.boolean(),
  show_uptime: z.boolean(),
  show_incidents: z.boolean(),
});

export const previewStatusPageSchema = choicesSchema;
export type StatusPageChoices = z.infer<typeof choicesSchema>;

/** Changes to a status page. Omitted fields keep their value. */
export const saveStatusPageSchema = choicesSchema
  .extend({
    slug: pageAddressSchema,
    /** Whether anybody can see the page. */
    enabled: z.boolean(),
    /** Whether search engines may list the page. */
    listed: z.boolean(),
  })
  .partial();
export type StatusPageChange = z.infer<typeof saveStatusPageSchema>;

export const statusPageSchema = choicesSchema
  .extend({
    /** Slug of the page; null until the page was first saved. */
    slug: z.string().nullable(),
    enabled: z.boolean(),
    listed: z.boolean(),
    /** Absolute URL of the page; null without a slug. */
    url: z.string().nullable(),
    title: z.string(),
    domains: z.array(z.object({ id: z.string(), display_name: z.string(), label: z.string() })),
  })
  .meta({ id: 'StatusPage' });
export type StatusPageWire = z.infer<typeof statusPageSchema>;

export const pageAddressQuerySchema = z.object({ slug: z.string().max(200) });
export const pageAddressAnswerSchema = z.object({
  available: z.boolean(),
  /** Sentence that says why the slug is not available; null if it is available. */
  reason: z.string().nullable(),
});

const certificateStateSchema = z.enum([
  'ok',
  'soon',
  'critical',
  'expired',
  'revoked',
  'untrusted',
  'refused',
]);

const shownDomainSchema = z.object({
  /** Label of the domain or, without a label, its own name. */
  name: z.string(),
  /** State, confirmed by a second check. `paused`: not checked at present; `unknown`: no conclusive check yet or at present. */
  state: z.enum(['up', 'down', 'unknown', 'paused']),
  down_since: isoInstant.nullable(),
  /** Last certificate read; null if none was read yet, the domain is paused or the page hides certificates. */
  certificate: z
    .object({
      state: certificateStateSchema,
      /** Whole days until expiry, rounded down; negative after expiry. */
      days_left: z.number().int(),
      expiry_date: isoInstant,
    })
    .nullable(),
  /**
   * True if the domain was checked but no check ever read a certificate. False before the first check and if the page hides
   * certificates.
   */
  is_unread: z.boolean().default(false),
  /** Uptime of the domain; null if the page hides uptime or the domain is paused. */
  uptime: z
    .object({
      /** Percentage of time for which the domain was up, 0 to 100; null without data. */
      percent: z.number().nullable(),
      /**
       * Minutes of downtime on each of the last `window_days` days (UTC), rounded up, oldest first; the last one is today. Null for
       * days without data.
       */
      down_minutes: z.array(z.number().int().nullable()),
    })
    .nullable(),
});
export type ShownDomain = z.infer<typeof shownDomainSchema>;

const shownIncidentSchema = z.object({
  /** Stable identifier, for feed readers. It is not the id of the domain and does not reveal it. */
  id: z.string(),
  name: z.string(),
  started_at: isoInstant,
  /** End of the incident; null while it is open. */
  ended_at: isoInstant.nullable(),
});
export type ShownIncident = z.infer<typeof shownIncidentSchema>;

/** A status page as the public sees it. Does not reveal its owner, nor the real names of domains that have a label. */
export const publicStatusSchema = z
  .object({
    title: z.string(),
    /**
     * State of the page: `down` if a domain is down, else `trouble` if a certificate shown is expired, revoked, untrusted or
     * refused, else `up` if a domain is up, else `unknown`.
     */
    state: z.enum(['up', 'trouble', 'down', 'unknown']),
    /** Number of days of uptime and incidents shown. */
    window_days: z.number().int(),
    /** Time of the most recent check of any domain on the page; null before the first check. */
    checked_at: isoInstant.nullable(),
    /** The domains, worst first: by the `ATTENTION_REASONS`, then unknown, up, paused. */
    domains: z.array(shownDomainSchema),
    /** Number of domains that did not fit on the page. */
    more: z.number().int(),
    /** Open incidents, then ended ones, each newest first, at most 20; null if the page hides incidents. */
    incidents: z.array(shownIncidentSchema).nullable(),
  })
  .meta({ id: 'PublicStatus' });
export type PublicStatus = z.infer<typeof publicStatusSchema>;

/** A status page as it would be published, for its owner. */
export const statusPreviewSchema = publicStatusSchema
  .extend({
    /** Local names and private addresses that the page leaves out. They appear if `domains` lists them. */
    private_names: z.array(z.string()),
  })
  .meta({ id: 'StatusPreview' });

/** Badge of a domain: an image that anybody who knows its URL can load; null while the badge is switched off. */
export const badgeSchema = z.object({ url: z.string() }).nullable();
