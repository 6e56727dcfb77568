import { describe, expect, it } from 'vitest';
import { FREQUENCIES_MINUTES, mayAdd, mayUseFrequency } from './plan.ts';

describe('plans', () => {
  it('Free holds three domains, Premium any number', () => {
    expect([0, 2, 3, 4].map((count) => mayAdd('free', count))).toEqual([true, true, false, false]);
    expect(mayAdd('premium', 100_000)).toBe(true);
  });
  it('Free is checked daily, Premium as often as offered', () => {
    expect(FREQUENCIES_MINUTES.filter((minutes) => mayUseFrequency('free', minutes))).toEqual([1440]);
    expect(FREQUENCIES_MINUTES.filter((minutes) => mayUseFrequency('premium', minutes))).toEqual([
      10, 15, 60, 1440,
    ]);
    expect([0, 1, 30, -10, Number.NaN].some((minutes) => mayUseFrequency('premium', minutes))).toBe(false);
  });
});
