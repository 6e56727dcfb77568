import { expiryBadge } from '../../../../contract/badge.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { longDate } from '../../../lib/dates.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { dayAndMonth } from '../day-and-month.ts';
import { shortFindingLine, worstFinding } from '../finding-line.ts';
import { shortReachLine } from '../reach-line.ts';
import { downLine } from '../uptime/down-line.ts';

export interface CardLine {
  tone: 'quiet' | 'warning' | 'critical';
  text: string;
  /** The whole sentence, where `text` is its short form. */
  title: string;
}

/**
 * The one thing that a card has to say in the place of the issuer; null when all is well. Being down outranks the rest,
 * then being unreachable: findings are of an older check then. Quiet is what is only good to know. `now` in ms UTC.
 */
export function cardTrouble(domain: DomainWire, now: number): CardLine | null {
  const down = downLine(domain, now);
  if (down) return { tone: 'critical', ...down };
  const { unreachable } = domain;
  if (unreachable) {
    return { tone: 'warning', text: shortReachLine(unreachable), title: unreachable.message };
  }
  const finding = worstFinding(domain);
  if (finding) {
    const tone = finding.severity === 'critical' ? 'critical' : 'warning';
    return { tone, text: shortFindingLine(finding), title: finding.message };
  }
  if (domain.trusted === false && domain.state !== 'expired' && domain.state !== 'revoked') {
    const text = 'Not trusted';
    return { tone: 'critical', text, title: 'The certificate is not trusted.' };
  }
  return limit(domain, now);
}

/** Where an intermediate ends before the certificate whose days the card counts. */
function limit({ weakest_link: weakest }: DomainWire, now: number): CardLine | null {
  if (weakest === null) return null;
  const name = visibleText(weakest.name);
  return {
    tone: expiryBadge(Date.parse(weakest.expiry_date), now) ? 'warning' : 'quiet',
    text: `Limited by ${name}: ${dayAndMonth(weakest.expiry_date, now)}`,
    title: `Its intermediate ${name} expires first, on ${longDate(weakest.expiry_date)}.`,
  };
}
