import { describe, expect, it } from 'vitest';
import type { SummaryWire } from '../../../contract/domain.ts';
import { exampleDomain } from '../../../tests/kit/pages/example-domain.ts';
import { optionGroups, parseWish } from './palette-options.ts';

const NOW = Date.UTC(2026, 11, 1);

function expiry(notAfter: string, count = 1): SummaryWire['expiries'][number] {
  const name = { hostname: 'pay.fjord.example', display_name: 'pay.fjord.example' };
  return {
    id: '1',
    ...name,
    not_after: notAfter,
    valid_from: null,
    state: 'ok',
    on_schedule: false,
    renewal_due_at: null,
    count,
    certificate_count: 1,
    fingerprint: null,
  };
}

const summary: SummaryWire = {
  total: 9,
  counts: { pending: 0, unread: 0, expired: 1, critical: 2, soon: 0, ok: 5, revoked: 0, paused: 1 },
  on_schedule: { critical: 0, soon: 0 },
  renewal_fails: 0,
  attention: {
    total: 3,
    counts: {
      expired: 1,
      revoked: 0,
      untrusted: 0,
      critical: 2,
      down: 0,
      refused: 0,
      soon: 0,
      unreachable: 0,
      overdue: 0,
      flawed: 0,
    },
    problems: 0,
    first: [],
  },
  tags: [{ tag: 'payments', count: 2 }],
  expiries: [
    expiry('2026-11-30T12:00:00.000Z'),
    expiry('2027-03-01T00:00:00.000Z', 2),
    expiry('2027-03-31T23:59:59.000Z'),
  ],
  problems: [],
};
const active = exampleDomain({ hostname: 'pay.fjord.example' });
const paused = exampleDomain({ hostname: 'old.fjord.example', paused: 'user' });

function labels(text: string, found = [active, paused]) {
  const commands = [{ label: 'Give Feedback', run: () => undefined }];
  return Object.fromEntries(
    optionGroups({ text, found, summary, commands, now: NOW }).map(({ title, options }) => [
      title,
      options.map(({ label }) => label),
    ]),
  );
}

describe('the options of the palette', () => {
  it('are actions, pages, and filters that find at least one domain, if no text is typed', () => {
    expect(labels('', [])).toEqual({
      Actions: [
        'Add Domain',
        'Refresh a domain…',
        'Pause a domain…',
        'Resume a domain…',
        'Export domains',
        'Export certificates',
        'Give Feedback',
      ],
      Pages: [
        'Domains',
        'Certificates',
        'Deadlines',
        'Alerts',
        'Status page',
        'Profile',
        'Channels',
        'Security',
        'Sessions',
        'API tokens',
      ],
      Filters: [
        'Domains that need attention',
        'Expired and expiring certificates',
        'Expired certificates',
        '0–7 days left',
        'Paused domains',
        'More than 14 days left',
      ],
    });
  });

  it('begin with the domains that were found', () => {
    expect(Object.entries(labels('pa'))).toEqual([
      ['Domains', ['pay.fjord.example', 'old.fjord.example']],
      ['Actions', ['Pause a domain…']],
      ['Pages', ['Status page', 'Profile', 'Security']],
      ['Filters', ['Paused domains', 'Tag: payments']],
    ]);
  });

  it.each([
    ['settings', 'Alerts'],
    ['digest', 'Alerts'],
    ['calendar', 'Alerts'],
    ['time zone', 'Profile'],
    ['shortcuts', 'Profile'],
    ['theme', 'Theme: Dark'],
    ['dark', 'Theme: Dark'],
    ['export', 'Export domains'],
    ['csv', 'Export certificates'],
    ['check now', 'Refresh a domain…'],
    ['security', 'Security'],
    ['tokens', 'API tokens'],
    ['channels', 'Channels'],
  ])('include for “%s” the option “%s”', (text, label) => {
    expect(Object.values(labels(text, [])).flat()).toContain(label);
  });

  it('begin with the options whose label matches', () => {
    expect(labels('channels', [])).toEqual({ Pages: ['Channels', 'Alerts'] });
  });

  it('offer a filter for certificates that expire in a month, if the text names the month', () => {
    expect(labels('expiring in march', [])).toEqual({ Filters: ['Expiring in March 2027 (UTC)'] });
    expect(labels('mar', [])).toEqual({ Filters: ['Expiring in March 2027 (UTC)'] });
    expect(labels('expires 2027', [])).toEqual({ Filters: ['Expiring in March 2027 (UTC)'] });
    expect(labels('november', [])).toEqual({});
    const [group] = optionGroups({ text: 'march', found: [], summary, commands: [], now: NOW });
    expect(group?.options).toMatchObject([
      { count: 3, action: { type: 'filter', search: { expires: '2027-03' } } },
    ]);
  });

  it('offer to add a host that is not in the list', () => {
    expect(labels('shop.fjord.example', [])).toEqual({ Actions: ['Add shop.fjord.example'] });
    expect(labels('Pay.fjord.example', [active])).toEqual({ Domains: ['pay.fjord.example'] });
    expect(labels('no such thing', [])).toEqual({});
  });

  it('are active domains after “pause” and “refresh”, and paused domains after “resume”', () => {
    expect(labels('pause fj')).toEqual({ Pause: ['pay.fjord.example'] });
    expect(labels('Resume ')).toEqual({ Resume: ['old.fjord.example'] });
    expect(labels('refresh fj')).toEqual({ Refresh: ['pay.fjord.example'] });
    expect(parseWish('pause  pay ')).toEqual({ verb: 'pause', q: 'pay' });
    expect(parseWish('pause')).toEqual({ verb: 'open', q: 'pause' });
  });
});
