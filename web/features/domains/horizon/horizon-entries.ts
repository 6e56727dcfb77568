import { expiryBadge } from '../../../../contract/badge.ts';
import type { SummaryWire } from '../../../../contract/domain.ts';
import type { HorizonEntry, HorizonPin } from '../../../ui/horizon/horizon-layout.ts';
import { daysLeft } from '../../../../contract/badge.ts';
import { longDate } from '../../../lib/dates.ts';

type Shown = Pick<SummaryWire, 'expiries' | 'problems'>;

const TROUBLE = { untrusted: 'not trusted', down: 'down', unreachable: 'could not be read' } as const;

/**
 * What the horizon shows of the summary. Dates move on by themselves; that one is revoked, or something else is wrong with
 * it than its date, is the server's word. What is more urgent than that keeps its own mark.
 */
export function horizonEntries({ expiries, problems }: Shown, now: number): HorizonEntry[] {
  const troubles = new Map(problems.toReversed().map(({ id, kind }) => [id, TROUBLE[kind]]));
  return expiries.map(({ id, display_name, not_after, state, count }) => {
    const notAfter = Date.parse(not_after);
    const trouble = troubles.get(id);
    const dated = expiryBadge(notAfter, now)?.status ?? 'ok';
    const isCalm = dated === 'ok' || dated === 'soon';
    const status = state === 'revoked' ? state : trouble !== undefined && isCalm ? 'fault' : dated;
    return { id, name: display_name, notAfter, status, count, trouble };
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
  const [{ name, notAfter, status, trouble }] = entries;
  const date = longDate(notAfter);
  if (count > 1) return `${count} certificates ${notAfter < now ? 'expired' : 'expire'} on ${date}`;
  const isRevoked = status === 'revoked' ? ', revoked' : '';
  const isWrong = trouble === undefined ? '' : `, ${trouble}`;
  if (notAfter < now) return `${name}, expired on ${date}${isRevoked}${isWrong}`;
  return `${name}, expires on ${date}, ${remainingWords(notAfter, now)}${isRevoked}${isWrong}`;
}
