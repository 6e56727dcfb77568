import type { DeadlinesWire, DeadlineWire } from '../../../contract/calls/deadline.ts';
import { DAY_MS } from '../../../contract/durations.ts';
import { daysText } from '../../../contract/state/schedule.ts';
import { counted, dateFormat, grouped, plural } from '../../lib/format.ts';

const utcDay = dateFormat({ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Returns '15 March 2027'. The days of rules are days in UTC everywhere. */
export const dayText = (day: string): string => utcDay(Date.parse(day));

/** Returns 'today', 'in 104 days', 'in 2 years' or '3 days ago'. `now` in ms UTC. */
export function distanceText(day: string, now: number): string {
  const days = Math.ceil((Date.parse(day) - now) / DAY_MS);
  if (days === 0) return 'today';
  return days > 0 ? `in ${daysText(days)}` : `${daysText(-days)} ago`;
}

/** Says how many certificates are done, such as '12 of 14 renewed'. */
export function doneText({ done, total, limit }: DeadlineWire): string {
  return `${grouped(done)} of ${grouped(total)} ${limit === null ? 'renewed' : `already last ${counted(limit.days, 'day')} or less`}`;
}

/** Says whether something will break, and which dates need preparation. */
export function leadText({ deadlines }: DeadlinesWire): string {
  const open = deadlines.filter(({ effect, left }) => effect !== 'lifetime' && left > 0);
  const [first] = open;
  if (first === undefined) return 'Nothing will break on a known date.';
  // The certificates of several dates may be the same, so their numbers have no sum.
  const concerned = `${counted(open.length, 'date')} ${plural(open.length, 'concerns', 'concern')} certificates that are not renewed yet`;
  return `${concerned}${open.length === 1 ? ':' : ', the first is'} ${dayText(first.date)}.`;
}

/** Returns the rules to choose from, with the numbers of certificates that the list then has. A rule about roots may have several dates. */
export const ruleChoices = (deadlines: readonly DeadlineWire[]) =>
  [...Map.groupBy(deadlines, ({ rule }) => rule)].map(([rule, [first, ...others]]) => ({
    rule,
    label: [...(others.length === 0 ? [dayText(first?.date ?? '')] : []), first?.title].join(': '),
    certificates: [first, ...others].reduce(
      (sum, one) => sum + ((one?.limit == null ? one?.total : one.left) ?? 0),
      0,
    ),
  }));

/** Returns what a date changes for renewals a year: '31 renewals a year instead of 8'. */
export const renewalsText = ({ limit }: DeadlineWire, { now }: DeadlinesWire['renewals']): string | null =>
  limit && `${counted(limit.renewals, 'renewal')} a year instead of ${grouped(now)}`;

export const RENEWALS_NOTE =
  'Counted for the certificates with a public root that your domains serve now, if each is renewed after two thirds of its lifetime (after half if it lives for less than 10 days).';
