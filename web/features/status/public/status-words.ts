import type { PublicStatus, ShownDomain, ShownIncident } from '../../../../contract/status-page.ts';
import { DAY_MS, MINUTE_MS } from '../../../../contract/durations.ts';
import { percentText } from '../../../ui/certificate/uptime-strip-geometry.ts';
import { counted, dateFormat, grouped, relativeTime, shortName } from '../../../lib/format.ts';
import { durationInTwoUnits, timeLeft } from '../../../../contract/state/schedule.ts';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import { SOON_DAYS } from '../../../../contract/words.ts';

type Certificate = NonNullable<ShownDomain['certificate']>;

const REFUSED: Partial<Record<Certificate['state'], string>> = {
  expired: 'has expired',
  revoked: 'is revoked',
  untrusted: 'is not trusted',
  refused: 'is refused by some clients',
};
/** Returns what is wrong with the certificate of a domain, such as 'has expired'; null if nothing is wrong or the page shows no certificate. */
export const refusalOf = ({ certificate }: ShownDomain): string | null =>
  (certificate && REFUSED[certificate.state]) ?? null;

/** Returns the page's headline: what is wrong, in the order of the list. */
export function headline({ state, domains, more }: PublicStatus): string {
  const [first] = domains;
  if (first === undefined) return 'This page shows no domains yet';
  const down = domains.filter((domain) => domain.state === 'down');
  const [refused, total] = [domains.filter(refusalOf), domains.length + more];
  const isDownFirst = !refusalOf(first) || (first.state === 'down' && first.certificate?.state === 'refused');
  const parts = isDownFirst
    ? [downWords(down, total), refusedWords(refused)]
    : [refusedWords(refused), downWords(down, total)];
  if (state === 'down' || state === 'trouble') return parts.filter((part) => part !== '').join(', ');
  if (state === 'unknown')
    return domains.every((domain) => domain.state === 'paused') ? 'All checks are paused' : 'Status unknown';
  if (domains.length === 1) return `${shortName(first.name)} is up`;
  if (domains.some((domain) => domain.state === 'unknown')) return 'Everything checked so far is up';
  if (domains.some((domain) => domain.state === 'paused')) return 'Everything that is checked is up';
  return more > 0 ? 'Everything shown is up' : 'Everything is up';
}

function downWords(down: readonly ShownDomain[], total: number): string {
  const [first, ...others] = down;
  if (first === undefined) return '';
  if (others.length === 0) return `${shortName(first.name)} is down`;
  return `${grouped(down.length)} of ${counted(total, 'domain')} are down`;
}

function refusedWords(refused: readonly ShownDomain[]): string {
  const [first, ...others] = refused;
  if (first === undefined) return '';
  if (others.length > 0) return `${grouped(refused.length)} certificates have problems`;
  return `The certificate of ${shortName(first.name)} ${refusalOf(first)}`;
}

/**
 * Returns '32 days left', '5 days left, renews on schedule', 'Expiring in 2 days' (the badge's text), 'Expiring in 31 hours', or the name of
 * the state. `now` in ms UTC.
 */
export function certificateWords(
  { state, days_left: days, expiry_date: end }: Certificate,
  now: number,
): string {
  if (REFUSED[state] !== undefined) return STATE_NAMES[state];
  const left = timeLeft(Date.parse(end) - now);
  // If so few days are left, the state is `ok` only for a short-lived certificate whose renewal is on schedule.
  if (state === 'ok' && days <= SOON_DAYS) return `${left} left, renews on schedule`;
  return state === 'ok' ? `${left} left` : `${state === 'critical' ? 'Expiring' : 'Expires'} in ${left}`;
}

/**
 * Returns when and how long a domain was down: '20 November 2026 at 14:32 – 14:40' in the reader's language and local time, and
 * '8 minutes'. While it lasts, only the start.
 */
export function incidentWords(
  { started_at: startedAt, ended_at: endedAt }: Pick<ShownIncident, 'started_at' | 'ended_at'>,
  { now, languages = navigator.languages }: { now: number; languages?: readonly string[] },
): { when: string; duration: string } {
  const format = new Intl.DateTimeFormat(languages, { dateStyle: 'long', timeStyle: 'short' });
  const [start, end] = [Date.parse(startedAt), endedAt === null ? null : Date.parse(endedAt)];
  return {
    when: end === null ? format.format(start) : format.formatRange(start, end),
    duration: durationInTwoUnits((end ?? now) - start),
  };
}

/** Returns '20 November 2026' in the reader's language and in UTC, for an instant in ms UTC. */
export const dayInUtc = dateFormat({ dateStyle: 'long', timeZone: 'UTC' }, navigator.languages);

/** Returns '20 November 2026 at 14:32 UTC' in the reader's language, for tooltips. */
export function utcTitle(instant: string, languages = navigator.languages): string {
  const format = dateFormat({ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }, languages);
  return `${format(Date.parse(instant))} UTC`;
}

/** Returns '2 min ago' up to 24 hours back, then the date in the reader's language and local time. */
export function lastUpdate(
  instant: number | string,
  { now, languages = navigator.languages }: { now: number; languages?: readonly string[] },
): string {
  const at = new Date(instant).getTime();
  return now - at < DAY_MS ? relativeTime(at, now) : dateFormat({ dateStyle: 'long' }, languages)(at);
}

/** Number of days on a strip. The Free plan shows fewer days of data. */
const STRIP_DAYS = 90;

/** Returns the minutes of downtime of the last 90 days, oldest first. Puts null for each day before the first given one. */
export function stripDays(downMinutes: readonly (number | null)[]): (number | null)[] {
  const missing = Math.max(0, STRIP_DAYS - downMinutes.length);
  return [...Array.from({ length: missing }, () => null), ...downMinutes];
}

/** Returns '99.9% uptime', or '99.9% uptime over 7 days' if fewer than 90 days have data. */
export function uptimeWords({
  percent,
  down_minutes: downMinutes,
}: NonNullable<ShownDomain['uptime']>): string {
  if (percent === null) return 'No data yet';
  const days = downMinutes.filter((minutes) => minutes !== null).length;
  const span = ` over ${counted(days, 'day')}`;
  return `${percentText(percent, '')} uptime${days < STRIP_DAYS ? span : ''}`;
}

/**
 * Says that there were no incidents on the days for which a domain has data. If the page hides uptime, it does not say which
 * days these are.
 */
export function noIncidentsWords({
  domains,
  window_days: windowDays,
}: Pick<PublicStatus, 'domains' | 'window_days'>): string {
  const strips = domains.flatMap(({ uptime }) => (uptime ? [uptime.down_minutes] : []));
  if (strips.length === 0) return 'None recorded.';
  const days = strips[0]?.filter((_, day) => strips.some((strip) => strip[day] !== null)).length ?? 0;
  if (days === 0) return 'No data yet.';
  return days < windowDays ? `None in ${counted(days, 'day')} with data.` : `None in the last ${days} days.`;
}

/** Returns the tooltip of a day on the strip. */
export function downtimeText(minutes: number | null): string {
  if (minutes === null) return 'No data';
  return minutes === 0 ? 'No downtime' : `Down for ${durationInTwoUnits(minutes * MINUTE_MS)}`;
}

/** Describes a strip of days: 'Last 90 days: 2 days with downtime, 60 days without data'. */
export function dayStripLabel(downMinutes: readonly (number | null)[]): string {
  const count = (isCounted: (minutes: number | null) => boolean) =>
    counted(downMinutes.filter(isCounted).length, 'day');
  const parts = [`${count((minutes) => (minutes ?? 0) > 0)} with downtime`];
  if (downMinutes.includes(null)) parts.push(`${count((minutes) => minutes === null)} without data`);
  return `Last ${counted(downMinutes.length, 'day')}: ${parts.join(', ')}`;
}
