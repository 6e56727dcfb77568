import { expiryBadge } from '../../../../contract/badge.ts';
import type { SummaryWire } from '../../../../contract/domain.ts';
import type { HorizonEntry, HorizonPin } from '../../../ui/horizon/horizon-layout.ts';
import { daysLeft } from '../../../../contract/badge.ts';
import { longDate } from '../../../lib/dates.ts';

/** What the horizon shows of the summary. Dates move on by themselves; only that one is revoked is the server's word. */
export function horizonEntries(expiries: SummaryWire['expiries'], now: number): HorizonEntry[] {
  return expiries.map(({ id, display_name, not_after, state, count }) => {
    const notAfter = Date.parse(not_after);
    const status = state === 'revoked' ? state : (expiryBadge(notAfter, now)?.status ?? 'ok');
    return { id, name: display_name, notAfter, status, count };
  });
}

/** "2 days left", as a pin's link and its tooltip say it. */
export function remainingWords(notAfter: number, now: number): string {
  const days = daysLeft(notAfter, now);
  if (days < 0) return 'Expired';
  return `${days} ${days === 1 ? 'day' : 'days'} left`;
}

/** What a pin's link is called: all that its tooltip tells. */
export function pinName({ entries, count }: HorizonPin, now: number): string {
  const [{ name, notAfter, status }] = entries;
  const date = longDate(notAfter);
  if (count > 1) return `${count} certificates ${notAfter < now ? 'expired' : 'expire'} on ${date}`;
  const isRevoked = status === 'revoked' ? ', revoked' : '';
  if (notAfter < now) return `${name}, expired on ${date}${isRevoked}`;
  return `${name}, expires on ${date}, ${remainingWords(notAfter, now)}${isRevoked}`;
}
