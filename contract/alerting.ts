import { z } from 'zod';
import { deliverySchema } from './channel.ts';
import { lineSchema } from './text.ts';
import { WEEK_MS } from './durations.ts';
import { ALERT_PROBLEMS, MUTABLE_EVENTS } from './words.ts';

const isoInstant = z.string();
export const MAX_STEPS = 8;
export const MAX_MAINTENANCE_WINDOWS = 50;

/** When to alert before a certificate expires: '14d' is 14 days before, '20%' is when 20 % of its lifetime is left. */
export const alertStepSchema = z.string().regex(/^(?:(?:[1-9]|[1-9]\d|[1-3]\d\d)d|(?:[1-9]|[1-4]\d|50)%)$/, {
  message: 'A step is 1 to 399 days, or 1 to 50 percent of the lifetime',
});
const minuteSchema = z.number().int().min(0).max(1439);

const alertSettingsSchema = z.object({
  /** Keys of channels; null means all, also later ones. Never empty, so that nobody turns alerts off by accident. */
  channels: z.array(z.string().max(64)).min(1, 'Choose at least one channel').max(32).nullable(),
  /** null means the default steps, which work for every certificate lifetime. */
  steps: z
    .array(alertStepSchema)
    .min(1, 'One step has to stay')
    .max(MAX_STEPS, `At most ${MAX_STEPS} steps`)
    .refine((steps) => new Set(steps).size === steps.length, 'Two steps are the same')
    .nullable(),
  /** Minutes after midnight in the account's time zone. An end before the start is on the next day. */
  quiet_hours: z
    .object({ from_minute: minuteSchema, to_minute: minuteSchema, critical_always: z.boolean() })
    .refine(({ from_minute: from, to_minute: to }) => from !== to, 'Quiet hours need a beginning and an end')
    .nullable(),
  /** Events for which no alerts are sent. */
  muted: z.array(z.enum(MUTABLE_EVENTS)).max(MUTABLE_EVENTS.length),
});
export type AlertSettingsWire = z.infer<typeof alertSettingsSchema>;

/** A domain's overrides. Omitted fields inherit from the account; `steps: null` overrides with the default steps. */
export const domainAlertSettingsSchema = alertSettingsSchema.partial();
export type DomainAlertSettingsWire = z.infer<typeof domainAlertSettingsSchema>;

export const accountAlertsSchema = z
  .object({
    settings: alertSettingsSchema,
    /** IANA time zone that quiet hours use; null means UTC. */
    time_zone: z.string().nullable(),
    /** Sent on Monday mornings; Premium only. */
    digest: z.object({ enabled: z.boolean(), next_at: isoInstant.nullable() }),
    /** null: there is no calendar feed. Its URL is shown only when it is created. */
    calendar: z.object({ created_at: isoInstant, read_at: isoInstant.nullable() }).nullable(),
  })
  .meta({ id: 'AccountAlerts' });
export type AccountAlertsWire = z.infer<typeof accountAlertsSchema>;

/** Fields that are left out keep their value, inside `settings` too. */
export const changeAccountAlertsSchema = z.object({
  settings: alertSettingsSchema.partial().optional(),
  digest: z.boolean().optional(),
});

const plannedAlertSchema = z.object({
  domain_id: z.string(),
  display_name: z.string(),
  /** As in `alertStepSchema`, or a built-in step such as `renewal_overdue` or `expired`. */
  step: z.string(),
  /** "14 days before", "20 % of its lifetime left", "when it expires" */
  label: z.string(),
  severity: z.enum(['critical', 'warning']),
  /** When it would be sent, after any quiet hours, snooze or maintenance window. */
  at: isoInstant,
  expiry_date: isoInstant,
  /** Name of the certificate, if it is not the one that the domain serves. */
  certificate_name: z.string().nullable(),
});
export type PlannedAlertWire = z.infer<typeof plannedAlertSchema>;

/** Asks which alerts would be sent if nobody renewed, for one domain or, without `domain_id`, the whole account. */
export const previewAlertsSchema = z.object({
  domain_id: z.uuid().optional(),
  steps: alertSettingsSchema.shape.steps,
  /** Left out: the current ones. */
  quiet_hours: alertSettingsSchema.shape.quiet_hours.optional(),
});
export const previewSchema = z.object({
  /** Soonest first, at most 20. */
  alerts: z.array(plannedAlertSchema),
  /** How many further alerts there would be within the next 90 days. */
  more: z.number().int(),
});

export const alertIncidentSchema = z.object({
  id: z.string(),
  problem: z.enum(ALERT_PROBLEMS),
  /** Current severity. `critical` keeps visitors out, or will within days. */
  severity: z.enum(['critical', 'warning']),
  /** One sentence that says what is wrong. */
  title: z.string(),
  started_at: isoInstant,
  ended_at: isoInstant.nullable(),
  acknowledged_at: isoInstant.nullable(),
  /** No alerts are sent before this instant; always in the future. */
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
    /** Open incidents, then those that ended within the last week; newest first. */
    incidents: z.array(alertIncidentSchema),
    /** Whether at least one channel would send alerts about this domain. */
    is_told: z.boolean(),
    /** Soonest first; empty if nothing will be sent. */
    planned: z.array(plannedAlertSchema),
    /** Newest first, at most 20. */
    sent: z.array(sentAlertSchema),
    /** The domain's overrides. */
    own: domainAlertSettingsSchema,
    /** The account's settings with the overrides applied. */
    effective: alertSettingsSchema,
    maintenance_until: isoInstant.nullable(),
    /** Keys of mail channels whose recipient unsubscribed from this domain. */
    unsubscribed: z.array(z.string()),
  })
  .meta({ id: 'DomainAlerts' });
export type DomainAlertsWire = z.infer<typeof domainAlertsSchema>;

export const snoozeSchema = z.object({
  /** ISO 8601, at most 30 days ahead; null ends it. */
  until: z.iso.datetime({ offset: true }).nullable(),
});
export const acknowledgeSchema = z.object({ acknowledged: z.boolean() });

export const maintenanceWindowSchema = z.object({
  id: z.string(),
  /** null: all domains. */
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
    message: 'The end comes after the beginning',
    path: ['ends_at'],
  })
  .refine(({ starts_at: from, ends_at: to }) => Date.parse(to) - Date.parse(from) <= WEEK_MS, {
    message: 'A window lasts at most a week',
    path: ['ends_at'],
  });

/** The calendar's secret URL, shown only once. */
export const calendarMadeSchema = z.object({ url: z.string() });

/** Token of a mailed link; works without an account. Any length passes, so that a truncated one is a bad link. */
export const mailedTokenSchema = z.object({ token: z.string().min(1).max(512) });
export const unsubscribeSubjectSchema = z.object({
  /** Masked: m•••@fjord.example */
  address: z.string(),
  /** The mail's domain, to unsubscribe from it alone; null for the digest and for a removed domain. */
  domain: z.string().nullable(),
  /** Kind of the mail that contains the link. */
  mail: z.enum(['alert', 'digest']),
  /** Current state. */
  unsubscribed: z.enum(['no', 'domain', 'digest', 'all']),
});
export type UnsubscribeSubjectWire = z.infer<typeof unsubscribeSubjectSchema>;
/** `all` stops alerts and the digest. `none` resubscribes, but a digest has to be turned on in the settings. */
export const unsubscribeSchema = mailedTokenSchema.extend({
  scope: z.enum(['domain', 'digest', 'all', 'none']),
});
export const confirmedRecipientSchema = z.object({ address: z.string(), account: z.string() });
