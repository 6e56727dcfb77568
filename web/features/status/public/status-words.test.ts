import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../../contract/durations.ts';
import { expiryBadge } from '../../../../contract/state/badge.ts';
import type { PublicStatus, ShownDomain } from '../../../../contract/status-page.ts';
import {
  certificateWords,
  dayStripLabel,
  downtimeText,
  headline,
  incidentWords,
  lastUpdate,
  noIncidentsWords,
  stripDays,
  uptimeWords,
  utcTitle,
} from './status-words.ts';

const NOW = Date.UTC(2026, 10, 20);

const domain = (change: Partial<ShownDomain> = {}): ShownDomain => ({
  name: 'Shop',
  state: 'up',
  down_since: null,
  certificate: null,
  is_unread: false,
  uptime: null,
  ...change,
});
const certificate = (state: NonNullable<ShownDomain['certificate']>['state'], days = 5) => ({
  state,
  days_left: Math.floor(days),
  expiry_date: new Date(NOW + days * DAY_MS).toISOString(),
});
const page = (state: PublicStatus['state'], ...domains: ShownDomain[]): PublicStatus => ({
  title: 'Fjord',
  state,
  window_days: 90,
  checked_at: null,
  domains,
  more: 0,
  incidents: null,
});

describe('the headline of a status page', () => {
  it.each([
    [page('unknown'), 'This page shows no domains yet'],
    [page('unknown', domain({ state: 'unknown' })), 'Status unknown'],
    [page('unknown', domain({ state: 'paused' })), 'All checks are paused'],
    [page('up', domain()), 'Shop is up'],
    [page('up', domain(), domain()), 'Everything is up'],
    [page('up', domain(), domain({ state: 'paused' })), 'Everything that is checked is up'],
    [page('up', domain(), domain({ state: 'unknown' })), 'Everything checked so far is up'],
    [{ ...page('up', domain(), domain()), more: 19 }, 'Everything shown is up'],
    [page('down', domain({ state: 'down' }), domain()), 'Shop is down'],
    [page('down', domain({ state: 'down' }), domain({ state: 'down' }), domain()), '2 of 3 domains are down'],
    [
      { ...page('down', domain({ state: 'down' }), domain({ state: 'down' })), more: 1_998 },
      '2 of 2,000 domains are down',
    ],
    [
      page('trouble', domain({ certificate: certificate('expired', -2) })),
      'The certificate of Shop has expired',
    ],
    [
      page('trouble', domain({ certificate: certificate('refused', 40) }), domain()),
      'The certificate of Shop is refused by some clients',
    ],
    [
      page(
        'trouble',
        domain({ certificate: certificate('revoked') }),
        domain({ certificate: certificate('untrusted') }),
      ),
      '2 certificates have problems',
    ],
    [
      page(
        'down',
        domain({ certificate: certificate('expired', -2) }),
        domain({ name: 'Mail', state: 'down' }),
      ),
      'The certificate of Shop has expired, Mail is down',
    ],
    [
      page(
        'down',
        domain({ state: 'down', certificate: certificate('refused', 40) }),
        domain({ state: 'down' }),
        domain({ certificate: certificate('refused', 40) }),
      ),
      '2 of 3 domains are down, 2 certificates have problems',
    ],
  ])('reads (case %#): $1', (shown, sentence) => expect(headline(shown)).toBe(sentence));
});

it.each([
  [certificate('ok', 32), '32 days left'],
  [certificate('soon', 11), 'Expires in 11 days'],
  [certificate('critical', 2), 'Expiring in 2 days'],
  [certificate('critical', 0.5), 'Expiring in 12 hours'],
  [certificate('ok', 1.5), '36 hours left, renews on schedule'],
  [certificate('ok', 14), '14 days left, renews on schedule'],
  [certificate('ok', 15), '15 days left'],
  [certificate('expired', -1), 'Expired'],
  [certificate('revoked'), 'Revoked'],
  [certificate('untrusted'), 'Not trusted'],
  [certificate('refused'), 'Refused by some clients'],
])('certificateWords describes %j as “%s”', (shown, words) =>
  expect(certificateWords(shown, NOW)).toBe(words),
);

it.each([2, 7, 8, 14])('certificateWords counts %d days in the words of the badge', (days) => {
  const shown = certificate(days > 7 ? 'soon' : 'critical', days);
  expect(certificateWords(shown, NOW)).toBe(expiryBadge(Date.parse(shown.expiry_date), NOW)?.text);
});

it.each([
  ['en-GB', /^20 November 2026(,| at) \d\d:32\s?–\s?\d\d:40$/],
  ['de', /^20\. November 2026,? (um )?\d\d:32\s?–\s?\d\d:40( Uhr)?$/],
])('incidentWords says when a domain was down, in the language %s', (language, when) => {
  const ended = { started_at: '2026-11-20T14:32:00Z', ended_at: '2026-11-20T14:40:00Z' };
  const words = incidentWords(ended, { now: 0, languages: [language] });
  expect(words.when).toMatch(when);
  expect(words.duration).toBe('8 minutes');
});

it.each([
  ['en-GB', '20 November 2026 at 14:32 UTC', '20 November 2026'],
  ['de', '20. November 2026 um 14:32 UTC', '20. November 2026'],
])('tooltips and the date of an old update are written in the language %s', (language, title, date) => {
  const languages = [language];
  const updated = (now: string) => lastUpdate('2026-11-20T14:32:00Z', { now: Date.parse(now), languages });
  expect(utcTitle('2026-11-20T14:32:00Z', languages)).toBe(title);
  expect(updated('2026-11-22T14:32:00Z')).toBe(date);
  expect(updated('2026-11-20T14:34:00Z')).toBe('2 min ago');
});

it('incidentWords says since when a domain is down', () => {
  const lasting = { started_at: '2026-11-20T14:32:00Z', ended_at: null };
  const words = incidentWords(lasting, { now: Date.parse('2026-11-20T14:35:00Z'), languages: ['en-GB'] });
  expect(words.when).toMatch(/^20 November 2026 at \d\d:32$/);
  expect(words.duration).toBe('3 minutes');
});

it.each([
  [[], 'None recorded.'],
  [[[null, null, null]], 'No data yet.'],
  [[[null, null, 0]], 'None in 1 day with data.'],
  [
    [
      [null, null, 0],
      [null, 0, null],
    ],
    'None in 2 days with data.',
  ],
  [[[0, 0, 0]], 'None in the last 3 days.'],
])('noIncidentsWords names only the days with data: the daily downtimes %j give “%s”', (strips, words) => {
  const domains = strips.map((days) => domain({ uptime: { percent: null, down_minutes: days } }));
  expect(noIncidentsWords({ domains, window_days: 3 })).toBe(words);
});

it.each([
  [null, 'No data'],
  [0, 'No downtime'],
  [12, 'Down for 12 minutes'],
  [1_440, 'Down for 1 day'],
])('the tooltip of a day with %s minutes of downtime is “%s”', (minutes, text) =>
  expect(downtimeText(minutes)).toBe(text),
);

it.each([
  [[0, 0], 'Last 2 days: 0 days with downtime'],
  [[null, 0, 12], 'Last 3 days: 1 day with downtime, 1 day without data'],
])('the label of the day strip %j is “%s”', (days, label) => expect(dayStripLabel(days)).toBe(label));

it("the day strip shows 90 days; days before the plan's window have no data", () => {
  const days = stripDays([null, 0, 12]);
  expect(days).toHaveLength(90);
  expect(days.slice(0, 88)).toEqual(Array.from({ length: 88 }, () => null));
  expect(days.slice(88)).toEqual([0, 12]);
  expect(stripDays(days)).toEqual(days);
});

it.each([
  [100, [0], '100% uptime over 1 day'],
  [100, [null, null, 0, 0], '100% uptime over 2 days'],
  [99.94, [0, 0, 12, 0, 0, 0, 0], '99.9% uptime over 7 days'],
  [100, Array.from({ length: 90 }, () => 0), '100% uptime'],
  [null, [null, null], 'No data yet'],
])('an uptime of %s percent with the daily downtime %j is described as “%s”', (percent, days, words) =>
  expect(uptimeWords({ percent, down_minutes: days })).toBe(words),
);
