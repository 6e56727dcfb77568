const FIRST_DELAY_MS = 15_000;
const LONGEST_DELAY_MS = 60 * 60_000;
const GIVE_UP_AFTER_MS = 4 * 86_400_000;

/**
 * When to try a delivery again after its `attempt`-th try (from 1) failed for now: delays double from 15 s up to an hour,
 * each between a half and the whole of that by `jitter` in [0, 1). Null once the four days since the first try
 * are used up.
 */
export function nextAttemptAt(
  attempt: number,
  firstAttemptAt: number,
  now: number,
  jitter: number,
): number | null {
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, attempt - 1));
  const next = Math.floor(now + delay * (0.5 + 0.5 * jitter));
  return next > firstAttemptAt + GIVE_UP_AFTER_MS ? null : next;
}
