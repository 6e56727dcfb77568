import { z } from 'zod';
import { addMaintenanceWindowSchema } from '../../../../contract/alerting.ts';
import { MINUTE_MS, HOUR_MS } from '../../../../contract/durations.ts';

/** '2026-11-21T14:00' of this browser's clock, as the fields for date and time have it. */
export function localText(instant: number): string {
  const date = new Date(instant);
  return new Date(instant - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Two hours from the next full one on. */
export function usualWindow(now: number): { from: string; to: string } {
  const from = Math.ceil(now / HOUR_MS) * HOUR_MS;
  return { from: localText(from), to: localText(from + 2 * HOUR_MS) };
}

/** What a person typed, as the contract has it but for the domain, which has a name yet and no id; times are of this browser's clock. */
export const typedWindowSchema = z
  .object({
    /** Empty: all of them. */
    domain: z.string().trim(),
    from: z.string().refine(isTime, 'When does it begin?'),
    to: z.string().refine(isTime, 'When does it end?'),
    weekly: z.string(),
    note: z.string(),
  })
  .transform(({ domain, from, to, weekly, note }, context) => {
    const parsed = addMaintenanceWindowSchema.safeParse({
      domain_id: null,
      starts_at: new Date(from).toISOString(),
      ends_at: new Date(to).toISOString(),
      repeats: weekly === 'weekly' ? 'weekly' : 'never',
      note,
    });
    if (parsed.success) {
      if (weekly === 'weekly' || Date.parse(parsed.data.ends_at) > Date.now())
        return { domain, window: parsed.data };
      context.addIssue({ code: 'custom', message: 'It is over already', path: ['to'] });
      return z.NEVER;
    }
    for (const { message, path } of parsed.error.issues)
      context.addIssue({ code: 'custom', message, path: [FIELDS[String(path[0])] ?? 'from'] });
    return z.NEVER;
  });

const FIELDS: Record<string, string> = { starts_at: 'from', ends_at: 'to', note: 'note' };

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
