import { describe, expect, it } from 'vitest';
import type { PublicStatus, ShownDomain } from '../../../../contract/status-page.ts';
import { certificateWords, headline, incidentWords } from './status-words.ts';

const domain = (change: Partial<ShownDomain> = {}): ShownDomain => ({
  name: 'Shop',
  state: 'up',
  down_since: null,
  certificate: null,
  uptime: null,
  ...change,
});
const certificate = (state: 'ok' | 'soon' | 'critical' | 'expired' | 'revoked' | 'untrusted', days = 5) => ({
  state,
  days_left: days,
  expiry_date: '2026-12-01T00:00:00Z',
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
    [
      page('down', domain({ state: 'down' }), domain({ state: 'down' }), domain()),
      'Two of 3 domains are down',
    ],
    [
      { ...page('down', domain({ state: 'down' }), domain({ state: 'down' })), more: 1_998 },
      'Two of 2,000 domains are down',
    ],
    [
      page('trouble', domain({ certificate: certificate('expired', -2) })),
      'The certificate of Shop has expired',
    ],
    [
      page(
        'trouble',
        domain({ certificate: certificate('revoked') }),
        domain({ certificate: certificate('untrusted') }),
      ),
      'Two certificates have problems',
    ],
  ])('%#: %j', (shown, sentence) => expect(headline(shown)).toBe(sentence));
});

it.each([
  [certificate('ok', 32), '32 days left'],
  [certificate('soon', 11), 'Expires in 11 days'],
  [certificate('critical', 1), 'Expires in 1 day'],
  [certificate('critical', 0), 'Expires today'],
  [certificate('expired', -1), 'Expired'],
  [certificate('revoked'), 'Revoked'],
  [certificate('untrusted'), 'Not trusted'],
])('describes the certificate %j', (shown, words) => expect(certificateWords(shown)).toBe(words));

it('describes when and how long a domain was down', () => {
  const started_at = '2026-11-20T14:32:00Z';
  const words = incidentWords({ started_at, ended_at: '2026-11-20T14:40:00Z' }, 0);
  expect(words.start).toMatch(/^20 November 2026 at \d\d:32$/);
  expect(words.end).toMatch(/^\d\d:40$/);
  expect(words.duration).toBe('8 min');
  const lasting = incidentWords({ started_at, ended_at: null }, Date.parse('2026-11-20T14:35:00Z'));
  expect(lasting).toEqual({ start: words.start, end: null, duration: '3 min' });
});
