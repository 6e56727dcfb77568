import type { DomainWire } from '../../../../contract/domain.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { isRenewalOverdue, scheduleOf } from '../../../../contract/state/schedule.ts';
import { overdueReason, STATE_NAMES } from '../../../../contract/state/state-words.ts';
import type { AttentionReason } from '../../../../contract/words.ts';
import { scheduleLine } from '../../../domain/domain-lines.ts';
import { longDate } from '../../../lib/format.ts';

export interface RenewalLine {
  text: string;
  /** The state whose mark the line has; null if nobody has to act, and for a paused domain. */
  state: AttentionReason | null;
  /** The CA's explanation URL; not checked, so it may be no web address. */
  explanationUrl: string | null;
}

/**
 * Returns 'Renew from 21 November 2026', for a short-lived certificate also by when, as `scheduleWords` counts it. Returns null if that is
 * not known, and for a revoked certificate.
 */
export function renewFromLine(domain: DomainWire, now: number): string | null {
  const { renewal } = domain;
  if (renewal === null || domain.is_revoked) return null;
  const isOnSchedule = scheduleOf(domain, now) === 'on schedule';
  const due = isOnSchedule && renewal.overdue_at !== null ? `, due by ${longDate(renewal.overdue_at)}` : '';
  return `Renew from ${longDate(renewal.from)}${due}`;
}

/**
 * Returns the lines about the renewal, most urgent first. Leaves out what the lifetime bar shows. Returns none for a revoked certificate,
 * which must be replaced in any case.
 */
export function renewalLines(domain: DomainWire, now: number): RenewalLine[] {
  const { renewal } = domain;
  if (renewal === null || domain.is_revoked) return [];
  const lines: RenewalLine[] = [];
  const add = (text: string, state: AttentionReason | null, explanationUrl: string | null = null) =>
    lines.push({ text, state: domain.paused === null ? state : null, explanationUrl });

  const isWanted = domain.findings.some(({ code }) => code === 'replacement_wanted');
  if (isWanted || renewal.explanation_url !== null) {
    const when = now < Date.parse(renewal.from) ? `by ${longDate(renewal.to)}` : 'now';
    add(`Your CA asks you to replace this certificate ${when}`, 'flawed', renewal.explanation_url);
  }

  const isFromCa = renewal.source === 'ari';
  const isOverdue = isRenewalOverdue(domain, now);
  const isWindowOver = isFromCa && Date.parse(renewal.to) <= now;
  const ca = domain.authority_name === null ? 'Its CA' : visibleText(domain.authority_name);
  const schedule = scheduleLine(domain, now);
  const overdue = overdueReason(domain.state);
  if (isWindowOver && renewal.overdue_at !== null)
    add(`${STATE_NAMES.overdue}: ${ca} asked for renewal by ${longDate(renewal.to)}`, overdue);
  else if (isOverdue && schedule === null) add(STATE_NAMES.overdue, overdue);
  else if (isFromCa && !isOverdue && !isWindowOver)
    add(`${ca} asks for renewal ${span(renewal.from, renewal.to)}`, null);

  if (schedule !== null && (isOverdue || !isFromCa)) add(schedule, isOverdue ? overdue : null);
  return lines;
}

function span(from: string, to: string): string {
  return longDate(from) === longDate(to)
    ? `on ${longDate(from)}`
    : `between ${longDate(from)} and ${longDate(to)}`;
}
