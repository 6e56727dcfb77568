import type { PublicStatus, ShownDomain, ShownIncident } from '../../../../contract/status-page.ts';
import { longDate, longDateTime } from '../../../lib/dates.ts';
import { durationText } from '../../../lib/duration.ts';
import { inWordsCapitalised } from '../../../lib/number-words.ts';

type Certificate = NonNullable<ShownDomain['certificate']>;

const REFUSED: Partial<Record<Certificate['state'], string>> = {
  expired: 'has expired',
  revoked: 'is revoked',
  untrusted: 'is not trusted',
};
const refusalOf = ({ certificate }: ShownDomain) => certificate && REFUSED[certificate.state];

/** The page in one sentence: the worst of what it shows. */
export function headline({ state, domains }: PublicStatus): string {
  const [first] = domains;
  if (first === undefined) return 'Nothing is shown here yet';
  if (state === 'down') {
    const down = domains.filter((domain) => domain.state === 'down');
    return down.length === 1
      ? `${down[0]?.name} is down`
      : `${inWordsCapitalised(down.length)} of ${domains.length} are down`;
  }
  if (state === 'trouble') {
    const refused = domains.filter(refusalOf);
    return refused.length === 1 && refused[0]
      ? `The certificate of ${refused[0].name} ${refusalOf(refused[0])}`
      : `${inWordsCapitalised(refused.length)} certificates are not good`;
  }
  if (state === 'unknown')
    return domains.every((domain) => domain.state === 'paused')
      ? 'Nothing is watched at present'
      : 'Nothing is known yet';
  if (domains.length === 1) return `${first.name} is up`;
  return domains.every((domain) => domain.state === 'up') ? 'Everything is up' : 'Everything watched is up';
}

/** '32 days left', or what its badge says. */
export function certificateWords({ state, days_left: days }: Certificate): string {
  if (state === 'expired') return 'Expired';
  if (state === 'revoked') return 'Revoked';
  if (state === 'untrusted') return 'Not trusted';
  if (state !== 'ok' && days === 0) return 'Expires today';
  const count = `${days} ${days === 1 ? 'day' : 'days'}`;
  return state === 'ok' ? `${count} left` : `Expires in ${count}`;
}

/** '99.9%': one decimal, and 100% only where nothing failed. */
export function percentText(percent: number): string {
  if (percent === 100) return '100%';
  return `${(Math.floor(percent * 10) / 10).toFixed(1)}%`;
}

/** '20 November 2026 at 14:32 – 14:40' and '8 min' */
export function incidentWords(
  { started_at: startedAt, ended_at: endedAt }: ShownIncident,
  now: number,
): { when: string; duration: string } {
  const start = Date.parse(startedAt);
  if (endedAt === null)
    return { when: `Since ${longDateTime(startedAt)}`, duration: durationText(now - start) };
  const end = longDateTime(endedAt);
  const isSameDay = longDate(startedAt) === longDate(endedAt);
  return {
    when: `${longDateTime(startedAt)} – ${isSameDay ? end.slice(-5) : end}`,
    duration: durationText(Date.parse(endedAt) - start),
  };
}
