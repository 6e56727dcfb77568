import type { CanarySighting } from '../probe/index.ts';
import type { Clock } from './clock.ts';
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../contract/durations.ts';

/** Far more than any clock that is kept in order is off, and far less than what makes an alert wrong. */
const MOST_MS = HOUR_MS;
const LEAST_VOICES = 2;
const ASK_AGAIN_MS = 5 * MINUTE_MS;
/** A wrong clock is set right at some time: that must not take long to be seen. */
const ASK_AGAIN_WRONG_MS = MINUTE_MS;
/** So long a clock that was found wrong stays so while nobody tells the time: silence is the worse mistake in the end. */
const REMEMBERED_MS = DAY_MS;
/** By which time must have passed by more or less than it did to count as a jump of the clock. */
const JUMP_MS = MINUTE_MS;

export interface ClockGuard {
  /** Takes in what canaries told. */
  hear(sightings: readonly CanarySighting[]): void;
  /** Whether what was heard last is too old to go by, also because our clock has jumped since. */
  isStale(): boolean;
  /** By how much our clock is off, in ms; null where it is right, or where nobody can tell. */
  offBy(): number | null;
}

/**
 * Compares our clock with those of the canaries: right is what lies within an hour of their median. While too few of them tell the
 * time, one that was found wrong counts as wrong by as much as it was then, and by what it was moved since: setting it right is
 * seen without them. One that was found right, or of which nobody tells for a day, is believed.
 */
export function createClockGuard(clock: Clock, monotonic: () => number): ClockGuard {
  let told: { at: number; now: number; offMs: number } | null = null;
  let heard: { at: number; now: number } | null = null;

  /** By how much our clock was moved since then, in ms. */
  const movedSince = (then: { at: number; now: number }): number =>
    clock.now() - then.now - (monotonic() - then.at);

  function offBy(): number | null {
    if (told === null || !isOff(told.offMs) || monotonic() - told.at > REMEMBERED_MS) return null;
    const offMs = told.offMs + movedSince(told);
    return isOff(offMs) ? offMs : null;
  }

  return {
    hear(sightings) {
      const ahead = sightings.flatMap(({ aheadMs }) => (aheadMs === null ? [] : [aheadMs]));
      heard = { at: monotonic(), now: clock.now() };
      // One voice may be wrong itself: what was last known stays.
      if (ahead.length >= LEAST_VOICES) told = { ...heard, offMs: -median(ahead) };
    },
    isStale() {
      if (heard === null) return true;
      const passed = monotonic() - heard.at;
      return (
        passed >= (offBy() === null ? ASK_AGAIN_MS : ASK_AGAIN_WRONG_MS) ||
        Math.abs(movedSince(heard)) > JUMP_MS
      );
    },
    offBy,
  };
}

const isOff = (offMs: number): boolean => Math.abs(offMs) > MOST_MS;

/** Of two in the middle the one nearer to zero: nobody is accused on the word of one. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = low] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return Math.abs(low) < Math.abs(high) ? low : high;
}
