import type { Logger } from 'pino';

/** The part of the program's log that the loops write to. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
