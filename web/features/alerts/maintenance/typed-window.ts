import { z } from 'zod';
import { addMaintenanceWindowSchema } from '../../../../contract/alerting.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../contract/durations.ts';
import { clockText, minuteOfDay } from '../../../ui/form/time-of-day.ts';

/** Returns '2026-11-21' and '14:00' in this browser's time zone. */
function localTexts(instant: number): [day: string, time: string] {
  const offsetMs = new Date(instant).getTimezoneOffset() * MINUTE_MS;
  const text = new Date(instant - offsetMs).toISOString();
  return [text.slice(0, 10), text.slice(11, 16)];
}

/** Returns two hours, starting at the next full hour. */
export function usualWindow(now: number) {
  const from = Math.ceil(now / HOUR_MS) * HOUR_MS;
  const [from_day, from_time] = localTexts(from);
  const [to_day, to_time] = localTexts(from + 2 * HOUR_MS);
  return { from_day, from_time, to_day, to_time };
}

/** Reads what somebody typed as a time, such as '7 pm', as '19:00'. */
const timeSchema = z.string().transform((text, context) => {
  const minute = minuteOfDay(text);
  if (minute === null) context.addIssue({ code: 'custom', message: 'Enter a time such as 07:00' });
  return clockText(minute ?? 0);
});

/**
 * Turns the form into the contract's input, except that the domain is still a name and not an id. Times are in this browser's
 * time zone.
 */
export const typedWindowSchema = z
  .object({
    /** Empty means all domains. */
    domain: z.string().trim(),
    from_day: z.string().refine(isDay, 'Enter a start date'),
    from_time: timeSchema,
    to_day: z.string().refine(isDay, 'Enter an end date'),
    to_time: timeSchema,
    weekly: z.string(),
    note: z.string(),
  })
  .transform(({ domain, weekly, note, ...times }, context) => {
    const parsed = addMaintenanceWindowSchema.safeParse({
      domain_id: null,
      starts_at: new Date(`${times.from_day}T${times.from_time}`).toISOString(),
      ends_at: new Date(`${times.to_day}T${times.to_time}`).toISOString(),
      repeats: weekly === 'weekly' ? 'weekly' : 'never',
      note,
    });
    if (parsed.success) {
      if (weekly === 'weekly' || Date.parse(parsed.data.ends_at) > Date.now())
        return { domain, window: parsed.data };
      context.addIssue({ code: 'custom', message: 'The end is in the past', path: ['to_day'] });
      return z.NEVER;
    }
    for (const { message, path } of parsed.error.issues)
      context.addIssue({ code: 'custom', message, path: [FIELDS[String(path[0])] ?? 'from_day'] });
    return z.NEVER;
  });

const FIELDS: Record<string, string> = { starts_at: 'from_day', ends_at: 'to_day', note: 'note' };

function isDay(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
