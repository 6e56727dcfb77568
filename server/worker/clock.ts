import type { Logger } from 'pino';

/** Where the time comes from: the machine in production, a hand on the dial in tests. Instants are ms UTC. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The part of the program's log that the loops write to. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
