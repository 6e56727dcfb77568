import { describe, expect, it } from 'vitest';
import { nextAttemptAt } from './retry.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('nextAttemptAt', () => {
  it('doubles the wait from 15 seconds up to an hour', () => {
    const waits = [1, 2, 3, 8, 9, 10, 500].map((attempt) => nextAttemptAt(attempt, 0, 0, 1));
    expect(waits).toEqual([15_000, 30_000, 60_000, 32 * MINUTE, 60 * MINUTE, 60 * MINUTE, 60 * MINUTE]);
  });
  it('spreads each wait over its second half', () => {
    expect(nextAttemptAt(1, 0, 1_000, 0)).toBe(8_500);
  });
  it('gives up after four days', () => {
    let [now, attempt] = [0, 1];
    for (;;) {
      const next = nextAttemptAt(attempt++, 0, now, 0.5);
      if (next === null) break;
      expect(next).toBeGreaterThan(now);
      now = next;
    }
    expect(now).toBeGreaterThan(4 * DAY - 60 * MINUTE);
    expect(now).toBeLessThanOrEqual(4 * DAY);
  });
});
