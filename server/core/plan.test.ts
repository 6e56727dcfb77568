import { describe, expect, it } from 'vitest';
import { CHECK_FREQUENCIES, FREE_DOMAIN_LIMIT } from '../../contract/constants.ts';
import { mayAdd, mayUseFrequency } from './plan.ts';

describe('plans', () => {
  it('Free holds as many domains as the page says, Premium any number', () => {
    expect([0, 2, 3, 4].map((count) => mayAdd('free', count))).toEqual([true, true, false, false]);
    expect(mayAdd('free', FREE_DOMAIN_LIMIT - 1)).toBe(true);
    expect(mayAdd('free', FREE_DOMAIN_LIMIT)).toBe(false);
    expect(mayAdd('premium', 100_000)).toBe(true);
  });

  it('each is checked as often as the page offers it, and at no other interval', () => {
    for (const { minutes, premium } of CHECK_FREQUENCIES) {
      expect(mayUseFrequency('premium', minutes)).toBe(true);
      expect(mayUseFrequency('free', minutes)).toBe(!premium);
    }
    expect([0, 1, 30, -10, Number.NaN].some((minutes) => mayUseFrequency('premium', minutes))).toBe(false);
  });
});
