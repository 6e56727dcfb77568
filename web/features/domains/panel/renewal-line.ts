import type { DomainWire } from '../../../../contract/domain.ts';
import { longDate } from '../../../lib/dates.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { scheduleLine } from '../schedule-word.ts';

export interface RenewalLine {
  text: string;
  /** Somebody has to act. */
  isUrgent: boolean;
  /** Where the CA explains it, as it gave it. */
  explanationUrl: string | null;
}

/** What there is to say about the renewal beside the bar, most pressing first; nothing where the bar says it all. */
export function renewalLines(domain: DomainWire, now: number): RenewalLine[] {
  const { renewal, valid_from: validFrom, expiry_date: expiryDate } = domain;
  if (renewal === null || validFrom === null || expiryDate === null) return [];
  const has = (code: string) => domain.findings.some((finding) => finding.code === code);
  const lines: RenewalLine[] = [];
  const add = (text: string, isUrgent: boolean, explanationUrl: string | null = null) =>
    lines.push({ text, isUrgent, explanationUrl });

  if (has('replacement_wanted') || renewal.explanation_url !== null) {
    const when = now < Date.parse(renewal.from) ? `by ${longDate(renewal.to)}` : 'now';
    add(`Your CA wants this replaced ${when}`, true, renewal.explanation_url);
  }

  const isFromCa = renewal.source === 'ari';
  const isOverdue = has('renewal_overdue') || (isFromCa && Date.parse(renewal.to) < now);
  const ca = domain.authority_name === null ? 'Its CA' : visibleText(domain.authority_name);
  const schedule = scheduleLine(Date.parse(validFrom), Date.parse(expiryDate), now);
  const isSaid = isOverdue && schedule?.endsWith('renewal overdue') === true;
  if (isOverdue && isFromCa) add(`Renewal overdue: ${ca} asked for it by ${longDate(renewal.to)}`, true);
  else if (isOverdue && !isSaid) add('Renewal overdue', true);
  else if (isFromCa) add(`${ca} asks for renewal ${span(renewal.from, renewal.to)}`, false);

  // Its word on the schedule is a rule of thumb, which gives way to what is known.
  if (schedule !== null && (isOverdue ? isSaid : !isFromCa)) add(schedule, isOverdue);
  return lines;
}

function span(from: string, to: string): string {
  return longDate(from) === longDate(to)
    ? `on ${longDate(from)}`
    : `between ${longDate(from)} and ${longDate(to)}`;
}
