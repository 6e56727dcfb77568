import ical, { ICalCalendarMethod, type ICalEventData, ICalEventTransparency } from 'ical-generator';
import {
  displayName,
  expectedRenewal,
  type ExpiringCertificate,
  oneLine,
  zoneOffsetMs,
} from '../../core/index.ts';
import type { CalendarDomain } from '../../store/publishing/calendar-feeds.ts';
import { HOUR_MS, DAY_MS } from '../../../contract/durations.ts';

/** How often calendars should ask. */
const ASK_EVERY_SECONDS = 12 * 3_600;
/** What has ended stays for a while: its row in the calendar says since when. */
const SHOWN_AFTER_MS = 30 * DAY_MS;
const SHOWN_FOR_MS = HOUR_MS / 2;
/** A shorter window is told by the hour. */
const WHOLE_DAYS_FROM_MS = 2 * DAY_MS;

/**
 * Expiries and renewal windows as an iCalendar document (RFC 5545). Of unchanged domains it is the same bytes: what changes with
 * the clock is not in it.
 */
export function calendarText(
  domains: readonly CalendarDomain[],
  { productName, publicUrl, timeZone, now }: CalendarOptions,
): string {
  const calendar = ical({
    name: `${productName}: certificates`,
    description: 'When certificates end, and when they are to be renewed.',
    prodId: { company: 'Certlantern', product: 'certificates', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: ASK_EVERY_SECONDS,
  });
  for (const domain of domains) {
    const page = new URL('/dashboard', publicUrl);
    page.searchParams.set('domain', domain.id);
    for (const event of eventsOf(domain, { timeZone, now }))
      calendar.createEvent({
        ...event,
        stamp: new Date(domain.lastCheckedAt),
        transparency: ICalEventTransparency.TRANSPARENT,
        url: page.href,
        description: `${event.description}\n${page.href}`,
      });
  }
  return calendar.toString();
}

export interface CalendarOptions {
  productName: string;
  publicUrl: URL;
  /** IANA name; null: UTC. Which days a window takes up. */
  timeZone: string | null;
  now: number;
}

type Event = Pick<ICalEventData, 'id' | 'start' | 'end' | 'allDay' | 'summary' | 'sequence'> & {
  description: string;
};

function eventsOf(domain: CalendarDomain, options: Pick<CalendarOptions, 'timeZone' | 'now'>): Event[] {
  const leaf = domain.expiring.find(({ role }) => role === 'leaf');
  return domain.expiring
    .filter((one) => one === leaf || (leaf !== undefined && one.notAfter < leaf.notAfter))
    .filter(({ notAfter }) => notAfter > options.now - SHOWN_AFTER_MS)
    .flatMap((one) => [
      expiry(domain, one),
      ...(one === leaf && one.notAfter > options.now ? [renewal(domain, one, options)] : []),
    ]);
}

/** The same for as long as the certificate is. */
const uid = (kind: string, { id }: CalendarDomain, { fingerprint }: ExpiringCertificate) =>
  `${kind}-${id}-${fingerprint.slice(0, 16)}`;

function expiry(domain: CalendarDomain, certificate: ExpiringCertificate): Event {
  const { notAfter, role, name } = certificate;
  const host = displayName(domain);
  const what = role === 'leaf' ? `${host}: certificate expires` : `${host}: intermediate certificate expires`;
  return {
    id: uid('expiry', domain, certificate),
    start: new Date(notAfter),
    end: new Date(notAfter + SHOWN_FOR_MS),
    summary: what,
    // What never changes is never a new version.
    sequence: 0,
    description: `The certificate ${oneLine(name)} is valid until ${inUtc(notAfter)}.`,
  };
}

function renewal(
  domain: CalendarDomain,
  certificate: ExpiringCertificate,
  { timeZone }: Pick<CalendarOptions, 'timeZone'>,
): Event {
  const { from, to } = expectedRenewal(certificate);
  const isLong = to - from >= WHOLE_DAYS_FROM_MS;
  return {
    id: uid('renewal', domain, certificate),
    ...(isLong
      ? { allDay: true, start: localDay(from, timeZone), end: localDay(to + DAY_MS, timeZone) }
      : { start: new Date(from), end: new Date(Math.max(to, from + SHOWN_FOR_MS)) }),
    summary: `${displayName(domain)}: time to renew`,
    // CAs move their windows: a later version has a higher number.
    sequence: Math.max(0, Math.floor((domain.lastCheckedAt - certificate.notBefore) / DAY_MS)),
    description: `Renew the certificate between ${inUtc(from)} and ${inUtc(to)}.`,
  };
}

/** The day on the clocks of the zone; of an event that takes up whole days only the date counts. */
function localDay(at: number, timeZone: string | null): Date {
  return new Date(at + zoneOffsetMs(at, timeZone));
}

/** "2026-11-21 18:16 UTC": a description has no zone of its own. */
const inUtc = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
