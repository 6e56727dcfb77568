import { z } from 'zod';
import { deliverySchema } from './channel.ts';
import { lineSchema } from './text.ts';
import { WEEK_MS } from './durations.ts';
import { ALERT_PROBLEMS, MUTABLE_EVENTS } from './words.ts';

const isoInstant = z.string();
export const MOST_STEPS = 8;
export const MOST_MAINTENANCE_WINDOWS = 50;

/** A point before the end of a certificate: '14d' is days before it, '20%' is how much of its lifetime is left. */
export const alertStepSchema = z.string().regex(/^(?:(?:[1-9]|[1-9]\d|[1-3]\d\d)d|(?:[1-9]|[1-4]\d|50)%)$/, {
  message: 'A step is 1 to 399 days, or 1 to 50 percent of the lifetime',
});
const minuteSchema = z.number().int().min(0).max(1439);

const alertSettingsSchema = z.object({
  /** Keys of channels; null: all of them, also those to come. Never none: silence is not chosen by the way. */
  channels: z.array(z.string().max(64)).min(1, 'Choose at least one channel').max(32).nullable(),
  /** null: the product's own, which fit every lifetime. */
  steps: z
    .array(alertStepSchema)
    .min(1, 'One step has to stay')
    .max(MOST_STEPS, `At most ${MOST_STEPS} steps`)
    .refine((steps) => new Set(steps).size === steps.length, 'Two steps are the same')
    .nullable(),
  /** Minutes after midnight on the account's clock; an end before the beginning is on the next day. */
  quiet_hours: z
    .object({ from_minute: minuteSchema, to_minute: minuteSchema, critical_always: z.boolean() })
    .refine(({ from_minute: from, to_minute: to }) => from !== to, 'Quiet hours need a beginning and an end')
    .nullable(),
  /** What nobody is told of. */
  muted: z.array(z.enum(MUTABLE_EVENTS)).max(MUTABLE_EVENTS.length),
});
export type AlertSettingsWire = z.infer<typeof alertSettingsSchema>;

/** What a domain does otherwise than its account; null (or left out): as the account. `steps: null` inside `own` is a choice too. */
export const domainAlertSettingsSchema = alertSettingsSchema.partial();
export type DomainAlertSettingsWire = z.infer<typeof domainAlertSettingsSchema>;

export const accountAlertsSchema = z
  .object({
    settings: alertSettingsSchema,
    /** IANA name; null: UTC. What quiet hours are in. */
    time_zone: z.string().nullable(),
    /** Weekly, on Monday morning; Premium. */
    digest: z.object({ enabled: z.boolean(), next_at: isoInstant.nullable() }),
    /** null: there is no calendar feed. Its address is told when it is made, and never again. */
    calendar: z.object({ created_at: isoInstant, read_at: isoInstant.nullable() }).nullable(),
  })
  .meta({ id: 'AccountAlerts' });
export type AccountAlertsWire = z.infer<typeof accountAlertsSchema>;

/** What is left out stays as it is, of the settings too. */
export const changeAccountAlertsSchema = z.object({
  settings: alertSettingsSchema.partial().optional(),
  digest: z.boolean().optional(),
});

const plannedAlertSchema = z.object({
  domain_id: z.string(),
  display_name: z.string(),
  /** As in `alertStepSchema`, or a step of the product's own: `renewal_overdue` … `expired`. */
  step: z.string(),
  /** "14 days before", "20 % of its lifetime left", "when it expires" */
  label: z.string(),
  severity: z.enum(['critical', 'warning']),
  /** When it would leave: a quiet hour, a snooze or maintenance counted in. */
  at: isoInstant,
  expiry_date: isoInstant,
  /** Of the certificate, where it is not the one that the domain shows. */
  certificate_name: z.string().nullable(),
});
export type PlannedAlertWire = z.infer<typeof plannedAlertSchema>;

/** What would be sent if nobody renewed: of one domain, or, without it, of those of the account that come first. */
export const previewAlertsSchema = z.object({
  domain_id: z.uuid().optional(),
  steps: alertSettingsSchema.shape.steps,
  /** Left out: those that hold. */
  quiet_hours: alertSettingsSchema.shape.quiet_hours.optional(),
});
export const previewSchema = z.object({
  /** Soonest first, at most 20. */
  alerts: z.array(plannedAlertSchema),
  /** How many more there would be in the next 90 days. */
  more: z.number().int(),
});

export const alertIncidentSchema = z.object({
  id: z.string(),
  problem: z.enum(ALERT_PROBLEMS),
  /** How bad it is now: `critical` turns people away, or will within days. */
  severity: z.enum(['critical', 'warning']),
  /** One sentence: what is wrong. */
  title: z.string(),
  started_at: isoInstant,
  ended_at: isoInstant.nullable(),
  acknowledged_at: isoInstant.nullable(),
  /** In the future: nobody is told before. */
  snoozed_until: isoInstant.nullable(),
});
export type AlertIncidentWire = z.infer<typeof alertIncidentSchema>;

/** One message, with what became of it on each channel. */
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
    /** Those that last, then those that ended within a week; newest first. */
    incidents: z.array(alertIncidentSchema),
    /** Whether any channel takes alerts about it; where none does, nobody is told. */
    is_told: z.boolean(),
    /** Soonest first; empty where nothing will be sent. */
    planned: z.array(plannedAlertSchema),
    /** Newest first, at most 20. */
    sent: z.array(sentAlertSchema),
    /** What the domain does otherwise than the account. */
    own: domainAlertSettingsSchema,
    /** What holds for it. */
    effective: alertSettingsSchema,
    maintenance_until: isoInstant.nullable(),
    /** Keys of mail channels whose reader wants nothing of this domain. */
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
  /** null: of all domains. */
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

/** The secret address of the calendar; shown once. */
export const calendarMadeSchema = z.object({ url: z.string() });

/** Token of a mailed link, whose holder needs no account. A truncated token is refused as a bad link, not as a bad request. */
export const mailedTokenSchema = z.object({ token: z.string().min(1).max(512) });
export const unsubscribeSubjectSchema = z.object({
  /** Masked: m•••@fjord.example */
  address: z.string(),
  /** The domain of the mail, which can be unsubscribed from alone; null where it is gone, and for the digest. */
  domain: z.string().nullable(),
  /** What the mail was that holds the link. */
  mail: z.enum(['alert', 'digest']),
  /** What holds now. */
  unsubscribed: z.enum(['no', 'domain', 'digest', 'all']),
});
export type UnsubscribeSubjectWire = z.infer<typeof unsubscribeSubjectSchema>;
/** `none`: everything again, but for a digest that was ended: its reader begins another. `all` ends alerts and the digest. */
export const unsubscribeSchema = mailedTokenSchema.extend({
  scope: z.enum(['domain', 'digest', 'all', 'none']),
});
export const confirmedRecipientSchema = z.object({ address: z.string(), account: z.string() });
