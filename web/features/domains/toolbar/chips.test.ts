import { describe, expect, it } from 'vitest';
import type { SummaryWire } from '../../../../contract/domain.ts';
import { noHitsLine } from '../list/no-hits-line.ts';
import { chipsOf } from './chips.ts';
import { nextSort } from './sorts.ts';

const NONE = { pending: 0, unread: 0, expired: 0, critical: 0, soon: 0, ok: 0, revoked: 0, paused: 0 };
const summaryOf = (counts: Partial<SummaryWire['counts']>): SummaryWire => ({
  total: Object.values(counts).reduce((sum, count) => sum + count, 0),
  counts: { ...NONE, ...counts },
  on_schedule: { critical: 0, soon: 0 },
  tags: [],
  expiries: [],
  problems: [],
});
const told = (...args: Parameters<typeof chipsOf>) =>
  chipsOf(...args).map(({ label, count }) => `${label} ${count ?? '–'}`);

describe('the chips', () => {
  it('are five, counted', () => {
    expect(told(summaryOf({ ok: 8, critical: 2, soon: 1, expired: 1 }), undefined)).toEqual([
      'All 12',
      'Expired 1',
      '0–7 days 2',
      '8–14 days 1',
      'Revoked 0',
    ]);
  });

  it('have no counts before these are known', () => {
    expect(told(undefined, undefined)).toEqual([
      'All –',
      'Expired –',
      '0–7 days –',
      '8–14 days –',
      'Revoked –',
    ]);
  });

  it('count what has a problem once, whatever the problem', () => {
    const problem = { hostname: 'a', display_name: 'a', state: 'ok' as const, message: '' };
    const problems: SummaryWire['problems'] = [
      { ...problem, id: 'a', kind: 'untrusted' },
      { ...problem, id: 'a', kind: 'down' },
      { ...problem, id: 'b', kind: 'unreachable' },
    ];
    expect(told({ ...summaryOf({ ok: 4 }), problems }, undefined).slice(5)).toEqual(['Problems 2']);
  });

  it('are more where there is more', () => {
    expect(told(summaryOf({ unread: 1, pending: 2, paused: 3 }), undefined).slice(5)).toEqual([
      'Not read 1',
      'Checking… 2',
      'Paused 3',
    ]);
  });

  it('keep the chosen one', () => {
    expect(told(summaryOf({ ok: 3 }), 'paused').slice(5)).toEqual(['Paused 0']);
    expect(told(summaryOf({ ok: 3 }), 'ok').slice(5)).toEqual(['More than 14 days 3']);
  });
});

describe('without hits', () => {
  it('it is said what was looked for', () => {
    expect(noHitsLine({ q: 'git' })).toBe('No domain matches “git”.');
    expect(noHitsLine({ tag: 'shop' })).toBe('No domain has the tag “shop”.');
    expect(noHitsLine({ status: 'expired' })).toBe('No domain matches this filter.');
    expect(noHitsLine({ q: 'git', tag: 'shop' })).toBe('No domain matches “git” with these filters.');
  });
});

it('the key for the order goes through all of them', () => {
  expect(nextSort('newest')).toBe('soonest');
  expect(nextSort('soonest')).toBe('name');
  expect(nextSort('name')).toBe('newest');
});
