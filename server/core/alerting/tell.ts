import { alertSteps, isCriticalStep } from '../alert-steps.ts';
import type { AlertSeverity, AlertStep } from './alert.ts';
import type { Condition } from './conditions.ts';
import type { Look } from './look.ts';
import {
  type IncidentSteps,
  isAcknowledged,
  isExpiryStepTold,
  type KnownIncident,
  lookAgain,
  silentUntil,
} from './incident.ts';
import { isMuted } from './settings.ts';

type Told = Pick<KnownIncident, 'told' | 'toldAt'>;

/** What decides on telling of an incident; one that opens right now has no id yet. */
type Tellable = Told &
  Pick<KnownIncident, 'startedAt' | 'acknowledgedAt' | 'snoozedUntil'> & { id: string | null };

/** Plans what is due to be told of an incident that is so and confirmed, unless somebody asked for silence. */
export function tell(look: Look, steps: IncidentSteps, incident: Tellable, condition: Condition): void {
  const due = dueStep(look, incident, condition);
  if (due === null) return;
  const { problem, fingerprint } = condition;
  if (isMuted(look.settings, problem, due.step) || isAcknowledged(incident, due.step)) return;
  const until = silentUntil(incident, look);
  if (until !== null) return lookAgain(steps, until);
  const facts = { ...condition.facts, startedAt: incident.startedAt, endedAt: null };
  steps.alerts.push({ incidentId: incident.id, problem, fingerprint, ...due, facts });
}

/** Whether there is anything to tell of a condition that was not told yet. */
export function isNews(look: Look, told: Told, condition: Condition): boolean {
  return dueStep(look, told, condition) !== null;
}

function dueStep(
  { settings, now }: Look,
  known: Told,
  { problem, expiring, severity }: Condition,
): { step: AlertStep; severity: AlertSeverity } | null {
  if (expiring !== null) {
    const crossed = alertSteps(expiring, settings.steps).findLast(({ at }) => at <= now);
    if (crossed === undefined || isExpiryStepTold(known, crossed)) return null;
    const { step } = crossed;
    return { step, severity: isCriticalStep(step, expiring) ? 'critical' : 'warning' };
  }
  const isPartial = problem === 'chain_broken' && severity === 'warning';
  const step = problem === 'revoked' ? 'revoked' : isPartial ? 'some_clients' : 'opened';
  return known.told.includes(step) || known.told.includes('opened') ? null : { step, severity };
}
