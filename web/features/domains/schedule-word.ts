import type { DomainWire } from '../../../contract/domain.ts';
import { DAY_MS } from '../../../contract/durations.ts';

type Scheduled = Pick<DomainWire, 'renewal' | 'valid_from' | 'expiry_date'>;

/** Tells whether the renewal is overdue, by the server's rule. False once the certificate has expired. `now` in ms UTC. */
export function isRenewalOverdue({ renewal, expiry_date: expiryDate }: Scheduled, now: number): boolean {
  if (!renewal?.overdue_at || expiryDate === null) return false;
  return Date.parse(renewal.overdue_at) <= now && now < Date.parse(expiryDate);
}

/**
 * For short-lived certificates, whose badge is red from the first day on: whether the renewal is overdue. Null for all
 * others, for expired ones, and where another address already shows the renewed one. `now` in ms UTC.
 */
export function scheduleWord(
  domain: Scheduled,
  now: number,
): 'renewal on schedule' | 'renewal overdue' | null {
  const { renewal, expiry_date: expiryDate } = domain;
  if (!renewal?.is_short_lived || renewal.overdue_at === null) return null;
  if (expiryDate === null || now >= Date.parse(expiryDate)) return null;
  return isRenewalOverdue(domain, now) ? 'renewal overdue' : 'renewal on schedule';
}

/** Adds the lifetime to `scheduleWord`, which explains the red badge: 'Valid for 7 days in all, renewal on schedule'. */
export function scheduleLine(domain: Scheduled, now: number): string | null {
  const word = scheduleWord(domain, now);
  const { valid_from: validFrom, expiry_date: expiryDate } = domain;
  if (word === null || validFrom === null || expiryDate === null) return null;
  const days = Math.round((Date.parse(expiryDate) - Date.parse(validFrom)) / DAY_MS);
  return `Valid for ${days < 1 ? 'less than a day' : days === 1 ? 'one day' : `${days} days`} in all, ${word}`;
}
