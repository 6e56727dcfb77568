import type { DomainAlertsWire, PlannedAlertWire } from '../../../contract/alerting.ts';
import { inSentence, STATE_NAMES } from '../../../contract/state/state-words.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { dayAndMonth } from '../../domain/day-and-month.ts';
import { longDate, longDateTime, untilText } from '../../lib/format.ts';

/** Returns '14 days before'. Adds the certificate's name if it is not the certificate that the domain shows. */
export function plannedWords({ label, certificate_name: name }: PlannedAlertWire): string {
  return name === null ? label : `${label} (${visibleText(name)})`;
}

/** Returns 'Next alert: 14 days before, on 8 December', with the time if the alert is due today. */
export function nextAlertLine(next: PlannedAlertWire, now: number): string {
  const isToday = longDate(next.at) === longDate(now);
  const when = isToday ? `today at ${longDateTime(next.at).slice(-5)}` : `on ${dayAndMonth(next.at, now)}`;
  return `Next alert: ${plannedWords(next)}, ${when}`;
}

/** Returns why no alert is planned. Null for a paused domain, because the panel already says that it is paused. */
export function nothingPlannedLine(
  { paused, expiry_date: expiryDate }: Pick<DomainWire, 'paused' | 'expiry_date'>,
  { incidents, is_told: reachesAnybody }: Pick<DomainAlertsWire, 'incidents' | 'is_told'>,
): string | null {
  if (paused !== null) return null;
  if (!reachesAnybody) return 'No alerts will be sent: no chosen channel can receive them.';
  if (expiryDate === null) return `No alerts planned: ${inSentence(STATE_NAMES.unread)} yet.`;
  const expiry = incidents.find(({ problem, ended_at: endedAt }) => problem === 'expiry' && endedAt === null);
  if (expiry?.acknowledged_at != null)
    return 'You acknowledged the expiry: no more alerts about it are planned.';
  return 'No alerts planned: we have sent all expiry alerts for this certificate.';
}

/** Says until when quiet hours hold alerts, and which alerts are sent meanwhile. */
export function quietLine(
  until: string,
  { effective }: Pick<DomainAlertsWire, 'effective'>,
  now: number,
): string {
  const held = `Quiet hours: alerts are held until ${untilText(until, now)}`;
  return effective.quiet_hours?.critical_always === true ? `${held}, except critical ones.` : `${held}.`;
}
