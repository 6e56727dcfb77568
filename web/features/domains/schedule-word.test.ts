import { expect, it } from 'vitest';
import { DAY_MS } from '../../../contract/constants.ts';
import { scheduleWord } from './schedule-word.ts';

const HOUR_MS = DAY_MS / 24;

it.each([
  ['a fresh one of 160 hours', 160, 159, 'on schedule'],
  ['41 of 160 hours left', 160, 41, 'on schedule'],
  ['40 of 160 hours left', 160, 40, 'renewal overdue'],
  ['just before the end', 160, 0.1, 'renewal overdue'],
  ['expired: the badge says it', 160, 0, null],
  ['just under 30 days', 30 * 24 - 1, 100, 'renewal overdue'],
  ['30 days', 30 * 24, 100, null],
  ['90 days', 90 * 24, 24, null],
])('%s', (_, lifetimeHours, hoursLeft, word) => {
  expect(scheduleWord(-lifetimeHours * HOUR_MS, 0, -hoursLeft * HOUR_MS)).toBe(word);
});
