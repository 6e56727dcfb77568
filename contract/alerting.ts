import { z } from 'zod';
import { deliverySchema } from './channel.ts';
import { lineSchema } from './text.ts';
import { WEEK_MS } from './durations.ts';
import { ALERT_PROBLEMS, OPTIONAL_EVENTS } from './check-words.ts';

const isoInstant = z.string();
export const MAX_STEPS = 8;
export const MAX_MAINTENANCE_WINDOWS = 50;

/** Time of an alert before a certificate expires: '14d' is 14 days before, '20%' is when 20 % of the lifetime is left. */
export const alertStepSchema = z.string().regex(/^(?:(?:[1-9]|[1-9]\d|[1-3]\d\d)d|(?:[1-9]|[1-4]\d|50)%)$/, {
  message: 'Enter 1 to 399 days, or 1 to 50 percent of the lifetime',
});
const minuteSchema = z.number().int().min(0).max(1439);

const alertSettingsSchema = z.object({
  /**
   * Keys of the channels that send alerts; null means all, including channels added later. Never empty, so that nobody turns off
   * all alerts by accident.
   */
  channels: z.array(z.string().max(64)).min(1, 'Choose at least one channel').max(32).nullable(),
  /** Steps at which expiry alerts are sent; null means the default steps, which suit every certificate lifetime. */
  steps: z
    .array(alertStepSchema)
    .min(1, 'Keep at least one step')
    .max(MAX_STEPS, `Choose at most ${MAX_STEPS} steps`)
    .refine((steps) => new Set(steps).size === steps.length, 'Choose each step only once')
    .nullable(),
  /**
   * Daily quiet hours in minutes after midnight, in the account's time zone; null if there are none. An end before the start is
   * on the next day.
   */
  quiet_hours: z
    .object({ from_minute: minuteSchema, to_minute: minuteSchema, critical_always: z.boolean() })
    .refine(
      ({ from_minute: from, to_minute: to }) => from !== to,
      'Choose different times for the start and end of quiet hours',
    )
    .nullable(),
  /** Events for which no alerts are sent. */
  muted: z.array(z.enum(OPTIONAL_EVENTS)).max(OPTIONAL_EVENTS.length),
});
export type AlertSettingsWire = z.infer<typeof alertSettingsSchema>;

/**
 * Alert settings of a domain. Omitted fields inherit from the account; `steps: null` overrides the account's steps with the
 * default steps.
 */
export const domainAlertSettingsSchema = alertSettingsSchema.partial();
export type DomainAlertSettingsWire = z.infer<typeof domainAlertSettingsSchema>;

export const accountAlertsSchema = z
  .object({
    settings: alertSettingsSchema,
    /** IANA time zone of the quiet hours; null means UTC. */
    time_zone: z.string().nullable(),
    /** Weekly digest mail, sent on Monday mornings; Premium only. */
    digest: z.object({ enabled: z.boolean(), next_at: isoInstant.nullable() }),
    /** Calendar feed; null if there is none. Its URL is shown only when it is created. */
    calendar: z.object({ created_at: isoInstant, read_at: isoInstant.nullable() }).nullable(),
  })
  .meta({ id: 'AccountAlerts' });
export type AccountAlertsWire = z.infer<typeof accountAlertsSchema>;

/** Changes to the account's alert settings. Omitted fields keep their value, also inside `settings`. */
export const changeAccountAlertsSchema = z.object({
  settings: alertSettingsSchema.partial().optional(),
  digest: z.boolean().optional(),
});
export type ChangeAccountAlerts = z.input<typeof changeAccountAlertsSchema>;

const plannedAlertSchema = z.object({
  domain_id: z.string(),
  display_name: z.string(),
  /** Either as in `alertStepSchema`, such as '14d', or a built-in step such as `renewal_overdue` or `expired`. */
  step: z.string(),
  /** The step in words, e.g. "14 days before", "20% of its lifetime left" or "when it expires". */
  label: z.string(),
  severity: z.enum(['critical', 'warning']),
  /** Time when the alert would be sent, after any quiet hours, snooze or maintenance window. */
  at: isoInstant,
  expiry_date: isoInstant,
  /** Name of the certificate that expires; null if it is the certificate that the domain serves now. */
  certificate_name: z.string().nullable(),
  /** Fingerprint of the certificate that expires. */
  fingerprint: z.string(),
  /**
   * Number of domains that the alert is about: in a forecast for the whole account possibly several, in a forecast for one
   * domain always 1.
   */
  domain_count: z.number().int().default(1),
});
export type PlannedAlertWire = z.infer<typeof plannedAlertSchema>;

/**
 * Query for the alerts that would be sent if no certificate were renewed, for one domain or, without `domain_id`, for the
 * account.
 */
export const previewAlertsSchema = z.object({
  domain_id: z.uuid().optional(),
  steps: alertSettingsSchema.shape.steps,
  /** Quiet hours to apply; the current ones if omitted. */
  quiet_hours: alertSettingsSchema.shape.quiet_hours.optional(),
});
export type PreviewAlerts = z.input<typeof previewAlertsSchema>;
export const previewSchema = z.object({
  /** The next alerts, soonest first, at most 20. */
  alerts: z.array(plannedAlertSchema),
  /** Number of further alerts, not in `alerts`; for a whole account, only those within the next 90 days. */
  more: z.number().int(),
});

export const alertIncidentSchema = z.object({
  id: z.string(),
  problem: z.enum(ALERT_PROBLEMS),
  /** Current severity. `critical`: the problem turns visitors away, or will within days. */
  severity: z.enum(['critical', 'warning']),
  /** One sentence that says what is wrong. */
  title: z.string(),
  started_at: isoInstant,
  /** When the certificate or the registration expires; null if the incident is about something else. */
  expires_at: isoInstant.nullable().default(null),
  ended_at: isoInstant.nullable(),
  acknowledged_at: isoInstant.nullable(),
  /** End of the snooze, before which no alerts about the incident are sent; always in the future. null without a snooze. */
  snoozed_until: isoInstant.nullable(),
});
export type AlertIncidentWire = z.infer<typeof alertIncidentSchema>;

/** An alert with its delivery on each channel. */
const sentAlertSchema = z.object({
  id: z.string(),
  event: z.string(),
  title: z.string(),
  severity: z.enum(['critical', 'warning', 'info']),
  created_at: isoInstant,
  deliveries: z.array(deliverySchema),
});
export type SentAlertWire = z.infer<typeof sentAlertSchema>;

export const domainAlertsSchema = z
  .object({
    /** Open incidents, then those that ended within the last week, each newest first. */
    incidents: z.array(alertIncidentSchema),
    /** Whether at least one channel would send alerts about this domain. */
    is_told: z.boolean(),
    /** Planned alerts, soonest first, at most 20; empty if none will be sent. */
    planned: z.array(plannedAlertSchema),
    /** Sent alerts, newest first, at most 20. */
    sent: z.array(sentAlertSchema),
    /** Settings of the domain that override the account's. */
    own: domainAlertSettingsSchema,
    /** The account's settings with the domain's overrides applied. */
    effective: alertSettingsSchema,
    maintenance_until: isoInstant.nullable(),
    /** End of the current quiet hours, until which alerts are held; null outside of them. */
    quiet_until: isoInstant.nullable().default(null),
    /** Keys of mail channels whose recipient unsubscribed from this domain. */
    unsubscribed: z.array(z.string()),
  })
  .meta({ id: 'DomainAlerts' });
export type DomainAlertsWire = z.infer<typeof domainAlertsSchema>;

export const snoozeSchema = z.object({
  /** End of the snooze, ISO 8601, at most 30 days ahead; null ends a snooze now. */
  until: z.iso.datetime({ offset: true }).nullable(),
});
export const acknowledgeSchema = z.object({ acknowledged: z.boolean() });

export const maintenanceWindowSchema = z.object({
  id: z.string(),
  /** Domain that the window applies to; null for all domains. */
  domain: z.object({ id: z.string(), display_name: z.string() }).nullable(),
  starts_at: isoInstant,
  ends_at: isoInstant,
  repeats: z.enum(['never', 'weekly']),
  note: z.string(),
  active: z.boolean(),
});
export type MaintenanceWindowWire = z.infer<typeof maintenanceWindowSchema>;
export const addMaintenanceWindowSchema = z
  .object({
    domain_id: z.uuid().nullable(),
    starts_at: z.iso.datetime({ offset: true }),
    ends_at: z.iso.datetime({ offset: true }),
    repeats: z.enum(['never', 'weekly']),
    note: lineSchema(200).default(''),
  })
  .refine(({ starts_at: from, ends_at: to }) => Date.parse(to) > Date.parse(from), {
    message: 'Choose an end after the start',
    path: ['ends_at'],
  })
  .refine(({ starts_at: from, ends_at: to }) => Date.parse(to) - Date.parse(from) <= WEEK_MS, {
    message: 'A maintenance window can last at most a week',
    path: ['ends_at'],
  });

/** Secret URL of the calendar feed, shown only in this answer. */
export const calendarCreatedSchema = z.object({ url: z.string() });

/**
 * Token of a mailed link, valid without an account. Truncated tokens pass this schema too, so that the answer is `invalid_token`
 * instead of `invalid_request`.
 */
export const mailedTokenSchema = z.object({ token: z.string().min(1).max(512) });
export const unsubscribeSubjectSchema = z.object({
  /** Masked email address of the recipient, e.g. m•••@fjord.example. */
  address: z.string(),
  /**
   * Domain that the mail was about. The recipient can unsubscribe from mails about this domain alone. Null for the digest and
   * for a removed domain.
   */
  domain: z.string().nullable(),
  /** Kind of the mail that contains the link. */
  mail: z.enum(['alert', 'digest']),
  /** Scope of the recipient's current unsubscription; `no` if there is none. */
  unsubscribed: z.enum(['no', 'domain', 'digest', 'all']),
});
export type UnsubscribeSubjectWire = z.infer<typeof unsubscribeSubjectSchema>;
/**
 * Change of a recipient's subscription. `all` stops alerts and the digest. `none` resumes alerts, but not the digest: only
 * the account's settings turn that on again.
 */
export const unsubscribeSchema = mailedTokenSchema.extend({
  scope: z.enum(['domain', 'digest', 'all', 'none']),
});
export type UnsubscribeScope = z.infer<typeof unsubscribeSchema>['scope'];
export const confirmedRecipientSchema = z.object({ address: z.string(), account: z.string() });
export type ConfirmedRecipientWire = z.infer<typeof confirmedRecipientSchema>;
