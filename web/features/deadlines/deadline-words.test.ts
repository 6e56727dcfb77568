import { expect, it } from 'vitest';
import type { DeadlinesWire, DeadlineWire } from '../../../contract/calls/deadline.ts';
import { leadText, ruleChoices } from './deadline-words.ts';

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

it('a rule with several dates is one choice with the certificates of all of them', () => {
  const expiry = { rule: 'root_expires', title: 'Clients refuse certificates whose root has expired' };
  const deadlines = [
    deadline({ ...expiry, date: '2027-01-28', total: 3 }),
    deadline({ date: '2027-03-15', total: 2 }),
    deadline({ ...expiry, date: '2027-05-01', total: 4 }),
    deadline({
      rule: 'lifetime_47',
      date: '2029-03-15',
      total: 9,
      left: 5,
      limit: { days: 47, renewals: 70 },
    }),
  ];
  expect(ruleChoices(deadlines)).toEqual([
    { rule: 'root_expires', label: expiry.title, certificates: 7 },
    { rule: 'server_auth_only', label: `15 March 2027: ${deadline({}).title}`, certificates: 2 },
    { rule: 'lifetime_47', label: `15 March 2029: ${deadline({}).title}`, certificates: 5 },
  ]);
});
