import type { AlertIncidentWire } from '../../../../contract/alerting.ts';
import { longDate, longDateTime } from '../../../lib/dates.ts';
import { dayAndMonth } from '../day-and-month.ts';
import { HOUR_MS, DAY_MS } from '../../../../contract/durations.ts';

/** For how long nobody is told, as it can be chosen. */
export const SNOOZES = [
  { label: '1 hour', ms: HOUR_MS },
  { label: '1 day', ms: DAY_MS },
  { label: '3 days', ms: 3 * DAY_MS },
  { label: '1 week', ms: 7 * DAY_MS },
] as const;

/** What "Acknowledge" does, said before it is pressed. */
export function acknowledgeMeans(problem: AlertIncidentWire['problem']): string {
  return problem === 'expiry'
    ? 'No more reminders, except when it expires and when it is over.'
    : 'No more reminders, except when it is over.';
}

/** '14:32' on the same day, else '22 November'. ms UTC. */
export function untilWords(until: number, now: number): string {
  if (longDate(until) === longDate(now)) return longDateTime(until).slice(-5);
  return dayAndMonth(new Date(until).toISOString(), now);
}

export type IncidentState = 'open' | 'acknowledged' | 'snoozed' | 'over';

/** How it stands with an incident; who snoozes what was acknowledged hears even less, so that counts. */
export function incidentState(
  {
    ended_at: endedAt,
    snoozed_until: snoozedUntil,
    acknowledged_at: acknowledgedAt,
  }: Pick<AlertIncidentWire, 'ended_at' | 'snoozed_until' | 'acknowledged_at'>,
  now: number,
): IncidentState {
  if (endedAt !== null) return 'over';
  if (snoozedUntil !== null && Date.parse(snoozedUntil) > now) return 'snoozed';
  return acknowledgedAt === null ? 'open' : 'acknowledged';
}
