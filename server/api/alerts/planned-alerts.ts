import type { PlannedAlertWire } from '../../../contract/alerting.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { alertSteps, stepLabel } from '../../core/alert-steps.ts';
import { NOT_NOTIFIED, silentUntil } from '../../core/alerting/incident.ts';
import { type AlertSettings, effectiveSettings } from '../../core/alerting/settings.ts';
import { maintenanceUntil } from '../../core/alerting/silence.ts';
import { type UpcomingAlert, upcomingAlerts } from '../../core/alerting/upcoming-alerts.ts';
import { displayName } from '../../core/endpoint.ts';
import type { AlertForecastInput, PlannedMonitor } from '../../store/alerts/alert-forecast.ts';
import { iso } from '../domains/domain-wire.ts';

/** Settings to try in place of the stored ones. Absent fields keep their stored value. */
export type SettingsToTry = Partial<Pick<AlertSettings, 'steps' | 'quietHours'>>;

/**
 * Returns the expiry alerts that a monitor would cause if its certificates were not renewed, soonest first. `tried`
 * replaces settings of the account or of the domain, depending on `level`. `now` is ms UTC.
 */
export function plannedAlerts(
  monitor: PlannedMonitor,
  forecast: Pick<AlertForecastInput, 'settings' | 'plan' | 'timeZone'>,
  {
    tried = {},
    level = 'account',
    now,
  }: { tried?: SettingsToTry; level?: 'account' | 'domain'; now: number },
): PlannedAlertWire[] {
  const { plan, timeZone } = forecast;
  const settings =
    level === 'domain'
      ? { ...effectiveSettings(forecast.settings, monitor.own, plan), ...tried }
      : effectiveSettings({ ...forecast.settings, ...tried }, monitor.own, plan);
  const silent = { maintenanceUntil: maintenanceUntil(monitor.windows, now, timeZone), now };
  return monitor.expiring
    .flatMap((certificate) => {
      const incident = monitor.incidents.find(({ fingerprint }) => fingerprint === certificate.fingerprint);
      const ahead = upcomingAlerts({
        certificate,
        settings,
        timeZone,
        now,
        notified: incident ?? NOT_NOTIFIED,
        acknowledged: (incident?.acknowledgedAt ?? null) !== null,
        silentUntil: silentUntil({ snoozedUntil: incident?.snoozedUntil ?? null }, silent),
      });
      const instants = new Map(alertSteps(certificate, settings.steps).map(({ step, at }) => [step, at]));
      return ahead.map((one) => ({
        domain_id: monitor.id,
        display_name: displayName(monitor),
        step: one.step,
        label: labelOf(one, { end: certificate.notAfter, instant: instants.get(one.step) ?? one.at }),
        severity: one.severity,
        at: one.at,
        expiry_date: iso(certificate.notAfter),
        certificate_name: certificate.fingerprint === monitor.fingerprint ? null : certificate.name,
        fingerprint: certificate.fingerprint,
        domain_count: 1,
      }));
    })
    .toSorted((left, right) => left.at - right.at)
    .map((one) => ({ ...one, at: iso(one.at) }));
}

/**
 * Returns the label of the step. Adds "delayed" if a snooze or maintenance moves the alert to a date that contradicts the label.
 */
function labelOf({ step, at }: UpcomingAlert, { end, instant }: { end: number; instant: number }): string {
  return stepLabel(step, end - instant) + (at - instant >= DAY_MS ? ', delayed' : '');
}
