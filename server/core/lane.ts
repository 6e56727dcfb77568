/** Due checks wait in lanes, by how many monitors their account has: each claim takes from all of them. */
export const LANES = 7;

/**
 * The lane of a monitor whose account had `before` others when it was added: 0 for the first three, then one more with every
 * power of four. So a lane holds few of any one account but the last, and nobody's first waits behind somebody's thousandth.
 */
export function laneOf(before: number): number {
  return Math.min(LANES - 1, Math.floor(Math.log2(before + 1) / 2));
}

/**
 * How many of the next `limit` claims each lane may have before what it leaves goes to others: half of all for lane 0, a quarter for
 * lane 1 and so on, the last lanes little but never nothing. `taken`: what was claimed before, so that batches of one come to the
 * same shares as large ones.
 */
export function lanePortions(limit: number, taken: number): number[] {
  const portions = Array.from({ length: LANES }, () => 0);
  for (let turn = taken + 1; turn <= taken + limit; turn++) {
    const lane = laneOfTurn(turn);
    portions[lane] = (portions[lane] ?? 0) + 1;
  }
  return portions;
}

/** Every second turn is of lane 0, every fourth of lane 1, and so on. */
function laneOfTurn(turn: number): number {
  let lane = 0;
  while (lane < LANES - 1 && turn % 2 ** (lane + 1) === 0) lane += 1;
  return lane;
}
