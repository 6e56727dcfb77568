import type { DomainWire } from '../../../../contract/domain.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { isRenewalOverdue, scheduleOf } from '../../../../contract/state/schedule.ts';
import { scheduleLine } from '../../../domain/domain-lines.ts';
import { longDate } from '../../../lib/format.ts';

export interface RenewalLine {
  text: string;
  /** True if somebody has to act. */
  isUrgent: boolean;
  /** The CA's explanation URL; not checked, so it may be no web address. */
  explanationUrl: string | null;
}

/** Returns 'Renew from 21 November 2026', for a short-lived certificate also by when, as `scheduleWords` counts it; null if not known. */
export function renewFromLine(domain: DomainWire, now: number): string | null {
  const { renewal } = domain;
  if (renewal === null) return null;
  const isOnSchedule = scheduleOf(domain, now) === 'on schedule';
  const due = isOnSchedule && renewal.overdue_at !== null ? `, due by ${longDate(renewal.overdue_at)}` : '';
  return `Renew from ${longDate(renewal.from)}${due}`;
}

/** Returns the lines about the renewal, most urgent first. Leaves out what the lifetime bar shows. */
export function renewalLines(domain: DomainWire, now: number): RenewalLine[] {
  const { renewal } = domain;
  if (renewal === null) return [];
  const lines: RenewalLine[] = [];
  const add = (text: string, isUrgent: boolean, explanationUrl: string | null = null) =>
    lines.push({ text, isUrgent, explanationUrl });

  const isWanted = domain.findings.some(({ code }) => code === 'replacement_wanted');
  if (isWanted || renewal.explanation_url !== null) {
    const when = now < Date.parse(renewal.from) ? `by ${longDate(renewal.to)}` : 'now';
    add(`Your CA asks you to replace this certificate ${when}`, true, renewal.explanation_url);
  }

  const isFromCa = renewal.source === 'ari';
  const isOverdue = isRenewalOverdue(domain, now);
  const isWindowOver = isFromCa && Date.parse(renewal.to) <= now;
  const ca = domain.authority_name === null ? 'Its CA' : visibleText(domain.authority_name);
  const schedule = scheduleLine(domain, now);
  if (isWindowOver && renewal.overdue_at !== null)
    add(`Renewal overdue: ${ca} asked for renewal by ${longDate(renewal.to)}`, true);
  else if (isOverdue && schedule === null) add('Renewal overdue', true);
  else if (isFromCa && !isOverdue && !isWindowOver)
    add(`${ca} asks for renewal ${span(renewal.from, renewal.to)}`, false);

  if (schedule !== null && (isOverdue || !isFromCa)) add(schedule, isOverdue);
  return lines;
}

function span(from: string, to: string): string {
  return longDate(from) === longDate(to)
    ? `on ${longDate(from)}`
    : `between ${longDate(from)} and ${longDate(to)}`;
}
