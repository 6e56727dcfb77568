import type {
  AlertIncidentWire,
  AlertSettingsWire,
  DomainAlertSettingsWire,
  SentAlertWire,
} from '../../../contract/alerting.ts';
import type { ChosenStep } from '../../core/alert-steps.ts';
import { alertTitle } from '../../core/alerting/alert-title.ts';
import { alertEvent, type AlertStep } from '../../core/alerting/alert.ts';
import { incidentSeverity } from '../../core/alerting/incident.ts';
import type { AlertSettings, DomainAlertSettings } from '../../core/alerting/settings.ts';
import type { DeliveryRecord, SentAlert } from '../../store/alerts/alert-history.ts';
import type { StoredIncident } from '../../store/alerts/monitor-incidents.ts';
import { alertTitleOf, deliveryWire, type TitleContext } from './channel-wire.ts';
import { iso, isoOrNull } from '../domains/domain-wire.ts';

export function settingsWire({ channels, steps, quietHours, muted }: AlertSettings): AlertSettingsWire {
  return { channels, steps, quiet_hours: quietHoursWire(quietHours), muted };
}

export function ownSettingsWire(own: DomainAlertSettings): DomainAlertSettingsWire {
  const { quietHours, ...rest } = own;
  return { ...rest, ...(quietHours !== undefined && { quiet_hours: quietHoursWire(quietHours) }) };
}

function quietHoursWire(quiet: AlertSettings['quietHours']): AlertSettingsWire['quiet_hours'] {
  return (
    quiet && {
      from_minute: quiet.fromMinute,
      to_minute: quiet.toMinute,
      critical_always: quiet.criticalAlways,
    }
  );
}

/**
 * Maps settings from wire format. Fields that the request omits stay absent: an account keeps their values, and a domain inherits
 * those of its account.
 */
export function settingsFromWire(wire: Partial<AlertSettingsWire>): Partial<AlertSettings> {
  const { channels, steps, quiet_hours: quiet, muted } = wire;
  return {
    ...(channels !== undefined && { channels: channels && [...new Set(channels)] }),
    ...(steps !== undefined && { steps: steps as ChosenStep[] | null }),
    ...(quiet !== undefined && { quietHours: quietHoursFromWire(quiet) }),
    ...(muted !== undefined && { muted: [...new Set(muted)] }),
  };
}

export function quietHoursFromWire(quiet: AlertSettingsWire['quiet_hours']): AlertSettings['quietHours'] {
  return (
    quiet && {
      fromMinute: quiet.from_minute,
      toMinute: quiet.to_minute,
      criticalAlways: quiet.critical_always,
    }
  );
}

export function incidentWire(
  incident: StoredIncident,
  { displayName, now }: { displayName: string; now: number },
): AlertIncidentWire {
  const { problem, facts, endedAt } = incident;
  const step = stepOf(incident);
  return {
    id: incident.id,
    problem,
    severity: incidentSeverity({ problem, step, facts }, endedAt ?? now),
    title: alertTitle({
      kind: problem,
      step,
      facts,
      displayName,
      timeZone: null,
      now: endedAt ?? now,
    }),
    started_at: iso(incident.startedAt),
    expires_at: isoOrNull(problem === 'expiry' ? facts.certificate?.notAfter : facts.registration?.expiresAt),
    ended_at: isoOrNull(endedAt),
    acknowledged_at: isoOrNull(incident.acknowledgedAt),
    snoozed_until: isoOrNull((incident.snoozedUntil ?? 0) > now ? incident.snoozedUntil : null),
  };
}

/** Returns the alert step whose title describes the incident, even if no alert was sent for it. */
function stepOf({ problem, notifiedSteps }: StoredIncident): AlertStep {
  if (problem === 'expiry') return 'warning';
  if (problem === 'revoked') return 'revoked';
  if (problem === 'down' && notifiedSteps.includes('flapping')) return 'flapping';
  return notifiedSteps.includes('some_clients') && !notifiedSteps.includes('opened')
    ? 'some_clients'
    : 'opened';
}

export function sentAlertWire(
  { alert, deliveries }: { alert: SentAlert; deliveries: DeliveryRecord[] },
  wording: TitleContext,
): SentAlertWire {
  return {
    id: alert.id,
    event: alertEvent(alert.kind, alert.step),
    title: alertTitleOf(alert, { ...wording, now: alert.createdAt }),
    severity: alert.severity,
    created_at: iso(alert.createdAt),
    deliveries: deliveries.map((delivery) => deliveryWire(delivery, wording)),
  };
}
