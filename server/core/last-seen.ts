import type { Verdict } from './verdict.ts';

/** A verdict that read no certificate keeps what the one before it knew, so that alerts still go out "as of" then. */
export function carryLastSeen(previous: Verdict | null, current: Verdict): Verdict {
  if (current.lastSeen !== null || previous === null) return current;
  return { ...current, lastSeen: previous.lastSeen };
}
