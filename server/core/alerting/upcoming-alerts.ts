import { alertSteps, isCriticalStep, type Renewable, type Step } from '../alert-steps.ts';
import type { AlertSeverity } from './alert.ts';
import { isExpiryStepNotified, type KnownIncident } from './incident.ts';
import { sendAt } from './silence.ts';
import type { AlertSettings } from './settings.ts';

/** An alert that will be sent unless the certificate is renewed. */
export interface UpcomingAlert {
  step: Step;
  severity: Exclude<AlertSeverity, 'info'>;
  /**
   * When the alert would be sent, ms UTC: at its step, or at the end of the snooze, maintenance or quiet hours that delay it.
   */
  at: number;
}

/**
 * Returns the alerts that will be sent from `now` on if nobody renews the certificate, soonest first. A past step that was
 * not sent is sent now. Of several alerts due at the same time, only that of the tightest step is sent.
 */
export function upcomingAlerts(input: {
  certificate: Renewable;
  settings: Pick<AlertSettings, 'steps' | 'quietHours'>;
  /** Steps that the open incident of the certificate has reported; empty if there is none. */
  notified: Pick<KnownIncident, 'notifiedSteps' | 'lastStepAt'>;
  acknowledged: boolean;
  /** End of a snooze or of maintenance, ms UTC; null if there is neither. */
  silentUntil: number | null;
  timeZone: string | null;
  now: number;
}): UpcomingAlert[] {
  const { certificate, settings, notified, timeZone, now } = input;
  const { quietHours } = settings;
  const from = Math.max(now, input.silentUntil ?? now);
  const ahead = alertSteps(certificate, settings.steps)
    .filter((step) => !isExpiryStepNotified(notified, step))
    .filter(({ step }) => !input.acknowledged || step === 'expired')
    .map(({ step, at }): UpcomingAlert => {
      const severity = isCriticalStep(step, certificate) ? 'critical' : 'warning';
      return { step, severity, at: sendAt(Math.max(at, from), severity, { quietHours, timeZone }) };
    });
  return ahead.filter(({ at }, index) => !ahead.slice(index + 1).some((later) => later.at <= at));
}
