import { expect, it } from 'vitest';
import type { DeadlinesWire, DeadlineWire } from '../../../contract/calls/deadline.ts';
import { leadText } from './deadline-words.ts';

const deadline = (change: Partial<DeadlineWire>): DeadlineWire => ({
  rule: 'server_auth_only',
  date: '2027-03-15',
  effect: 'renewal',
  title: 'New public certificates no longer allow client authentication',
  advice: 'Get another certificate.',
  clients: ['Chrome'],
  total: 1,
  done: 0,
  left: 1,
  changed_at: null,
  source: null,
  reviewed_on: null,
  limit: null,
  ...change,
});
const lead = (...deadlines: DeadlineWire[]) => {
  const others: Omit<DeadlinesWire, 'deadlines'> = {
    replacements: { total: 0, done: 0 },
    renewals: { certificates: 1, now: 3 },
  };
  return leadText({ deadlines, ...others });
};

it('the lead counts dates, because two dates may concern the same certificate', () => {
  const roots = deadline({ rule: 'chrome_roots_2027_01_15', date: '2027-01-15' });
  expect(lead(roots, deadline({}))).toBe(
    '2 dates concern certificates that are not renewed yet, the first is 15 January 2027.',
  );
  expect(lead(deadline({ total: 14, done: 12, left: 2 }))).toBe(
    '1 date concerns certificates that are not renewed yet: 15 March 2027.',
  );
});

it('the lead of limits on lifetimes and of renewed certificates says that nothing will break', () => {
  const limit = { days: 47, renewals: 12 };
  expect(lead(deadline({ effect: 'lifetime', limit }), deadline({ done: 1, left: 0 }))).toBe(
    'Nothing will break on a known date.',
  );
});
