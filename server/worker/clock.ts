/** Where the time comes from: the machine in production, a hand on the dial in tests. Instants are ms UTC. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
