import { describe, expect, it } from 'vitest';
import { channelLoss, type FailedAttempt, nextAttemptAt, type RetrySchedule } from './retry.ts';
import { DAY_MS } from '../../contract/durations.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const next = (schedule: RetrySchedule, failed: Partial<FailedAttempt>) =>
  nextAttemptAt(schedule, { attempt: 1, firstAttemptAt: 0, now: 0, jitter: 0.5, ...failed });

/** Returns the times of all attempts if none succeeds, in ms. Each attempt lasts `lastsMs`. */
function attemptTimes(
  schedule: RetrySchedule,
  jitter: number,
  { lastsMs = 0, ...failed }: Partial<FailedAttempt> & { lastsMs?: number } = {},
): number[] {
  const at = [0];
  for (;;) {
    const now = (at.at(-1) ?? 0) + lastsMs;
    const then = next(schedule, { ...failed, attempt: at.length, now, jitter });
    if (then === null) return at;
    at.push(then);
  }
}

describe('nextAttemptAt of mail', () => {
  it('doubles the wait from 15 seconds up to an hour', () => {
    const waits = [1, 2, 3, 8, 9, 10, 500].map((attempt) => next('mail', { attempt, jitter: 1 }));
    expect(waits).toEqual([15_000, 30_000, 60_000, 32 * MINUTE, 60 * MINUTE, 60 * MINUTE, 60 * MINUTE]);
  });
  it('shortens each wait randomly by up to half', () => {
    expect(next('mail', { now: 1_000, jitter: 0 })).toBe(8_500);
  });
  it('gives up after four days', () => {
    const at = attemptTimes('mail', 0.5);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at.at(-1)).toBeGreaterThan(4 * DAY - HOUR);
    expect(at.at(-1)).toBeLessThanOrEqual(4 * DAY);
  });
  it.each([
    ['breaks the connection at once', 0],
    ['stays silent for ten minutes', 10 * MINUTE],
  ])(
    'waits 10 minutes to 6 hours, 22 attempts in all, if the server receives each mail and %s',
    (_, lastsMs) => {
      const at = attemptTimes('mail', 0.5, { mayHaveArrived: true, lastsMs });
      expect(at.length).toBeLessThanOrEqual(22);
      const pauses = at.slice(1).map((then, index) => then - (at[index] ?? 0) - lastsMs);
      expect(pauses[0]).toBe(10 * MINUTE);
      expect(Math.max(...pauses)).toBe(6 * HOUR);
    },
  );
});

describe('nextAttemptAt of webhooks', () => {
  it('follows the schedule of Standard Webhooks, over about 75 hours', () => {
    for (const jitter of [0, 0.999]) expect(attemptTimes('http', jitter)).toHaveLength(10);
    const [first, second, third, ...later] = attemptTimes('http', 0.5);
    expect([first, second, third]).toEqual([0, 5 * SECOND, 5 * MINUTE + 5 * SECOND]);
    expect(later.map((at) => Math.round(at / HOUR))).toEqual([1, 3, 8, 18, 32, 52, 76]);
  });
  it('varies each wait by up to a tenth', () => {
    const fourth = { attempt: 4, firstAttemptAt: -HOUR };
    expect(next('http', { ...fourth, jitter: 0 })).toBe(108 * MINUTE);
    expect(next('http', { ...fourth, jitter: 1 })).toBe(132 * MINUTE);
  });
  it('waits as long as the receiver asks, up to an hour', () => {
    expect(next('http', { afterMs: 90 * SECOND })).toBe(90 * SECOND);
    expect(next('http', { afterMs: 7 * DAY })).toBe(HOUR);
    expect(next('http', { attempt: 2, firstAttemptAt: -5 * SECOND, afterMs: SECOND })).toBe(5 * MINUTE);
    expect(next('http', { attempt: 10, firstAttemptAt: -4 * DAY, afterMs: SECOND })).toBeNull();
  });
  it('chooses the wait by the retries due since the first attempt, so attempts cut off by a crash do not count', () => {
    expect(next('http', { attempt: 30, firstAttemptAt: -MINUTE })).toBe(5 * MINUTE);
  });
  it('starts with a short wait after the first attempt, even if that attempt was long ago', () => {
    expect(next('http', { attempt: 1, firstAttemptAt: -2 * DAY })).toBe(5 * SECOND);
  });
});

describe('channelLoss', () => {
  const since = Date.UTC(2026, 0, 1);
  const failed = { ended: null, isFinal: true, failingSince: since };

  it('switches a channel off when a delivery fails for good after five days without a success', () => {
    expect(channelLoss(failed, since + 5 * DAY_MS - 1)).toBeNull();
    expect(channelLoss(failed, since + 5 * DAY_MS)).toEqual({ reason: 'failing', disabledBy: 'failing' });
    expect(channelLoss({ ...failed, isFinal: false }, since + 5 * DAY_MS)).toBeNull();
  });

  it('switches a channel off at once if its receiver is gone, but not if its address refused mail', () => {
    expect(channelLoss({ ...failed, ended: 'gone' }, since)).toEqual({ reason: 'gone', disabledBy: 'gone' });
    expect(channelLoss({ ...failed, ended: 'refused' }, since)).toEqual({
      reason: 'refused',
      disabledBy: null,
    });
  });
});
