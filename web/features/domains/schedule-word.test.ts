import { expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/constants.ts';
import { scheduleLine, scheduleWord } from './schedule-word.ts';

const HOUR_MS = DAY_MS / 24;

it.each([
  ['a fresh one of 160 hours', 160, 159, 'renewal on schedule'],
  ['41 of 160 hours left', 160, 41, 'renewal on schedule'],
  ['40 of 160 hours left', 160, 40, 'renewal overdue'],
  ['just before the end', 160, 0.1, 'renewal overdue'],
  ['expired: the badge says it', 160, 0, null],
  ['just under 30 days', 30 * 24 - 1, 100, 'renewal overdue'],
  ['30 days', 30 * 24, 100, null],
  ['90 days', 90 * 24, 24, null],
])('%s', (_, lifetimeHours, hoursLeft, word) => {
  expect(scheduleWord(-lifetimeHours * HOUR_MS, 0, -hoursLeft * HOUR_MS)).toBe(word);
});

it.each([
  [160, 159, 'Valid for 7 days in all, renewal on schedule'],
  [24, 2, 'Valid for one day in all, renewal overdue'],
  [6, 5, 'Valid for less than a day in all, renewal on schedule'],
  [90 * 24, 24, null],
])('says of %d hours with %d left: %s', (lifetimeHours, hoursLeft, line) => {
  expect(scheduleLine(-lifetimeHours * HOUR_MS, 0, -hoursLeft * HOUR_MS)).toBe(line);
});
