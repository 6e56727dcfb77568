import type { DomainWire } from '../../../../contract/domain.ts';
import { serverText, visibleText } from '../../../ui/visible-text.ts';
import { shortDay } from '../../../domain/day-and-month.ts';
import { shortReachLine } from './reach-line.ts';
import { downLine } from './down-line.ts';
import { overdueReason, STATE_NAMES } from '../../../../contract/state/state-words.ts';
import { isRenewalOverdue, scheduleWords } from '../../../../contract/state/schedule.ts';
import { heldBackLine, heldBackSentence, scheduleLine } from '../../../domain/domain-lines.ts';
import { longDate } from '../../../lib/format.ts';
import { isEnded, isLimitedSoon, reasonOf, worstFinding } from '../../../domain/finding-reasons.ts';
import { ATTENTION_REASONS, type AttentionReason } from '../../../../contract/words.ts';

export interface CardLine {
  /** The problem that decides the colour of the card; null if nobody has to act. */
  state: AttentionReason | null;
  text: string;
  /** The details or, if there is a second problem, that problem; null for neither. Cards show them below the name. */
  more: string | null;
  /** The full sentences, of which `text` and `more` are a short form. */
  title: string;
}

/**
 * Returns the line about what is wrong; null if all is well, and for a paused domain, whose problem may be fixed by now. The most
 * urgent reason comes first, as in the headline and in the order of the list. The second reason follows, or a renewal that will fail if
 * there is none. `now` in ms UTC.
 */
export function cardTrouble(domain: DomainWire, now: number): CardLine | null {
  if (domain.paused !== null) return null;
  const down = downLine(domain, now);
  const renewal = renewalLine(domain);
  const lines = [
    endedLine(domain, now),
    down && { state: 'down' as const, ...down },
    reachLine(domain),
    findingLine(domain, now),
    renewal,
    heldBack(domain, now),
    limit(domain, now),
    schedule(domain, now),
  ].filter((line) => line !== null);
  const [first, second] = lines.toSorted((one, other) => rankOf(one) - rankOf(other));
  if (!first) return null;
  const { state, text, title } = named(first);
  if (!state || !second || (!second.state && second !== renewal)) {
    const [main = text, ...details] = text.split(SEPARATOR);
    return { state, text: main, more: details.join(SEPARATOR) || null, title };
  }
  const other = second.state === state ? second : named(second);
  return { state, text, more: other.text, title: `${title} ${other.title}` };
}

/**
 * Returns the problem whose colour the edge of the card or row has: the more urgent one of the first line and of the domain's state, such as
 * a near expiry, which has a badge instead of a line. Null if nobody has to act, and for a paused domain.
 */
export function edgeReason(domain: DomainWire, now: number): AttentionReason | null {
  if (domain.paused !== null) return null;
  const reasons = [cardTrouble(domain, now)?.state, domain.attention];
  return ATTENTION_REASONS.find((reason) => reasons.includes(reason)) ?? null;
}

const SEPARATOR = ' · ';

/** What is known of one problem. It may lack the name of its state. */
interface Line extends Omit<CardLine, 'more'> {
  /** The name of the state, which precedes the text; absent if the text contains it. */
  name?: string | undefined;
}

/** Puts the name of the state before the text, so that the line has the words that other pages have for the state. */
function named({ state, name, text, title }: Line): Line {
  if (name === undefined) return { state, text, title };
  return { state, text: text.startsWith(name) ? text : `${name} · ${text}`, title: `${name}. ${title}` };
}

/** Returns the rank of a line: the place of its reason in `ATTENTION_REASONS`. Lines without a reason come last. */
const rankOf = ({ state }: Line): number =>
  state === null ? ATTENTION_REASONS.length : ATTENTION_REASONS.indexOf(state);

/** Returns a line if no certificate was read at the last check. An outage says so too. */
function reachLine({ unreachable, fingerprint, uptime }: DomainWire): Line | null {
  if (unreachable === null || uptime.state === 'down') return null;
  return {
    state: 'unreachable',
    // Without a certificate, the badge says that none was read.
    name: fingerprint === null ? undefined : STATE_NAMES.unreachable,
    text: shortReachLine(unreachable),
    title: unreachable.message,
  };
}

/** Returns a line about the worst finding. If no certificate was read at the last check, findings are from an older one. */
function findingLine(domain: DomainWire, now: number): Line | null {
  const { unreachable, trusted } = domain;
  if (unreachable !== null) return null;
  const finding = worstFinding(domain, now);
  if (finding) {
    const state = reasonOf(finding, domain);
    return {
      state,
      name: state === null ? undefined : STATE_NAMES[state],
      text: (finding.short ?? serverText(finding.message)) + shareOf(domain, finding.code),
      title: serverText(finding.message),
    };
  }
  if (trusted !== false || isEnded(domain)) return null;
  return { state: 'untrusted', text: STATE_NAMES.untrusted, title: 'The certificate is not trusted.' };
}

/** Returns ' · 1 of 2 addresses' if only some addresses have the problem. Each certificate with the problem has a finding of its own. */
function shareOf({ findings }: DomainWire, code: string): string {
  const ofCode = findings.filter((finding) => finding.code === code);
  const having = new Set(ofCode.flatMap(({ addresses }) => addresses)).size;
  const all = ofCode[0]?.of_addresses ?? 0;
  return having < all ? ` · ${having} of ${all} addresses` : '';
}

/** Returns a line if the next renewal will fail. A forecast has no colour, because nothing is wrong yet. */
function renewalLine({ next_renewal: next }: DomainWire): Line | null {
  if (!next?.line) return null;
  const title = visibleText(next.line);
  // A no-break space: a narrow card then truncates the cause instead of leaving it out.
  return { state: null, text: title.replace(': ', ':\u00A0'), title: `${title}.` };
}

function heldBack({ waiting }: DomainWire, now: number): Line | null {
  return waiting && { state: null, text: heldBackLine(waiting, now), title: heldBackSentence(waiting, now) };
}

/** Returns when the certificate expired or was revoked; null if it is neither. */
function endedLine(domain: DomainWire, now: number): Line | null {
  const { state, expiry_date: end, revocation } = domain;
  if (state !== 'revoked' && state !== 'expired') return null;
  const at = state === 'revoked' ? revocation.revoked_at : end;
  const [name, share] = [STATE_NAMES[state], shareOf(domain, state)];
  if (at === null) return { state, text: `${name}${share}`, title: `${name}.` };
  return { state, text: `${name} on ${shortDay(at, now)}${share}`, title: `${name} on ${longDate(at)}.` };
}

/** Returns a line about an intermediate that expires before the leaf; null if there is none. */
function limit(domain: DomainWire, now: number): Line | null {
  const { weakest_link: weakest } = domain;
  if (weakest === null) return null;
  const name = visibleText(weakest.name);
  const isSoon = isLimitedSoon(domain, now);
  return {
    state: isSoon ? 'flawed' : null,
    name: isSoon ? STATE_NAMES.flawed : undefined,
    text: `Limited by ${name}: ${shortDay(weakest.expiry_date, now)}`,
    title: `Its intermediate ${name} expires first, on ${longDate(weakest.expiry_date)}.`,
  };
}

/** Returns a line if the renewal is overdue or, for a short-lived certificate, whose badge may be red, on schedule; else null. */
function schedule(domain: DomainWire, now: number): Line | null {
  const isOverdue = isRenewalOverdue(domain, now);
  const words = isOverdue ? STATE_NAMES.overdue : scheduleWords(domain, now);
  if (words === null) return null;
  const { attention } = domain;
  return {
    // The page notices an overdue renewal at once, the server at its next check: until then, the line has no colour.
    state: isOverdue ? attention && overdueReason(domain.state) : null,
    text: capitalised(words) + (isOverdue ? shareOf(domain, 'renewal_overdue') : ''),
    title: `${scheduleLine(domain, now) ?? words}.`,
  };
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
