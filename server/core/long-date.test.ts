import { expect, it } from 'vitest';
import { longDate, longInstant } from './long-date.ts';

it('longDate and longInstant write the month in words', () => {
  const at = Date.UTC(2026, 10, 23, 23, 41);
  expect(longDate(at, 'UTC')).toBe('23 November 2026');
  expect(longDate(at, 'Europe/Oslo')).toBe('24 November 2026');
  expect(longInstant(at)).toBe('23 November 2026, 23:41 UTC');
});
