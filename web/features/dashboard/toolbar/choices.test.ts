import { describe, expect, it } from 'vitest';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { nextSort, noHitsLine, statusFilters, statusOfKey } from './choices.ts';

const NONE = {
  expired: 0,
  revoked: 0,
  untrusted: 0,
  critical: 0,
  down: 0,
  refused: 0,
  soon: 0,
  unreachable: 0,
  overdue: 0,
  flawed: 0,
};
const summary: SummaryWire = {
  total: 19,
  counts: { pending: 1, unread: 1, expired: 1, critical: 3, soon: 2, ok: 9, revoked: 1, paused: 1 },
  on_schedule: { critical: 1, soon: 1 },
  renewal_fails: 0,
  attention: { total: 7, counts: NONE, problems: 4, first: [] },
  tags: [],
  expiries: [],
  problems: [],
};
const texts = (filters: ReturnType<typeof statusFilters>['main']) =>
  filters.map(({ label, count }) => `${label} ${count ?? '–'}`);

describe('the filters', () => {
  it('show the counts of the summary; “Expiring” leaves out short-lived certificates that renew on schedule', () => {
    expect(texts(statusFilters(summary).main)).toEqual([
      'All 19',
      'Needs attention 7',
      'Expiring 4',
      'Problems 4',
    ]);
  });

  it('include every state under More, the worst first', () => {
    expect(texts(statusFilters(summary).more)).toEqual([
      'Expired 1',
      'Revoked 1',
      '0–7 days left 3',
      '8–14 days left 2',
      'Certificate not read 1',
      'More than 14 days left 9',
      'Checking… 1',
      'Paused 1',
      'Next renewal will fail 0',
    ]);
  });

  it('show no counts while the summary loads', () => {
    expect(texts(statusFilters(undefined).main)[1]).toBe('Needs attention –');
  });

  it('are in the order of the keys 1 to 8', () => {
    const { main, more } = statusFilters(summary);
    const places = Array.from({ length: 8 }, (_, place) => place);
    expect(places.map(statusOfKey)).toEqual([...main, ...more].slice(0, 8).map(({ status }) => status));
  });
});

describe('the line that explains an empty list', () => {
  it('names the search and the filters', () => {
    expect(noHitsLine({ q: 'git' })).toBe('No domain matches “git”.');
    expect(noHitsLine({ tag: 'shop' })).toBe('No domain has the tag “shop”.');
    expect(noHitsLine({ expires: '2027-03' })).toBe('No certificate expires in March 2027 (UTC).');
    expect(noHitsLine({ status: 'expired' })).toBe('No domain matches this filter.');
    expect(noHitsLine({ q: 'git', tag: 'shop' })).toBe('No domain matches “git” with these filters.');
  });
});

it('the sort key cycles through all sort orders', () => {
  expect(nextSort('newest')).toBe('soonest');
  expect(nextSort('soonest')).toBe('worst');
  expect(nextSort('worst')).toBe('name');
  expect(nextSort('name')).toBe('newest');
});
