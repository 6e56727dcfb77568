import { describe, expect, it } from 'vitest';
import { expiryBadge } from './badge.ts';
import { DAY_MS } from '../durations.ts';
import { spec } from '../../tests/spec/spec.ts';

const now = Date.UTC(2026, 10, 20);

describe('expiryBadge', () => {
  it.each([
    [-1, 'Expired', 'expired'],
    [0, 'Expiring in 0 days', 'critical'],
    [DAY_MS, 'Expiring in 1 day', 'critical'],
    [2 * DAY_MS, 'Expiring in 2 days', 'critical'],
    [8 * DAY_MS - 1, 'Expiring in 7 days', 'critical'],
    [8 * DAY_MS, 'Expires in 8 days', 'soon'],
    [15 * DAY_MS - 1, 'Expires in 14 days', 'soon'],
  ])('with %d ms left until expiry returns the text "%s"', (left, text, status) => {
    expect(expiryBadge(now + left, now)).toMatchObject({ text, status });
    spec('4B.02', '0 to 7 days: “Expiring in N days”, red, singular at 1');
  });

  it('returns null if 15 or more days are left', () => {
    expect(expiryBadge(now + 15 * DAY_MS, now)).toBeNull();
    spec('4B.06', 'More than 14 days: no badge');
  });
});
