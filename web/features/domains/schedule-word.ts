import { DAY_MS } from '../../../contract/constants.ts';

const SHORT_LIVED_MS = 30 * DAY_MS;
const OVERDUE_SHARE = 0.25;

/**
 * For certificates valid for less than 30 days, whose badge is red from the first day on: whether the renewal is
 * late (a quarter of the lifetime or less is left) or not. Null for all others. Instants in ms UTC.
 */
export function scheduleWord(
  notBefore: number,
  notAfter: number,
  now: number,
): 'on schedule' | 'renewal overdue' | null {
  const lifetime = notAfter - notBefore;
  if (lifetime >= SHORT_LIVED_MS || now >= notAfter) return null;
  return notAfter - now <= lifetime * OVERDUE_SHARE ? 'renewal overdue' : 'on schedule';
}
