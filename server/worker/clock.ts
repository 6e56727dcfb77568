import type { Logger } from 'pino';

/** The source of time: the machine in production, a settable clock in tests. Instants are ms UTC. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The part of the logger that the loops use. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
