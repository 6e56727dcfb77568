/** First message of the bench to its client process. */
export interface ClientStart {
  port: number;
  rootPem: string;
  /** Leaf certificates from one issuer that were not judged before, base64 DER, to measure signature checks without a cache. */
  unseen: readonly string[];
  intermediate: string;
}

/** One measured round. Times are client CPU, user plus system, in µs per operation. */
export interface ClientRound {
  checks: number;
  checkMicroseconds: number;
  judgeKnownMicroseconds: number;
  judgeUnseenMicroseconds: number;
}

export const HOST = 'bench.test';
export const UNSEEN_PER_ROUND = 150;
