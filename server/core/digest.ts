import { DAY_MS, WEEK_MS } from '../../contract/durations.ts';
import type { Concern } from './account-mail.ts';
import { nextLocalTime } from './alerting/local-time.ts';

/** Monday at 08:00. */
const DIGEST_TIME = { minute: 8 * 60, weekday: 1 };
/** The digest lists certificates that end within this time. */
export const DIGEST_AHEAD_MS = 30 * DAY_MS;

/** What the digest knows about a domain. Instants are ms UTC. */
export interface DigestDomain {
  notAfter: number | null;
  revoked: boolean;
  isDown: boolean;
  problem: 'unreachable' | 'untrusted' | null;
  /** When its renewal is expected to begin, and overdue; null for a certificate that is far from its end. */
  renewFrom: number | null;
  overdueAt: number | null;
}

/** Returns the next Monday at 08:00 in the time zone (null: UTC), in ms UTC. */
export function nextDigestAt(now: number, timeZone: string | null): number {
  return nextLocalTime(now, timeZone, DIGEST_TIME);
}

/** Returns why a domain needs attention, null if it does not. A certificate counts from a week before its end. */
export function concernOf(domain: DigestDomain, now: number): Concern | null {
  const { notAfter } = domain;
  if (domain.revoked) return 'revoked';
  if (notAfter !== null && notAfter <= now) return 'expiry';
  if (domain.isDown) return 'down';
  if (domain.problem !== null) return domain.problem;
  const endsSoon = notAfter !== null && notAfter < now + WEEK_MS;
  return endsSoon && (domain.overdueAt === null || domain.overdueAt <= now) ? 'expiry' : null;
}

/** Returns whether the digest lists a certificate as expiring: it ends within 30 days, and its renewal is due. */
export function isExpiring({ notAfter, renewFrom }: DigestDomain, now: number): boolean {
  return notAfter !== null && notAfter < now + DIGEST_AHEAD_MS && (renewFrom === null || renewFrom <= now);
}
