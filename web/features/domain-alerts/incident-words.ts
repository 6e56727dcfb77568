import type { AlertIncidentWire } from '../../../contract/alerting.ts';
import { dayAndMonth } from '../../domain/day-and-month.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';
import { longDate, longDateTime } from '../../lib/format.ts';

type Subject = Pick<AlertIncidentWire, 'problem' | 'expires_at'>;

/** The snooze durations on offer. */
export const SNOOZES = [
  { label: '1 hour', ms: HOUR_MS },
  { label: '1 day', ms: DAY_MS },
  { label: '3 days', ms: 3 * DAY_MS },
  { label: '1 week', ms: 7 * DAY_MS },
] as const;

/** Describes what "Acknowledge" does, shown before it is pressed. After the expiry, only the alert about the end is left. */
export function acknowledgeMeans({ problem, expires_at: end }: Subject, now: number): string {
  return problem === 'expiry' && end !== null && Date.parse(end) > now
    ? 'No more alerts about this incident, except at expiry and when it ends.'
    : 'No more alerts about this incident, except when it ends.';
}

/**
 * Returns the word before the start of an incident: "since", or "opened" if the problem has a date. The alert step comes
 * before that date, and the title may say later that the date has passed: "expired since" would then be wrong.
 */
export const startWord = (problem: AlertIncidentWire['problem']): string =>
  ['expiry', 'registration', 'refused_from', 'renewal_fails'].includes(problem) ? 'Opened' : 'Since';

/** Returns '14:32' on the same day, else '22 November'. Parameters in ms UTC. */
export function untilWords(until: number, now: number): string {
  if (longDate(until) === longDate(now)) return longDateTime(until).slice(-5);
  return dayAndMonth(new Date(until).toISOString(), now);
}

export type IncidentState = 'open' | 'acknowledged' | 'snoozed' | 'over';

/** Returns the state of an incident. Snoozed wins over acknowledged, because it silences more. */
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
