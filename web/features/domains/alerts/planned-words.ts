import type { DomainAlertsWire, PlannedAlertWire } from '../../../../contract/alerting.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { longDate, longDateTime } from '../../../lib/dates.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { dayAndMonth } from '../day-and-month.ts';

/** '14 days before', and of which certificate where the domain shows another: '14 days before the end of R13'. */
export function plannedWords({ label, certificate_name: name }: PlannedAlertWire): string {
  return name === null ? label : `${label} (${visibleText(name)})`;
}

/** 'Next alert: 14 days before, on 8 December'; on its own day with the time. */
export function nextAlertLine(next: PlannedAlertWire, now: number): string {
  const isToday = longDate(next.at) === longDate(now);
  const when = isToday ? `today at ${longDateTime(next.at).slice(-5)}` : `on ${dayAndMonth(next.at, now)}`;
  return `Next alert: ${plannedWords(next)}, ${when}`;
}

/** Why nothing is planned. */
export function nothingPlannedLine(
  { paused, expiry_date: expiryDate }: Pick<DomainWire, 'paused' | 'expiry_date'>,
  { incidents, is_told: isTold }: Pick<DomainAlertsWire, 'incidents' | 'is_told'>,
): string {
  if (paused !== null) return 'No alert is planned while it is paused.';
  if (!isTold) return 'Nobody is told: no channel takes alerts about it.';
  if (expiryDate === null) return 'No alert is planned: no certificate was read yet.';
  const expiry = incidents.find(({ problem, ended_at: endedAt }) => problem === 'expiry' && endedAt === null);
  if (expiry?.acknowledged_at != null) return 'No more alerts before it is over: you acknowledged it.';
  return 'No alert is planned: the last one before the renewal was sent.';
}
