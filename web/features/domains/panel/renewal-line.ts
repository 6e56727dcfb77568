import type { DomainWire } from '../../../../contract/domain.ts';
import { longDate } from '../../../lib/dates.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { isRenewalOverdue, scheduleLine } from '../schedule-word.ts';

export interface RenewalLine {
  text: string;
  /** Somebody has to act. */
  isUrgent: boolean;
  /** Where the CA explains it, as it gave it. */
  explanationUrl: string | null;
}

/** What there is to say about the renewal beside the bar, most pressing first; nothing where the bar says it all. */
export function renewalLines(domain: DomainWire, now: number): RenewalLine[] {
  const { renewal } = domain;
  if (renewal === null) return [];
  const lines: RenewalLine[] = [];
  const add = (text: string, isUrgent: boolean, explanationUrl: string | null = null) =>
    lines.push({ text, isUrgent, explanationUrl });

  const isWanted = domain.findings.some(({ code }) => code === 'replacement_wanted');
  if (isWanted || renewal.explanation_url !== null) {
    const when = now < Date.parse(renewal.from) ? `by ${longDate(renewal.to)}` : 'now';
    add(`Your CA wants this replaced ${when}`, true, renewal.explanation_url);
  }

  const isFromCa = renewal.source === 'ari';
  const isOverdue = isRenewalOverdue(domain, now);
  const isWindowOver = isFromCa && Date.parse(renewal.to) <= now;
  const ca = domain.authority_name === null ? 'Its CA' : visibleText(domain.authority_name);
  const schedule = scheduleLine(domain, now);
  if (isWindowOver && renewal.overdue_at !== null)
    add(`Renewal overdue: ${ca} asked for it by ${longDate(renewal.to)}`, true);
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
