import { DAY_MS } from '../durations.ts';
import { count, EXPIRY_STATES, type ExpiryState } from '../words.ts';

export interface Badge {
  status: Exclude<ExpiryState, 'ok'>;
  /** Full text, e.g. 'Expiring in 2 days'. */
  text: string;
  /** Short text, e.g. 'Expiring in 2d'. */
  shortText: string;
}

/** Returns the whole days from `now` until `notAfter` (both ms UTC), rounded down; negative after expiry. */
export function daysLeft(notAfter: number, now: number): number {
  return Math.floor((notAfter - now) / DAY_MS);
}

/** Returns the state of a certificate that expires at `notAfter`; both are ms UTC. */
export function expiryState(notAfter: number, now: number): ExpiryState {
  const days = daysLeft(notAfter, now);
  return EXPIRY_STATES.find(({ maxDays }) => days <= maxDays)?.state ?? 'ok';
}

/**
 * Returns the badge for the days from `now` until `notAfter` (both ms UTC); null if the state is `ok`. The certificate's lifetime does
 * not matter.
 */
export function expiryBadge(notAfter: number, now: number): Badge | null {
  const status = expiryState(notAfter, now);
  if (status === 'ok') return null;
  if (status === 'expired') return { status, text: 'Expired', shortText: 'Expired' };
  const days = daysLeft(notAfter, now);
  const verb = status === 'critical' ? 'Expiring' : 'Expires';
  return { status, text: `${verb} in ${count(days, 'day')}`, shortText: `${verb} in ${days}d` };
}
