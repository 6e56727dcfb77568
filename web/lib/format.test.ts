import { describe, expect, it } from 'vitest';
import { inLocalTime, longDate, longDateTime, relativeTime, utcTitle } from './format.ts';

const now = Date.UTC(2026, 10, 20, 14, 32);
const MINUTE = 60_000;

describe('dates', () => {
  it('are formatted in long form', () => {
    expect(longDate(Date.UTC(2026, 10, 22, 12))).toBe('22 November 2026');
    expect(longDate('2026-11-22T12:00:00Z')).toBe('22 November 2026');
  });

  it('have one form and one time zone, also in texts of the server', () => {
    const [from, to] = [Date.UTC(2026, 10, 22, 12, 5), Date.UTC(2026, 10, 23, 9, 30)];
    expect(inLocalTime('22 November 2026, 12:05 UTC to 23 November 2026, 09:30 UTC')).toBe(
      `${longDateTime(from)} to ${longDateTime(to)}`,
    );
    expect(inLocalTime('CN=shop.example')).toBe('CN=shop.example');
    for (let month = 0; month < 12; month++) {
      const at = Date.UTC(2026, month, 5, 12, 5);
      expect(inLocalTime(`${longDate(at)}, 12:05 UTC`)).toBe(longDateTime(at));
    }
  });

  it.each([
    'CN=1 Nosuchmonth 2026, 10:00 UTC',
    '40 November 2026, 10:00 UTC',
    '1 November 2026, 99:99 UTC',
    '1 November 2026, 24:00 UTC',
    '31 February 2026, 10:00 UTC',
    '4 Mayhem 2026, 10:00 UTC',
    '1 January 0001, 10:00 UTC',
    '122 November 2026, 10:00 UTC',
    'é22 November 2026, 10:00 UTC',
    '22 November 2026, 10:00 UTCs',
  ])('leave “%s” as it is, because a certificate may contain any text', (text) =>
    expect(inLocalTime(text)).toBe(text),
  );

  it('have a tooltip with the time in UTC', () => {
    expect(utcTitle('2026-11-22T14:05:00+02:00')).toBe('22 November 2026 at 12:05 UTC');
  });
});

describe('a relative time', () => {
  it.each([
    [-MINUTE, 'just now'],
    [0, 'just now'],
    [59_000, 'just now'],
    [2 * MINUTE, '2 min ago'],
    [59 * MINUTE, '59 min ago'],
    [60 * MINUTE, '1 hr ago'],
    [1439 * MINUTE, '23 hr ago'],
    [1440 * MINUTE, '19 November 2026'],
  ])('of %d ms is formatted as "%s"', (elapsed, text) => {
    expect(relativeTime(now - elapsed, now)).toBe(text);
  });
});
