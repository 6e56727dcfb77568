import type { CanaryResult } from '../probe/index.ts';
import type { Clock } from './clock.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../contract/durations.ts';

/** Far more than a maintained clock is off, and far less than what makes an alert wrong. */
const MAX_OFFSET_MS = HOUR_MS;
const MIN_SOURCES = 2;
const ASK_AGAIN_MS = 5 * MINUTE_MS;
/** Shorter while the clock is wrong, so that its correction is noticed soon. */
const ASK_AGAIN_WRONG_MS = MINUTE_MS;
/**
 * How long a clock found wrong stays wrong while no canary tells the time: in the long run,
 * silence is the worse mistake.
 */
const REMEMBER_MS = DAY_MS;
/** A difference between wall clock and monotonic clock that counts as a jump. */
const JUMP_MS = MINUTE_MS;

export interface ClockGuard {
  /** Records what canaries reported. */
  hear(sightings: readonly CanaryResult[]): void;
  /** Returns whether the last report is too old to rely on, or older than a jump of our clock. */
  isStale(): boolean;
  /** Returns by how much our clock is off, in ms; null if it is right, or if nobody can tell. */
  offBy(): number | null;
}

/**
 * Compares our clock with those of the canaries: it is right within an hour of their median. While too few of them
 * tell the time, a clock found wrong keeps its offset, corrected by how far it was moved since, so that setting it
 * right is noticed without them. A clock found right, or without a report for a day, is believed.
 */
export function createClockGuard(clock: Clock, monotonic: () => number): ClockGuard {
  let lastOffset: { at: number; now: number; offMs: number } | null = null;
  let lastReport: { at: number; now: number } | null = null;

  /** Returns by how much our clock was moved since then, in ms. */
  const movedSince = (then: { at: number; now: number }): number =>
    clock.now() - then.now - (monotonic() - then.at);

  function offBy(): number | null {
    if (lastOffset === null || !isOff(lastOffset.offMs) || monotonic() - lastOffset.at > REMEMBER_MS)
      return null;
    const offMs = lastOffset.offMs + movedSince(lastOffset);
    return isOff(offMs) ? offMs : null;
  }

  return {
    hear(sightings) {
      const ahead = sightings.flatMap(({ aheadMs }) => (aheadMs === null ? [] : [aheadMs]));
      lastReport = { at: monotonic(), now: clock.now() };
      // A single source may be wrong itself: keep the last result.
      if (ahead.length >= MIN_SOURCES) lastOffset = { ...lastReport, offMs: -median(ahead) };
    },
    isStale() {
      if (lastReport === null) return true;
      const passed = monotonic() - lastReport.at;
      return (
        passed >= (offBy() === null ? ASK_AGAIN_MS : ASK_AGAIN_WRONG_MS) ||
        Math.abs(movedSince(lastReport)) > JUMP_MS
      );
    },
    offBy,
  };
}

const isOff = (offMs: number): boolean => Math.abs(offMs) > MAX_OFFSET_MS;

/** Of two middle values, returns the one nearer to zero: one source alone must not make the clock wrong. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = low] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return Math.abs(low) < Math.abs(high) ? low : high;
}
