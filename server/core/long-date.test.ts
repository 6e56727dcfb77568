import { expect, it } from 'vitest';
import { duration, durationInTwoUnits, longDate, longInstant } from './long-date.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

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

it('durationInTwoUnits names the two largest units of a duration', () => {
  expect(durationInTwoUnits(59_000)).toBe('less than a minute');
  expect(durationInTwoUnits(MINUTE_MS)).toBe('1 minute');
  expect(durationInTwoUnits(HOUR_MS + 35 * MINUTE_MS)).toBe('1 hour 35 minutes');
  expect(durationInTwoUnits(6 * HOUR_MS)).toBe('6 hours');
  expect(durationInTwoUnits(3 * DAY_MS + 4 * HOUR_MS + MINUTE_MS)).toBe('3 days 4 hours');
});
