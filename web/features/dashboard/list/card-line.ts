import { expiryBadge } from '../../../../contract/state/badge.ts';
import type { DomainWire, FindingWire } from '../../../../contract/domain.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { dayAndMonth, shortDay } from '../../../domain/day-and-month.ts';
import { shortReachLine } from './reach-line.ts';
import { downLine } from './down-line.ts';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import { scheduleOf, scheduleWords } from '../../../../contract/state/schedule.ts';
import { heldBackLine, heldBackSentence, scheduleLine } from '../../../domain/domain-lines.ts';
import { longDate } from '../../../lib/format.ts';
import { STATE_MARKS, stateOfFinding } from '../../../domain/state-marks.tsx';
import type { AttentionReason } from '../../../../contract/words.ts';

export interface CardLine {
  /** The problem that decides the colour of the card; null if nobody has to act. */
  state: AttentionReason | null;
  text: string;
  /** The full sentence, of which `text` is a short form. */
  title: string;
}

/**
 * Returns the line about the domain's most important problem; null if all is well. An outage comes first, then a certificate that
 * could not be read (findings are then from an older check), then findings, then problems that a badge shows too. `now` in ms UTC.
 */
export function cardTrouble(domain: DomainWire, now: number): CardLine | null {
  const down = downLine(domain, now);
  if (down) return { state: 'down', ...down };
  const { unreachable } = domain;
  if (unreachable) {
    // Without a certificate, the badge says that none was read.
    const reason = shortReachLine(unreachable);
    const text = domain.fingerprint === null ? reason : `${STATE_NAMES.unreachable} · ${reason}`;
    return { state: 'unreachable', text, title: unreachable.message };
  }
  const finding = worstFinding(domain);
  const ended = endedLine(domain, now);
  const reason = finding && reasonOf(finding, domain);
  // If the certificate has expired or is revoked, the yellow of a warning would look less serious, so the line says that
  // instead.
  if (finding && !(ended && reason && STATE_MARKS[reason].tone === 'soon'))
    return { state: reason, text: finding.short ?? finding.message, title: finding.message };
  if (domain.trusted === false && domain.state !== 'expired' && domain.state !== 'revoked') {
    return { state: 'untrusted', text: STATE_NAMES.untrusted, title: 'The certificate is not trusted.' };
  }
  if (ended) return ended;
  const { waiting } = domain;
  if (waiting)
    return {
      state: null,
      text: heldBackLine(waiting, now),
      title: heldBackSentence(waiting, now),
    };
  return limit(domain, now) ?? schedule(domain, now);
}

/** Returns when the certificate expired or was revoked; null if it is neither. */
function endedLine({ state, expiry_date: end, revocation }: DomainWire, now: number): CardLine | null {
  const at = state === 'revoked' ? revocation.revoked_at : end;
  if (state !== 'revoked' && state !== 'expired') return null;
  const name = STATE_NAMES[state];
  if (at === null) return { state, text: name, title: name };
  return {
    state,
    text: `${name} on ${shortDay(at, now)}`,
    title: `${name} on ${longDate(at)}.`,
  };
}

/** Returns a line that an intermediate expires before the leaf; null if none does. */
function limit({ weakest_link: weakest, attention }: DomainWire, now: number): CardLine | null {
  if (weakest === null) return null;
  const name = visibleText(weakest.name);
  return {
    state: attention !== null && expiryBadge(Date.parse(weakest.expiry_date), now) ? 'flawed' : null,
    text: `Limited by ${name}: ${dayAndMonth(weakest.expiry_date, now)}`,
    title: `Its intermediate ${name} expires first, on ${longDate(weakest.expiry_date)}.`,
  };
}

/**
 * Returns a line that says whether the renewal of a short-lived certificate is on schedule: its badge may be red from the
 * first day on. Null for other certificates.
 */
function schedule(domain: DomainWire, now: number): CardLine | null {
  const words = scheduleWords(domain, now);
  const title = scheduleLine(domain, now);
  if (words === null || title === null) return null;
  const isOverdue = scheduleOf(domain, now) === 'overdue';
  return {
    // The line has the colour of the near expiry, if that is why the domain needs attention. The server counts an overdue
    // renewal only from the next check on.
    state: isOverdue ? domain.attention : null,
    text: capitalised(words),
    title: `${title}.`,
  };
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const SHOWN_BY_BADGE = ['expired', 'revoked'];
/** States whose badge shows the days left, so that an overdue renewal needs no line of its own. */
const COUNTED_DOWN = ['expired', 'critical', 'soon'];

/** Returns the finding for the card: the first one that is not only a note and that no badge shows. */
function worstFinding(domain: DomainWire): FindingWire | null {
  const isShownByBadge = (code: string) =>
    (SHOWN_BY_BADGE.includes(code) && SHOWN_BY_BADGE.includes(domain.state)) ||
    (code === 'renewal_overdue' && COUNTED_DOWN.includes(domain.state));
  const isNews = ({ severity, code }: FindingWire) => severity !== 'note' && !isShownByBadge(code);
  return domain.findings.find(isNews) ?? null;
}

/** Returns the problem that a finding stands for; null if the finding needs no attention. */
function reasonOf(finding: FindingWire, { refused, attention }: DomainWire): AttentionReason | null {
  if (attention === null) return null;
  const state = stateOfFinding(finding);
  return state === 'flawed' && refused ? 'refused' : state;
}
