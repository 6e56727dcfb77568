import { describe, expect, it } from 'vitest';
import type { CanaryResult } from '../probe/canary.ts';
import { createClockGuard } from './clock-guard.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

const reports = (...ahead: (number | null)[]): CanaryResult[] =>
  ahead.map((aheadMs, index) => ({ host: `canary-${index}`, isHealthy: true, aheadMs }));

/** Creates a guard whose clocks the test moves. */
function guarded() {
  const time = { now: Date.UTC(2027, 2, 1), monotonic: 0 };
  const guard = createClockGuard({ now: () => time.now, monotonic: () => time.monotonic });
  const pass = (ms: number) => {
    time.now += ms;
    time.monotonic += ms;
  };
  return { time, guard, pass };
}

describe('the clock guard', () => {
  it.each([
    [[0, 0, 0], null],
    [[HOUR_MS, HOUR_MS, -HOUR_MS], null],
    [[HOUR_MS + 1, HOUR_MS + 1, 0], -(HOUR_MS + 1)],
    [[-2 * HOUR_MS, -2 * HOUR_MS, 400 * HOUR_MS], 2 * HOUR_MS],
    // If two canaries disagree, the one nearer to our clock decides.
    [[0, 400 * HOUR_MS], null],
    [[400 * HOUR_MS, null, null], null],
    [[null, null, null], null],
  ])('the clock guard with canaries ahead by %j reports an offset of %j', (ahead, off) => {
    const { guard } = guarded();
    guard.report(reports(...ahead));
    expect(guard.offBy()).toBe(off);
  });

  describe('after the canaries stop answering, the clock guard', () => {
    function wrongBy(offMs: number) {
      const made = guarded();
      made.guard.report(reports(-offMs, -offMs));
      return made;
    }

    it('keeps the offset for a day and then trusts the clock', () => {
      const { guard, pass } = wrongBy(400 * DAY_MS);
      guard.report(reports(null, null, null));
      pass(DAY_MS);
      guard.report(reports(400 * DAY_MS, null, null));
      expect(guard.offBy()).toBe(400 * DAY_MS);
      pass(1);
      expect(guard.offBy()).toBeNull();
    });

    it('adjusts the known offset when somebody sets the clock', () => {
      const { time, guard, pass } = wrongBy(400 * DAY_MS);
      pass(HOUR_MS);
      time.now -= 10 * DAY_MS;
      expect(guard.isStale()).toBe(true);
      guard.report(reports(null, null, null));
      expect(guard.offBy()).toBe(390 * DAY_MS);
      time.now -= 390 * DAY_MS;
      expect(guard.isStale()).toBe(true);
      guard.report(reports(null, null, null));
      expect(guard.offBy()).toBeNull();
      // The clock is set wrong again.
      time.now += 5 * HOUR_MS;
      expect(guard.offBy()).toBe(5 * HOUR_MS);
    });
  });

  it('trusts a clock that was right before, even if the clock jumps while no canary answers', () => {
    const { time, guard } = guarded();
    guard.report(reports(0, 0, 0));
    // The clock jumps, as after a sleep of the machine.
    time.now += 3 * DAY_MS;
    guard.report(reports(null, null, null));
    expect(guard.offBy()).toBeNull();
  });

  it('asks the canaries at the start, after five minutes, and at once when the clock jumps', () => {
    const { time, guard, pass } = guarded();
    expect(guard.isStale()).toBe(true);
    guard.report(reports(0, 0, 0));
    expect(guard.isStale()).toBe(false);
    pass(5 * MINUTE_MS);
    expect(guard.isStale()).toBe(true);
    guard.report(reports(0, 0, 0));
    for (const jump of [2 * MINUTE_MS, -2 * MINUTE_MS]) {
      time.now += jump;
      expect(guard.isStale()).toBe(true);
      guard.report(reports(0, 0, 0));
    }
    expect(guard.isStale()).toBe(false);
  });

  it('asks the canaries every minute while the clock is wrong', () => {
    const { guard, pass } = guarded();
    guard.report(reports(-5 * HOUR_MS, -5 * HOUR_MS));
    pass(MINUTE_MS);
    expect(guard.isStale()).toBe(true);
  });
});
