import ICAL from 'ical.js';
import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { calendarText } from '../../server/api/publishing/calendar-routes.ts';
import type { CalendarDomain } from '../../server/store/publishing/calendar-feeds.ts';
import type { ExpiringCertificate } from '../../server/core/verdict.ts';
import { disableAccount } from '../../server/store/accounts/account-administration.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { failingRow } from '../kit/product/sample-forecast.ts';
import type { Person } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi, type TestApi } from './test-api.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { promise } from '../security/promise.ts';

const authority = mintAuthority();
const NOW = Date.parse('2026-11-21T12:00:00Z');

const make = async (person: Person) => new URL((await person.ask(CALLS.makeCalendar)).ok.data.url).pathname;
const read = (api: TestApi, path: string, headers = {}) => api.sendFrom('203.0.113.5')(path, { headers });
function eventsIn(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text) as unknown[]);
  return calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
}

async function watch(api: TestApi, person: Person, host: string): Promise<{ id: string; notAfter: number }> {
  const { id } = (await person.ask(CALLS.addDomain, { body: { host } })).ok.data;
  const notAfter = Math.floor(api.clock.now() / 1_000) * 1_000 + 60 * DAY_MS;
  const leaf = authority.issue({
    dnsNames: [host],
    notBefore: new Date(notAfter - 90 * DAY_MS),
    notAfter: new Date(notAfter),
  });
  await finishChecks(api, authority, answeredWith(leaf));
  return { id, notAfter };
}

const certificate = (change: Partial<ExpiringCertificate> = {}): ExpiringCertificate => ({
  fingerprint: 'ab'.repeat(32),
  notBefore: NOW - 30 * DAY_MS,
  notAfter: NOW + 60 * DAY_MS,
  role: 'leaf',
  name: 'shop.example',
  renewalWindow: null,
  ...change,
});
const calendarOf = (
  expiring: ExpiringCertificate[],
  {
    timeZone = null as string | null,
    host = 'shop.example',
    failing = null as CalendarDomain['failing'],
  } = {},
) =>
  calendarText([{ id: 'd1', host, port: 443, createdAt: NOW, lastCheckedAt: NOW, expiring, failing }], {
    productName: 'Certlantern',
    publicUrl: new URL('https://certs.example'),
    timeZone,
    deadlines: [],
    now: NOW,
  });

it('A calendar has one expiry and one renewal event per certificate, which name the domains that serve it', () => {
  const domains = Array.from({ length: 12 }, (_, index) => ({
    id: `d${index}`,
    host: `h${index}.shop.example`,
    port: 443,
    createdAt: NOW + index,
    lastCheckedAt: NOW,
    failing: null,
    expiring: [certificate(index === 11 ? { fingerprint: 'cd'.repeat(32) } : {})],
  }));
  const text = calendarText(domains, {
    productName: 'Certlantern',
    publicUrl: new URL('https://certs.example'),
    timeZone: null,
    deadlines: [],
    now: NOW,
  });
  const events = eventsIn(text);
  expect(events.map(({ uid, summary }) => [uid, summary])).toEqual([
    ['expiry-d0-abababababababab', 'h0.shop.example and 10 more: certificate expires'],
    ['renewal-d0-abababababababab', 'h0.shop.example and 10 more: time to renew'],
    ['expiry-d11-cdcdcdcdcdcdcdcd', 'h11.shop.example: certificate expires'],
    ['renewal-d11-cdcdcdcdcdcdcdcd', 'h11.shop.example: time to renew'],
  ]);
  expect(events[0]?.description).toContain('h9.shop.example and 1 more.');
});

describeAnyDatabase('The calendar of an account', (open) => {
  it('has an event for each expiry and each renewal date, and is readable by anybody who knows its secret URL', async () => {
    const api = await startApi(open);
    const { alice, bob } = await api.cast();
    const { id, notAfter } = await watch(api, alice, 'shop.example.com');
    await watch(api, bob, 'bob.example.com');
    const path = await make(alice);
    expect(path).toMatch(/^\/api\/calendar\/[\w-]{43}\.ics$/);
    const answer = await read(api, path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(answer.headers.get('cache-control')).toMatch(/^private/);
    expect(answer.headers.getSetCookie()).toEqual([]);
    const [expiry, renewal, ...more] = eventsIn(await answer.text());
    expect(more).toEqual([]);
    expect(expiry?.summary).toBe('shop.example.com: certificate expires');
    expect(expiry?.uid).toMatch(new RegExp(`^expiry-${id}-[0-9a-f]{16}$`));
    expect(expiry?.startDate.toJSDate().getTime()).toBe(notAfter);
    expect(expiry?.description).toMatch(/ is valid until \d+ \w+ \d{4}, \d\d:\d\d UTC\./);
    expect(expiry?.description).toContain(`http://localhost:8080/dashboard?domain=${id}`);
    expect(renewal?.summary).toBe('shop.example.com: time to renew');
    expect(renewal?.startDate.isDate).toBe(true);
  });

  it('has an event on the day of a renewal that will fail', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const { id, notAfter } = await watch(api, alice, 'shop.example.com');
    const { account_id: accountId, certificate_fingerprint: fingerprint } = await api.store.db
      .selectFrom('monitors')
      .select(['account_id', 'certificate_fingerprint'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const expectedAt = notAfter - 20 * DAY_MS;
    await api.store.db
      .insertInto('forecasts')
      .values(failingRow({ accountId, fingerprint: fingerprint ?? '', expectedAt }))
      .execute();
    const events = eventsIn(await (await read(api, await make(alice))).text());
    expect(events.map(({ summary }) => summary)).toContain(
      'shop.example.com: expected renewal will fail: CAA forbids Let’s Encrypt',
    );
  });

  it('gets a new address when it is created again and ends when it is removed; the database has only a hash of the address', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const first = await make(alice);
    const second = await make(alice);
    expect([(await read(api, first)).status, (await read(api, second)).status]).toEqual([404, 200]);
    const { calendar } = (await alice.ask(CALLS.accountAlerts)).ok.data;
    expect(calendar?.read_at).not.toBeNull();
    const [row] = await api.store.db.selectFrom('calendar_feeds').selectAll().execute();
    expect(JSON.stringify(row)).not.toContain(second.slice(14, 57));
    expect((await alice.ask(CALLS.removeCalendar)).ok.data).toBeNull();
    expect((await read(api, second)).status).toBe(404);
    expect((await alice.ask(CALLS.accountAlerts)).ok.data.calendar).toBeNull();
    promise('links');
  });

  it('answers 404 while its account is disabled', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    const path = await make(alice);
    await disableAccount(api.store, alice.id, api.clock.now());
    expect((await read(api, path)).status).toBe(404);
  });

  it('answers 304 while its content is unchanged', async () => {
    const api = await startApi(open);
    const { alice } = await api.cast();
    await watch(api, alice, 'shop.example.com');
    const path = await make(alice);
    const etag = (await read(api, path)).headers.get('etag') ?? '';
    api.clock.advance(60_000);
    for (const known of [etag, `W/${etag}`, `"old", ${etag}`, '*'])
      expect((await read(api, path, { 'if-none-match': known })).status).toBe(304);
    await watch(api, alice, 'www.example.com');
    expect((await read(api, path, { 'if-none-match': etag })).status).toBe(200);
  });
});

it('A calendar shows the day of a renewal that will fail, and why', () => {
  const { fingerprint } = certificate();
  const failing = {
    fingerprint,
    line: 'Next renewal will fail: CAA forbids Let’s Encrypt',
    expectedAt: Date.parse('2026-12-20T23:30:00Z'),
  };
  const found = eventsIn(calendarOf([certificate()], { failing, timeZone: 'Europe/Oslo' })).find(({ uid }) =>
    uid.startsWith('renewal-fails-'),
  );
  expect(found).toMatchObject({
    summary: 'shop.example: expected renewal will fail: CAA forbids Let’s Encrypt',
  });
  expect([found?.startDate.toString(), found?.endDate.toString()]).toEqual(['2026-12-21', '2026-12-22']);
  const other = { ...failing, fingerprint: 'cd'.repeat(32) };
  expect(eventsIn(calendarOf([certificate()], { failing: other }))).toHaveLength(2);
});

it('The calendar text has the properties of RFC 5545 and a refresh interval of 12 hours', () => {
  const text = calendarOf([certificate()]);
  for (const line of [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'METHOD:PUBLISH',
    'REFRESH-INTERVAL;VALUE=DURATION:PT12H',
    'X-PUBLISHED-TTL:PT12H',
    'DTSTAMP:20261121T120000Z',
    'SEQUENCE:0',
    'TRANSP:TRANSPARENT',
  ])
    expect(text.split('\r\n')).toContain(line);
});

it('Calendar lines have at most 75 octets in any script', () => {
  const name = 'Ålesund 🔥 証明書 '.repeat(8);
  const text = calendarOf([certificate({ name })], { host: 'xn--bcher-kva.example' });
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const [expiry] = eventsIn(text);
  expect(expiry?.summary).toBe('bücher.example: certificate expires');
  expect(expiry?.description).toContain('Ålesund 🔥 証明書 Ålesund 🔥');
});

it('A certificate’s name cannot inject calendar lines', () => {
  const name = 'x\r\nEND:VEVENT\r\nBEGIN:VEVENT\nUID:evil\rSUMMARY:Pay here;,\\n\u2028\u0000';
  const text = calendarOf([certificate({ name })]);
  expect(eventsIn(text)).toHaveLength(2);
  expect(text).not.toMatch(/^UID:evil/m);
  expect(text).not.toContain('\0');
  promise('hostile-text');
});

it('Calendar days follow the account’s time zone, and an intermediate that expires before the leaf has its own event', () => {
  const renewalWindow = {
    start: Date.parse('2026-12-01T23:30:00Z'),
    end: Date.parse('2026-12-05T10:00:00Z'),
  };
  const daysIn = (timeZone: string) => {
    const event = eventsIn(calendarOf([certificate({ renewalWindow })], { timeZone }))[1];
    return [event?.startDate.toString(), event?.endDate.toString()];
  };
  expect(daysIn('UTC')).toEqual(['2026-12-01', '2026-12-06']);
  expect(daysIn('Europe/Oslo')).toEqual(['2026-12-02', '2026-12-06']);
  const intermediate = certificate({
    fingerprint: 'cd'.repeat(32),
    role: 'intermediate',
    name: 'R10',
    notAfter: NOW + 10 * DAY_MS,
  });
  const summaries = eventsIn(calendarOf([certificate(), intermediate])).map(({ summary }) => summary);
  expect(summaries).toEqual([
    'shop.example: certificate expires',
    'shop.example: time to renew',
    'shop.example: intermediate certificate expires',
  ]);
});

it('A calendar has an expiry and a renewal event for each of 2,000 domains', () => {
  const domains = Array.from({ length: 2_000 }, (_, index) => ({
    id: `d${index}`,
    host: `shop-${index}.example`,
    port: 443,
    createdAt: NOW,
    lastCheckedAt: NOW,
    failing: null,
    expiring: [certificate({ fingerprint: index.toString(16).padStart(64, '0') })],
  }));
  const options = {
    productName: 'C',
    publicUrl: new URL('https://c.example'),
    timeZone: 'Asia/Tokyo',
    deadlines: [],
    now: NOW,
  };
  const text = calendarText(domains, options);
  expect(text.match(/^BEGIN:VEVENT/gm)).toHaveLength(4_000);
});
