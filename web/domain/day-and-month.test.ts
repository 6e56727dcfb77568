import { expect, it } from 'vitest';
import { inPeriod } from './day-and-month.ts';

it.each([
  ['2027-03', 'in March 2027 (UTC)'],
  ['2026-11-22..2026-11-22', 'on 22 Nov (UTC)'],
  ['2026-11-22..2026-12-05', 'on 22 Nov – 5 Dec (UTC)'],
])('the period %s is written “%s”', (period, words) => {
  expect(inPeriod(period)).toBe(words);
});
