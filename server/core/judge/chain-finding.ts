import type { Finding } from '../verdict.ts';

/** A finding about a chain before it is known which addresses show it, what helps and how to see it oneself. */
export interface ChainFinding extends Pick<
  Finding,
  'code' | 'severity' | 'message' | 'fingerprint' | 'evidence'
> {
  /** Serving the right chain mends it. */
  mendedByChain?: true;
}
