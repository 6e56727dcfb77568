/** What the bench tells its client process, once. */
export interface ClientStart {
  port: number;
  rootPem: string;
  /** Leaves of the same issuer that nobody has seen yet, base64 DER, for the cost of a first sight. */
  unseen: readonly string[];
  intermediate: string;
}

/** One measured round. Times are client CPU, user + system, in µs per piece of work. */
export interface ClientRound {
  checks: number;
  checkMicroseconds: number;
  judgeKnownMicroseconds: number;
  judgeUnseenMicroseconds: number;
}

export const HOST = 'bench.test';
export const UNSEEN_PER_ROUND = 150;
