import { z } from 'zod';

const isoInstant = z.string();

/** How many recent checks the uptime strip shows. */
export const STRIP_CHECKS = 90;
/** Days of response times and incidents that each plan shows. */
export const UPTIME_DAYS = { free: 7, premium: 90 } as const;

const uptimeStateSchema = z.enum(['up', 'down', 'unknown']);
export type UptimeState = z.infer<typeof uptimeStateSchema>;

/** Uptime as a card or row of the domain list shows it. */
export const uptimeSummarySchema = z.object({
  /** Confirmed by a second check; null before the first one. */
  state: uptimeStateSchema.nullable(),
  /** The last 90 checks at most, oldest first, one letter each: `u` up, `d` failed, `?` unknown. */
  checks: z.string(),
  /** Share of the time it was up, 0 to 100; null without data. */
  percent: z.number().nullable(),
  /** Response time of the last check that got an answer. */
  response_ms: z.number().int().nullable(),
  /** Start of the current outage; null if there is none. */
  down_since: isoInstant.nullable(),
});

const incidentSchema = z.object({
  id: z.string(),
  started_at: isoInstant,
  /** null while it is open. */
  ended_at: isoInstant.nullable(),
  cause: z.string(),
  message: z.string(),
});
export type IncidentWire = z.infer<typeof incidentSchema>;

export const uptimeSchema = z
  .object({
    state: uptimeStateSchema.nullable(),
    percent: z.number().nullable(),
    /** 7 or 90, depending on the plan. */
    window_days: z.number().int(),
    /** Start of the data: the first check or the start of the window, whichever is later. */
    since: isoInstant.nullable(),
    /** Oldest first, at most 90. */
    checks: z.array(
      z.object({
        at: isoInstant,
        state: uptimeStateSchema,
        response_ms: z.number().int().nullable(),
        /** Why it failed. */
        message: z.string().nullable(),
      }),
    ),
    /** Incidents that overlap the window, newest first, at most 100. */
    incidents: z.array(incidentSchema),
    /** Evenly spaced over the window, oldest first, at most 120; intervals without an answer are left out. */
    response_times: z.array(
      z.object({ at: isoInstant, average_ms: z.number().int(), slowest_ms: z.number().int() }),
    ),
  })
  .meta({ id: 'Uptime' });
export type UptimeWire = z.infer<typeof uptimeSchema>;
