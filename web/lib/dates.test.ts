import { describe, expect, it } from 'vitest';
import { longDate, relativeTime, utcTitle } from './dates.ts';

const now = Date.UTC(2026, 10, 20, 14, 32);
const MINUTE = 60_000;

describe('dates', () => {
  it('are written in long form', () => {
    expect(longDate(Date.UTC(2026, 10, 22, 12))).toBe('22 November 2026');
    expect(longDate('2026-11-22T12:00:00Z')).toBe('22 November 2026');
  });

  it('have the exact time in UTC beside them', () => {
    expect(utcTitle('2026-11-22T14:05:00+02:00')).toBe('22 November 2026 at 12:05 UTC');
  });
});

describe('the time since', () => {
  it.each([
    [-MINUTE, 'just now'],
    [0, 'just now'],
    [59_000, 'just now'],
    [2 * MINUTE, '2 min ago'],
    [59 * MINUTE, '59 min ago'],
    [60 * MINUTE, '1 hr ago'],
    [1439 * MINUTE, '23 hr ago'],
    [1440 * MINUTE, '19 November 2026'],
  ])('%d ms ago is "%s"', (elapsed, text) => {
    expect(relativeTime(now - elapsed, now)).toBe(text);
  });
});
