import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts';
import { durationInTwoUnits, isRenewalOverdue, scheduleOf, scheduleWords, timeLeft } from './schedule.ts';

const now = Date.UTC(2026, 10, 20, 14, 30);
const at = (hours: number) => new Date(now + hours * HOUR_MS).toISOString();

/** Returns a certificate that ends after `left` hours, and whose renewal is overdue from `overdueIn` on. */
function certificate({ left = 100, overdueIn = 50 as number | null, isShortLived = true, trusted = true }) {
  const overdue_at = overdueIn === null ? null : at(overdueIn);
  return { expiry_date: at(left), renewal: { overdue_at, is_short_lived: isShortLived }, trusted };
}

it.each([
  [9 * 366 * DAY_MS, '9 years'],
  [9 * 365.25 * DAY_MS - 31 * DAY_MS, '8 years'],
  [730 * DAY_MS, '2 years'],
  [730 * DAY_MS - 1, '729 days'],
  [58.9 * DAY_MS, '58 days'],
  [48 * HOUR_MS, '2 days'],
  [48 * HOUR_MS - 1, '47 hours'],
  [HOUR_MS, '1 hour'],
  [59 * MINUTE_MS, 'less than an hour'],
])('timeLeft writes %d ms as “%s”', (ms, text) => expect(timeLeft(ms)).toBe(text));

it.each([
  [59_000, 'less than a minute'],
  [MINUTE_MS, '1 minute'],
  [HOUR_MS + 35 * MINUTE_MS, '1 hour 35 minutes'],
  [6 * HOUR_MS, '6 hours'],
  [3 * DAY_MS + 4 * HOUR_MS + MINUTE_MS, '3 days 4 hours'],
  [800 * DAY_MS + 4 * HOUR_MS, '2 years'],
])('%d ms lasted “%s”, in minutes below a day', (ms, text) => expect(durationInTwoUnits(ms)).toBe(text));

describe('the renewal of a short-lived certificate', () => {
  it.each<[string, Parameters<typeof certificate>[0], ReturnType<typeof scheduleOf>, string | null]>([
    [
      'is on schedule until it is overdue, however little time is left',
      { left: 50.5 },
      'on schedule',
      'renews on schedule, due in 2 days',
    ],
    [
      'is counted in hours below two days',
      { overdueIn: 20.5 },
      'on schedule',
      'renews on schedule, due in 20 hours',
    ],
    [
      'is overdue from `overdue_at` on, however much time is left',
      { overdueIn: 0 },
      'overdue',
      'renewal overdue',
    ],
    ['is not mentioned once the certificate has expired', { left: 0, overdueIn: -9 }, null, null],
    ['is not mentioned if another address serves the renewed certificate', { overdueIn: null }, null, null],
    ['is not mentioned if the certificate is not trusted', { trusted: false }, null, null],
    ['is not mentioned if the certificate is valid for 30 days or more', { isShortLived: false }, null, null],
  ])('%s', (_, shape, schedule, words) => {
    expect(scheduleOf(certificate(shape), now)).toBe(schedule);
    expect(scheduleWords(certificate(shape), now)).toBe(words);
  });
});

it('scheduleOf returns null for a certificate that is revoked, or refused on one of its domains', () => {
  for (const refused of [{ state: 'revoked' }, { problem: 'revoked' }, { problem: 'wrong_name' }])
    expect(scheduleOf({ ...certificate({}), ...refused }, now)).toBeNull();
  expect(scheduleOf({ ...certificate({}), state: 'critical', problem: null }, now)).toBe('on schedule');
});

it('isRenewalOverdue is true for a long-lived certificate whose renewal is overdue', () => {
  expect(isRenewalOverdue(certificate({ isShortLived: false, overdueIn: 0 }), now)).toBe(true);
  expect(isRenewalOverdue(certificate({ isShortLived: false, overdueIn: 1 }), now)).toBe(false);
});

it('isRenewalOverdue is false for a revoked certificate', () =>
  expect(isRenewalOverdue({ ...certificate({ overdueIn: 0 }), state: 'revoked' }, now)).toBe(false));
