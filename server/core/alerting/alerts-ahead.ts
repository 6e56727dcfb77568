import { alertSteps, isCriticalStep, type Renewable, type Step } from '../alert-steps.ts';
import type { AlertSeverity } from './alert.ts';
import { isExpiryStepTold, type KnownIncident } from './incident.ts';
import { leavesAt } from './silence.ts';
import type { AlertSettings } from './settings.ts';

/** One message that would be sent if nobody renewed. */
export interface AlertAhead {
  step: Step;
  severity: Exclude<AlertSeverity, 'info'>;
  /** When it would leave, ms UTC: its step, or the end of what keeps it back. */
  at: number;
}

/**
 * What people will be told of a certificate from `now` on if nobody renews it, soonest first. A step that has passed and was not
 * told is told now; of those that fall together only the tightest is.
 */
export function alertsAhead(input: {
  certificate: Renewable;
  settings: Pick<AlertSettings, 'steps' | 'quietHours'>;
  /** Of its open incident; nothing where there is none. */
  told: Pick<KnownIncident, 'told' | 'toldAt'>;
  acknowledged: boolean;
  /** A snooze or maintenance, ms UTC. */
  silentUntil: number | null;
  timeZone: string | null;
  now: number;
}): AlertAhead[] {
  const { certificate, settings, told, timeZone, now } = input;
  const { quietHours } = settings;
  const from = Math.max(now, input.silentUntil ?? now);
  const ahead = alertSteps(certificate, settings.steps)
    .filter((step) => !isExpiryStepTold(told, step))
    .filter(({ step }) => !input.acknowledged || step === 'expired')
    .map(({ step, at }): AlertAhead => {
      const severity = isCriticalStep(step, certificate) ? 'critical' : 'warning';
      return { step, severity, at: leavesAt(Math.max(at, from), severity, { quietHours, timeZone }) };
    });
  return ahead.filter(({ at }, index) => !ahead.slice(index + 1).some((later) => later.at <= at));
}
