import { DAY_MS, WEEK_MS } from '../../contract/durations.ts';
import type { Concern } from './account-mail.ts';
import { nextLocalTime } from './alerting/local-time.ts';

/** The local time at which a digest is due: Monday, 08:00. */
const DIGEST_TIME = { minute: 8 * 60, weekday: 1 };
/** The digest lists a certificate from this time before its expiry on. */
export const DIGEST_AHEAD_MS = 30 * DAY_MS;

/** The data of a domain that the digest is made from. Instants are ms UTC. */
export interface DigestDomain {
  notAfter: number | null;
  revoked: boolean;
  isDown: boolean;
  problem: 'unreachable' | 'untrusted' | null;
  /** Start of the expected renewal; null for a certificate that is far from its expiry. */
  renewFrom: number | null;
  /** Time from which the renewal is overdue; null for a certificate that is far from its expiry. */
  overdueAt: number | null;
}

/** Returns the next Monday at 08:00 in the time zone (null means UTC), in ms UTC. */
export function nextDigestAt(now: number, timeZone: string | null): number {
  return nextLocalTime(now, timeZone, DIGEST_TIME);
}

/**
 * Returns why a domain needs attention; null if it does not. Includes a certificate with an overdue renewal from a week before
 * its expiry.
 */
export function concernOf(domain: DigestDomain, now: number): Concern | null {
  const { notAfter } = domain;
  if (domain.revoked) return 'revoked';
  if (notAfter !== null && notAfter <= now) return 'expiry';
  if (domain.isDown) return 'down';
  if (domain.problem !== null) return domain.problem;
  const endsSoon = notAfter !== null && notAfter < now + WEEK_MS;
  return endsSoon && (domain.overdueAt === null || domain.overdueAt <= now) ? 'expiry' : null;
}

/** Returns whether the digest lists a certificate as expiring: it expires within 30 days, and its renewal is due. */
export function isExpiring({ notAfter, renewFrom }: DigestDomain, now: number): boolean {
  return notAfter !== null && notAfter < now + DIGEST_AHEAD_MS && (renewFrom === null || renewFrom <= now);
}
