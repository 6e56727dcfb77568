import type { PublicStatus, ShownDomain, ShownIncident } from '../../../../contract/status-page.ts';
import {
  daysText,
  durationText,
  grouped,
  inWordsCapitalised,
  longDate,
  longDateTime,
} from '../../../lib/format.ts';

type Certificate = NonNullable<ShownDomain['certificate']>;

const REFUSED: Partial<Record<Certificate['state'], string>> = {
  expired: 'has expired',
  revoked: 'is revoked',
  untrusted: 'is not trusted',
};
const refusalOf = ({ certificate }: ShownDomain) => certificate && REFUSED[certificate.state];

/** Returns the page's headline: the worst state on it. */
export function headline({ state, domains, more }: PublicStatus): string {
  const [first] = domains;
  if (first === undefined) return 'This page shows no domains yet';
  if (state === 'down') {
    const down = domains.filter((domain) => domain.state === 'down');
    return down.length === 1
      ? `${down[0]?.name} is down`
      : `${inWordsCapitalised(down.length)} of ${grouped(domains.length + more)} domains are down`;
  }
  if (state === 'trouble') {
    const refused = domains.filter(refusalOf);
    return refused.length === 1 && refused[0]
      ? `The certificate of ${refused[0].name} ${refusalOf(refused[0])}`
      : `${inWordsCapitalised(refused.length)} certificates have problems`;
  }
  if (state === 'unknown')
    return domains.every((domain) => domain.state === 'paused') ? 'All checks are paused' : 'Status unknown';
  if (domains.length === 1) return `${first.name} is up`;
  if (domains.some((domain) => domain.state === 'unknown')) return 'Everything checked so far is up';
  if (domains.some((domain) => domain.state === 'paused')) return 'Everything that is checked is up';
  return more > 0 ? 'Everything shown is up' : 'Everything is up';
}

/** Returns '32 days left', or the badge's text. */
export function certificateWords({ state, days_left: days }: Certificate): string {
  if (state === 'expired') return 'Expired';
  if (state === 'revoked') return 'Revoked';
  if (state === 'untrusted') return 'Not trusted';
  if (state !== 'ok' && days === 0) return 'Expires today';
  const count = daysText(days);
  return state === 'ok' ? `${count} left` : `Expires in ${count}`;
}

/** Returns '20 November 2026 at 14:32', '14:40' if on the same day, and '8 min'; the end is null while it lasts. */
export function incidentWords(
  { started_at: startedAt, ended_at: endedAt }: Pick<ShownIncident, 'started_at' | 'ended_at'>,
  now: number,
): { start: string; end: string | null; duration: string } {
  const start = longDateTime(startedAt);
  const begin = Date.parse(startedAt);
  if (endedAt === null) return { start, end: null, duration: durationText(now - begin) };
  const end = longDateTime(endedAt);
  const isSameDay = longDate(startedAt) === longDate(endedAt);
  return {
    start,
    end: isSameDay ? end.slice(-5) : end,
    duration: durationText(Date.parse(endedAt) - begin),
  };
}
