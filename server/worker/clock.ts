import type { Logger } from 'pino';
import type { Monotonic } from '../../contract/durations.ts';

/** The source of time: the machine in production, a settable clock in tests. */
export interface Clock {
  /** Returns the date and time, ms UTC. People and programs may set this clock forwards or back. */
  now(): number;
  monotonic: Monotonic;
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** The part of the logger that the loops use. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
