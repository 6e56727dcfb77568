/** First message of the bench to its client process. */
export interface ClientStart {
  port: number;
  rootPem: string;
  /** Leaf certificates of one issuer in base64 DER. None was judged before, so that signature checks are measured without a cache. */
  unseen: readonly string[];
  intermediate: string;
  web: WebPorts;
}

/** Ports of a website, by the protocol that it chooses by ALPN. */
export type WebPorts = Record<'none' | 'http1' | 'http2', number>;

/** One measured round. Times are client CPU, user plus system, in µs per operation. */
export interface ClientRound {
  checks: number;
  checkMicroseconds: number;
  /** CPU time of a check with OpenSSL's client, which we use for hosts whose last check found a problem. */
  opensslMicroseconds: number;
  judgeKnownMicroseconds: number;
  judgeUnseenMicroseconds: number;
  /** CPU time of a check with its HTTP request, by the protocol that the website chooses by ALPN. */
  webMicroseconds: Record<keyof WebPorts, number>;
}

export const HOST = 'bench.test';
export const UNSEEN_PER_ROUND = 150;
