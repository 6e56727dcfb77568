/**
 * Number of lanes in which due checks wait, by how many monitors their account has. Each claim takes from all lanes.
 */
export const LANES = 7;

/**
 * Returns the lane of a monitor whose account had `before` others when it was added: 0 for the first three, then one
 * more with every power of four. Each lane but the last holds few monitors of any one account, so that nobody's
 * first monitor waits behind somebody's thousandth.
 */
export function laneOf(before: number): number {
  return Math.min(LANES - 1, Math.floor(Math.log2(before + 1) / 2));
}

/**
 * Returns how many of the next `limit` claims each lane gets; what a lane leaves unused goes to others. Lane 0 gets
 * half, lane 1 a quarter and so on; the last lanes get few, but never none. `taken`: number of earlier claims, so
 * that batches of one get the same shares as large ones.
 */
export function lanePortions(limit: number, taken: number): number[] {
  const portions = Array.from({ length: LANES }, () => 0);
  for (let nth = taken + 1; nth <= taken + limit; nth++) {
    const lane = laneOfNth(nth);
    portions[lane] = (portions[lane] ?? 0) + 1;
  }
  return portions;
}

/** Returns the lane of the nth claim: every second one is for lane 0, every fourth for lane 1, and so on. */
function laneOfNth(nth: number): number {
  let lane = 0;
  while (lane < LANES - 1 && nth % 2 ** (lane + 1) === 0) lane += 1;
  return lane;
}
