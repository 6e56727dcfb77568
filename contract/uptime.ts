import { z } from 'zod';

const isoInstant = z.string();

/** Number of recent checks that the uptime strip shows. */
export const STRIP_CHECKS = 90;
/** Number of days of uptime, response times and incidents that each plan shows. */
export const UPTIME_DAYS = { free: 7, premium: 90 } as const;

const uptimeStateSchema = z.enum(['up', 'down', 'unknown']);
export type UptimeState = z.infer<typeof uptimeStateSchema>;

/** Uptime of a domain for the cards and rows of the domain list. */
export const uptimeSummarySchema = z.object({
  /** State, confirmed by a second check; null before the first conclusive check. */
  state: uptimeStateSchema.nullable(),
  /** The last checks, at most 90, oldest first, one letter each: `u` up, `d` failed, `?` unknown. */
  checks: z.string(),
  /** Percentage of time for which the domain was up, 0 to 100; null without data. */
  percent: z.number().nullable(),
  /** Response time of the last check that got an answer, in ms; null if none did. */
  response_ms: z.number().int().nullable(),
  /** Why the domain is down, as a sentence; null if it is not down, or that is not known. */
  cause: z.string().nullable().default(null),
  /** Start of the current outage; null if there is none. */
  down_since: isoInstant.nullable(),
});

const incidentSchema = z.object({
  id: z.string(),
  started_at: isoInstant,
  /** End of the incident; null while it is open. */
  ended_at: isoInstant.nullable(),
  cause: z.string(),
  message: z.string(),
});
export type IncidentWire = z.infer<typeof incidentSchema>;

export const uptimeSchema = z
  .object({
    state: uptimeStateSchema.nullable(),
    percent: z.number().nullable(),
    /** Number of days shown: 7 or 90, depending on the plan. */
    window_days: z.number().int(),
    /** Start of the data: the first check or the start of the window, whichever is later. */
    since: isoInstant.nullable(),
    /** The last checks, oldest first, at most 90. */
    checks: z.array(
      z.object({
        at: isoInstant,
        state: uptimeStateSchema,
        response_ms: z.number().int().nullable(),
        /** Reason why the check failed; null if it did not fail. */
        message: z.string().nullable(),
      }),
    ),
    /** Incidents that overlap the window, newest first, at most 100. */
    incidents: z.array(incidentSchema),
    /** Response times in equal intervals of the window, oldest first, at most 120. Intervals without an answer are omitted. */
    response_times: z.array(
      z.object({ at: isoInstant, average_ms: z.number().int(), slowest_ms: z.number().int() }),
    ),
  })
  .meta({ id: 'Uptime' });
export type UptimeWire = z.infer<typeof uptimeSchema>;
