import { expect, it } from 'vitest';
import { duration, longDate, longInstant } from './long-date.ts';
import { DAY_MS } from '../../contract/durations.ts';

it('longDate and longInstant write the month in words', () => {
  const at = Date.UTC(2026, 10, 23, 23, 41);
  expect(longDate(at, 'UTC')).toBe('23 November 2026');
  expect(longDate(at, 'Europe/Oslo')).toBe('24 November 2026');
  expect(longInstant(at)).toBe('23 November 2026, 23:41 UTC');
});

it('duration counts days up to two years, and full years above', () => {
  expect(duration(30 * DAY_MS)).toBe('30 days');
  expect(duration(729 * DAY_MS)).toBe('729 days');
  expect(duration(730 * DAY_MS)).toBe('2 years');
  expect(duration(3_250 * DAY_MS)).toBe('8 years');
  expect(duration(3_650 * DAY_MS)).toBe('10 years');
});
