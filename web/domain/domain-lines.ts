import { issuerLine, UNKNOWN_ISSUER } from '../../contract/check-words.ts';
import type { DomainWire } from '../../contract/domain.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { counted, untilText } from '../lib/format.ts';
import { daysText, scheduleWords } from '../../contract/state/schedule.ts';

/**
 * Returns `scheduleWords` with the lifetime, which explains why the badge is red: 'Valid for 7 days in all, renewal overdue'.
 * Null if `scheduleWords` is null.
 */
export function scheduleLine(domain: DomainWire, now: number): string | null {
  const word = scheduleWords(domain, now);
  const { valid_from: validFrom, expiry_date: expiryDate } = domain;
  if (word === null || validFrom === null || expiryDate === null) return null;
  const days = Math.round((Date.parse(expiryDate) - Date.parse(validFrom)) / DAY_MS);
  return `Valid for ${days < 1 ? 'less than a day' : daysText(days)} in all, ${word}`;
}

/** Returns 'Paused by you', 'Paused: the Free plan checks 3 domains' or 'Paused until you confirm that it is yours'. */
export function pausedLine(by: NonNullable<DomainWire['paused']>, freeDomains: number): string {
  if (by === 'user') return 'Paused by you';
  if (by === 'unconfirmed') return 'Paused until you confirm that it is yours';
  return `Paused: the Free plan checks ${counted(freeDomains, 'domain')}`;
}

/** Returns 'Check held back until 14:32', or without the time once that has passed. */
export function heldBackLine({ until }: NonNullable<DomainWire['waiting']>, now: number): string {
  return Date.parse(until) > now ? `Check held back until ${untilText(until, now)}` : 'Check held back';
}

/** Says why a check was held back and when it is repeated. */
export function heldBackSentence({ until }: NonNullable<DomainWire['waiting']>, now: number): string {
  const next = Date.parse(until) > now ? `at ${untilText(until, now)}` : 'soon';
  return `Many hosts failed at once, so our own network may be the cause. We recorded nothing and will try again ${next}.`;
}

/** Returns the issuer as lists show it, such as "Let's Encrypt · R13". */
export function shownIssuer(issued: { authority_name: string | null; issuer: string | null }): string {
  return issuerLine(issued.authority_name, issued.issuer) ?? UNKNOWN_ISSUER;
}
