import type { CanaryResult } from '../probe/canary.ts';
import type { Clock } from './clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts';

/**
 * Maximum offset of a clock that counts as right, ms. It is far larger than the offset of a maintained clock, and far smaller
 * than one that makes alerts wrong.
 */
const MAX_OFFSET_MS = HOUR_MS;
const MIN_SOURCES = 2;
const ASK_AGAIN_MS = 5 * MINUTE_MS;
/** Interval while the clock is wrong, ms. It is shorter than `ASK_AGAIN_MS`, so that a corrected clock is noticed soon. */
const ASK_AGAIN_WRONG_MS = MINUTE_MS;
/**
 * Time in ms for which a clock found wrong counts as wrong while fewer than two canaries report the time. Then we trust it again,
 * because sending no alerts for long would be worse.
 */
const REMEMBER_MS = DAY_MS;
/** If wall clock and monotonic clock differ by more than this, the wall clock has jumped. */
const JUMP_MS = MINUTE_MS;

export interface ClockGuard {
  /** Records the reports of canaries. */
  report(reports: readonly CanaryResult[]): void;
  /** Returns whether a new report is needed: there is none, or the last one is too old or from before a jump of our clock. */
  isStale(): boolean;
  /** Returns the offset of our clock in ms, positive if it is ahead; null if the clock is right or the offset is unknown. */
  offBy(): number | null;
}

/**
 * Creates a guard of our clock. The clock is right if it is within an hour of the median of at least two canaries. While fewer
 * report, the guard adds jumps to the last wrong offset, to notice corrections, and trusts the clock again after a day.
 */
export function createClockGuard(clock: Clock): ClockGuard {
  let lastOffset: { at: number; now: number; offMs: number } | null = null;
  let lastReport: { at: number; now: number } | null = null;

  /** Returns by how much our clock has jumped since `then`, in ms. */
  const movedSince = (then: { at: number; now: number }): number =>
    clock.now() - then.now - (clock.monotonic() - then.at);

  function offBy(): number | null {
    if (lastOffset === null || !isOff(lastOffset.offMs) || clock.monotonic() - lastOffset.at > REMEMBER_MS)
      return null;
    const offMs = lastOffset.offMs + movedSince(lastOffset);
    return isOff(offMs) ? offMs : null;
  }

  return {
    report(reports) {
      const ahead = reports.flatMap(({ aheadMs }) => (aheadMs === null ? [] : [aheadMs]));
      lastReport = { at: clock.monotonic(), now: clock.now() };
      // Keep the last result, because a single canary may itself be wrong.
      if (ahead.length >= MIN_SOURCES) lastOffset = { ...lastReport, offMs: -median(ahead) };
    },
    isStale() {
      if (lastReport === null) return true;
      const passed = clock.monotonic() - lastReport.at;
      return (
        passed >= (offBy() === null ? ASK_AGAIN_MS : ASK_AGAIN_WRONG_MS) ||
        Math.abs(movedSince(lastReport)) > JUMP_MS
      );
    },
    offBy,
  };
}

const isOff = (offMs: number): boolean => Math.abs(offMs) > MAX_OFFSET_MS;

/**
 * Returns the median. Of two middle values, returns the one nearer to zero, so that a single canary cannot make our clock count
 * as wrong.
 */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = low] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return Math.abs(low) < Math.abs(high) ? low : high;
}
