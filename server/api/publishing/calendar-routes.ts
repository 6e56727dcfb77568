import { createHash, randomBytes } from 'node:crypto';
import ical, { ICalCalendarMethod, type ICalEventData, ICalEventTransparency } from 'ical-generator';
import { CALLS } from '../../../contract/calls/calls.ts';
import type { DeadlineWire } from '../../../contract/calls/deadline.ts';
import {
  type CalendarDomain,
  createCalendarFeed,
  readCalendarDomains,
  removeCalendarFeed,
} from '../../store/publishing/calendar-feeds.ts';
import { readDeadlines } from '../domains/deadlines.ts';
import type { Api, AppParts } from '../http/api.ts';
import { addDeadlineEvents } from './deadline-events.ts';
import { respondWithEtag } from '../http/answer-cache.ts';
import { refuse } from '../http/problem.ts';
import { expectedRenewal } from '../../core/alert-steps.ts';
import { zoneOffsetMs } from '../../core/alerting/local-time.ts';
import { displayName } from '../../core/endpoint.ts';
import { causeInLine } from '../../core/forecast/forecast-words.ts';
import { longInstant } from '../../core/long-date.ts';
import { oneLine } from '../../core/one-line.ts';
import type { ExpiringCertificate } from '../../core/verdict.ts';
import { DAY_MS, HOUR_MS } from '../../../contract/durations.ts';

/** Manages an account's secret calendar URL, and serves its calendar. */
export function calendarRoutes(api: Api, { store, limits, config }: AppParts): void {
  api.on(CALLS.makeCalendar, async ({ session: { account }, idempotency, now }) => {
    const token = randomBytes(32).toString('base64url');
    const answer = { data: { url: new URL(`/api/calendar/${token}.ics`, config.publicUrl).href } };
    await createCalendarFeed(store, {
      accountId: account.id,
      token,
      now,
      alsoWrite: (trx) => idempotency.storeAnswer(trx, answer),
    });
    return answer;
  });

  api.on(CALLS.removeCalendar, async ({ session: { account } }) => {
    await removeCalendarFeed(store, account.id);
    return { data: null };
  });

  api.on(CALLS.calendar, async ({ c, params, now }) => {
    const token = params.file.slice(0, -'.ics'.length);
    const limited = limits.allow('calendarByToken', createHash('sha256').update(token).digest('hex'));
    if (limited) return limited;
    const feed = await readCalendarDomains(store, { token, now });
    if (feed === null) return refuse('not_found', 'There is no such calendar.');
    const { productName, publicUrl } = config;
    const { accountId, timeZone, domains } = feed;
    const { deadlines } = await readDeadlines(store, { accountId, now });
    const text = calendarText(domains, { productName, publicUrl, timeZone, deadlines, now });
    return respondWithEtag(c, text, {
      contentType: 'text/calendar; charset=utf-8',
      headers: {
        'Cache-Control': 'private, max-age=300',
        'Content-Disposition': 'inline; filename="certificates.ics"',
      },
    });
  });
}

/** Interval at which calendar programs should refresh. */
const REFRESH_SECONDS = 12 * 3_600;
/** Time in ms for which an expired certificate stays in the calendar, so that people see since when it has been expired. */
const SHOWN_AFTER_MS = 30 * DAY_MS;
const EVENT_MS = HOUR_MS / 2;
/** Minimum length in ms of a renewal window that the calendar shows as whole days. Shorter windows have times of day. */
const WHOLE_DAYS_FROM_MS = 2 * DAY_MS;

/**
 * Renders expiries, renewal windows and the dates of rules as iCalendar (RFC 5545 §3.6.1). The domains that serve a certificate share its events, under
 * the id of the oldest of these domains. Events do not contain the current time, so the ETag only changes when a domain was checked
 * or an event is added or dropped.
 */
export function calendarText(
  domains: readonly CalendarDomain[],
  { productName, publicUrl, timeZone, deadlines, now }: CalendarOptions,
): string {
  const calendar = ical({
    name: `${productName}: certificates`,
    description: 'When certificates expire, when to renew them, and when rules change.',
    prodId: { company: 'Certlantern', product: 'certificates', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: REFRESH_SECONDS,
  });
  const all = domains.flatMap((domain) =>
    eventsOf(domain, { timeZone, now }).map(({ about, ...event }) => ({ domain, about, event })),
  );
  for (const [first, ...others] of Map.groupBy(all, ({ about }) => about).values()) {
    if (!first) continue;
    const { domain, event } = first;
    const page = new URL('/dashboard', publicUrl);
    page.searchParams.set('domain', domain.id);
    const hosts = [first, ...others].map((each) => displayName(each.domain));
    calendar.createEvent({
      ...event,
      summary: `${hosts[0]}${others.length === 0 ? '' : ` and ${others.length} more`}: ${event.summary}`,
      stamp: new Date(domain.lastCheckedAt),
      transparency: ICalEventTransparency.TRANSPARENT,
      url: page.href,
      description: [event.description, ...(others.length === 0 ? [] : [servedBy(hosts)]), page.href].join(
        '\n',
      ),
    });
  }
  addDeadlineEvents(calendar, deadlines, publicUrl);
  return calendar.toString();
}

const MAX_HOSTS = 10;

function servedBy(hosts: readonly string[]): string {
  const more = hosts.length - MAX_HOSTS;
  return `Served by ${hosts.slice(0, MAX_HOSTS).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

interface CalendarOptions {
  productName: string;
  publicUrl: URL;
  /** IANA name of the time zone that determines the days of all-day events; null for UTC. */
  timeZone: string | null;
  deadlines: readonly DeadlineWire[];
  now: number;
}

type Event = Pick<ICalEventData, 'id' | 'start' | 'end' | 'allDay' | 'sequence'> & {
  /** What the event is about: equal for all domains that serve the certificate. */
  about: string;
  /** The title of the event, without the names of the domains. */
  summary: string;
  description: string;
};

function eventsOf(domain: CalendarDomain, options: Pick<CalendarOptions, 'timeZone' | 'now'>): Event[] {
  const leaf = domain.expiring.find(({ role }) => role === 'leaf');
  return domain.expiring
    .filter((one) => one === leaf || (leaf !== undefined && one.notAfter < leaf.notAfter))
    .filter(({ notAfter }) => notAfter > options.now - SHOWN_AFTER_MS)
    .flatMap((one) => [
      expiry(domain, one),
      ...(one === leaf && one.notAfter > options.now ? renewals(domain, one, options) : []),
    ]);
}

/** Returns what an event is about, and its id, which never changes for a certificate, so that calendars update the event. */
function ids(kind: string, { id }: CalendarDomain, { fingerprint }: ExpiringCertificate) {
  return { id: `${kind}-${id}-${fingerprint.slice(0, 16)}`, about: `${kind}-${fingerprint}` };
}

function expiry(domain: CalendarDomain, certificate: ExpiringCertificate): Event {
  const { notAfter, role, name } = certificate;
  return {
    ...ids('expiry', domain, certificate),
    start: new Date(notAfter),
    end: new Date(notAfter + EVENT_MS),
    summary: role === 'leaf' ? 'certificate expires' : 'intermediate certificate expires',
    // The expiry of a certificate never changes, so the event stays at its first version (RFC 5545 §3.8.7.4).
    sequence: 0,
    description: `The certificate ${oneLine(name)} is valid until ${longInstant(notAfter)}.`,
  };
}

/** Returns the event for the renewal window and, if a forecast says that the renewal will fail, one for the expected day. */
function renewals(
  domain: CalendarDomain,
  certificate: ExpiringCertificate,
  options: Pick<CalendarOptions, 'timeZone'>,
): Event[] {
  const { failing, lastCheckedAt } = domain;
  const events = [renewal(domain, certificate, options)];
  if (failing?.fingerprint !== certificate.fingerprint) return events;
  const { line, expectedAt } = failing;
  const day = localDay(expectedAt, options.timeZone);
  const failure: Event = {
    ...ids('renewal-fails', domain, certificate),
    allDay: true,
    start: day,
    end: new Date(day.getTime() + DAY_MS),
    summary: `expected renewal will fail${causeInLine(line)}`,
    sequence: sequenceAt(lastCheckedAt, certificate),
    description: `We expect the renewal on ${longInstant(expectedAt)}, and it will fail. The details of the domain say what to do before that day.`,
  };
  return [...events, failure];
}

/** Returns the sequence number (RFC 5545 §3.8.7.4) of an event that may move: the days from the start of validity to the check. */
const sequenceAt = (at: number, { notBefore }: ExpiringCertificate): number =>
  Math.max(0, Math.floor((at - notBefore) / DAY_MS));

function renewal(
  domain: CalendarDomain,
  certificate: ExpiringCertificate,
  { timeZone }: Pick<CalendarOptions, 'timeZone'>,
): Event {
  const { from, to } = expectedRenewal(certificate);
  const isLong = to - from >= WHOLE_DAYS_FROM_MS;
  return {
    ...ids('renewal', domain, certificate),
    ...(isLong
      ? { allDay: true, start: localDay(from, timeZone), end: localDay(to + DAY_MS, timeZone) }
      : { start: new Date(from), end: new Date(Math.max(to, from + EVENT_MS)) }),
    summary: 'time to renew',
    // CAs may move renewal windows, so later versions of the event need a higher sequence number.
    sequence: sequenceAt(domain.lastCheckedAt, certificate),
    description: `Renew the certificate between ${longInstant(from)} and ${longInstant(to)}.`,
  };
}

/** Returns a time shifted by the offset of the zone. Callers only use its UTC date, which is then the local date. */
function localDay(at: number, timeZone: string | null): Date {
  return new Date(at + zoneOffsetMs(at, timeZone));
}
