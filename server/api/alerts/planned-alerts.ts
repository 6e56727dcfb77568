import type { PlannedAlertWire } from '../../../contract/alerting.ts';
import {
  upcomingAlerts,
  type AlertSettings,
  alertSteps,
  displayName,
  effectiveSettings,
  maintenanceUntil,
  silentUntil,
  stepLabel,
} from '../../core/index.ts';
import type { AlertForecastInput, PlannedMonitor } from '../../store/alerts/alert-forecast.ts';
import { iso } from '../domains/domain-wire.ts';

/** Settings to try instead of the stored ones. Absent fields keep their stored value. */
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
        notified: incident ?? { notifiedSteps: [], lastStepAt: null },
        acknowledged: (incident?.acknowledgedAt ?? null) !== null,
        silentUntil: silentUntil({ snoozedUntil: incident?.snoozedUntil ?? null }, silent),
      });
      const instants = new Map(alertSteps(certificate, settings.steps).map(({ step, at }) => [step, at]));
      return ahead.map((one) => ({
        domain_id: monitor.id,
        display_name: displayName(monitor),
        step: one.step,
        label: stepLabel(one.step, certificate.notAfter - (instants.get(one.step) ?? 0)),
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
