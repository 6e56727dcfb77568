import { z } from 'zod';

const isoInstant = z.string();

/** The last checks that a strip shows. */
export const STRIP_CHECKS = 90;
/** How far back response times and incidents go, in days. */
export const UPTIME_DAYS = { free: 7, premium: 90 } as const;

const uptimeStateSchema = z.enum(['up', 'down', 'unknown']);
export type UptimeState = z.infer<typeof uptimeStateSchema>;

/** What a card or a row shows of a domain's uptime. */
export const uptimeSummarySchema = z.object({
  /** Confirmed by a second look; null before the first check. */
  state: uptimeStateSchema.nullable(),
  /** The last checks, oldest first, a letter each: `u` up, `d` failed, `?` unknown. At most 90. */
  checks: z.string(),
  /** By time, 0 to 100; null where nothing was seen yet. */
  percent: z.number().nullable(),
  /** Of the last check that got an answer. */
  response_ms: z.number().int().nullable(),
  /** Since when it is down; null while it is not. */
  down_since: isoInstant.nullable(),
});

const incidentSchema = z.object({
  id: z.string(),
  started_at: isoInstant,
  /** null while it lasts. */
  ended_at: isoInstant.nullable(),
  cause: z.string(),
  message: z.string(),
});
export type IncidentWire = z.infer<typeof incidentSchema>;

export const uptimeSchema = z
  .object({
    state: uptimeStateSchema.nullable(),
    percent: z.number().nullable(),
    /** What the plan shows: 7 or 90. */
    window_days: z.number().int(),
    /** Where the figures begin: the first check, or the window's start. */
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
    /** Newest first, those that touch the window, at most 100. */
    incidents: z.array(incidentSchema),
    /** Evenly spaced over the window, oldest first, at most 120; spans without an answer are left out. */
    response_times: z.array(
      z.object({ at: isoInstant, average_ms: z.number().int(), slowest_ms: z.number().int() }),
    ),
  })
  .meta({ id: 'Uptime' });
export type UptimeWire = z.infer<typeof uptimeSchema>;
