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
): 'renewal on schedule' | 'renewal overdue' | null {
  const lifetime = notAfter - notBefore;
  if (lifetime >= SHORT_LIVED_MS || now >= notAfter) return null;
  return notAfter - now <= lifetime * OVERDUE_SHARE ? 'renewal overdue' : 'renewal on schedule';
}

/** The same as a line of its own, which says why a red badge need not be news: 'Valid for 7 days in all, renewal on schedule'. */
export function scheduleLine(notBefore: number, notAfter: number, now: number): string | null {
  const word = scheduleWord(notBefore, notAfter, now);
  if (word === null) return null;
  const days = Math.round((notAfter - notBefore) / DAY_MS);
  return `Valid for ${days < 1 ? 'less than a day' : days === 1 ? 'one day' : `${days} days`} in all, ${word}`;
}
