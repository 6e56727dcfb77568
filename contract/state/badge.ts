import { CRITICAL_DAYS, SOON_DAYS } from '../words.ts';
import { DAY_MS } from '../durations.ts';

type BadgeStatus = 'expired' | 'critical' | 'soon';
export interface Badge {
  status: BadgeStatus;
  /** Full text, e.g. 'Expiring in 2 days'. */
  text: string;
  /** Short text, e.g. 'Expiring in 2d'. */
  shortText: string;
}

/** Returns the whole days from `now` until `notAfter` (both ms UTC), rounded down; negative after expiry. */
export function daysLeft(notAfter: number, now: number): number {
  return Math.floor((notAfter - now) / DAY_MS);
}

/**
 * Returns the badge for the days from `now` until `notAfter` (both ms UTC); null if more than `SOON_DAYS` are left. The
 * certificate's lifetime does not matter.
 */
export function expiryBadge(notAfter: number, now: number): Badge | null {
  const days = daysLeft(notAfter, now);
  if (days < 0) return { status: 'expired', text: 'Expired', shortText: 'Expired' };
  const unit = days === 1 ? 'day' : 'days';
  if (days <= CRITICAL_DAYS)
    return { status: 'critical', text: `Expiring in ${days} ${unit}`, shortText: `Expiring in ${days}d` };
  if (days <= SOON_DAYS)
    return { status: 'soon', text: `Expires in ${days} ${unit}`, shortText: `Expires in ${days}d` };
  return null;
}
