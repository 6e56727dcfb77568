import type { DomainWire } from '../../../../contract/domain.ts';
import { shortFindingLine, worstFinding } from '../finding-line.ts';
import { shortReachLine } from '../reach-line.ts';

export interface CardLine {
  tone: 'quiet' | 'warning' | 'critical';
  text: string;
  /** The whole sentence, where `text` is its short form. */
  title: string;
}

/**
 * The one thing that the bottom row of a card has to say besides the time of the last check; null when all is
 * well. Being unreachable outranks findings: they are of an older check then.
 */
export function cardTrouble(domain: DomainWire): CardLine | null {
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
  return null;
}
