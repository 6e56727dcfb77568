/** First message of the bench to its client process. */
export interface ClientStart {
  port: number;
  rootPem: string;
  /** Leaf certificates from one issuer that were not judged before, base64 DER, to measure signature checks without a cache. */
  unseen: readonly string[];
  intermediate: string;
  web: WebPorts;
}

/** Ports of a website by what it agrees on by ALPN. */
export type WebPorts = Record<'none' | 'http1' | 'http2', number>;

/** One measured round. Times are client CPU, user plus system, in µs per operation. */
export interface ClientRound {
  checks: number;
  checkMicroseconds: number;
  /** The same with OpenSSL's client, which looks at hosts whose last check was not fine. */
  opensslMicroseconds: number;
  judgeKnownMicroseconds: number;
  judgeUnseenMicroseconds: number;
  /** One check with its HTTP request, by what the website agrees on by ALPN. */
  webMicroseconds: Record<keyof WebPorts, number>;
}

export const HOST = 'bench.test';
export const UNSEEN_PER_ROUND = 150;
