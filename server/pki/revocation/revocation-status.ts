import { MINUTE_MS } from '../../../contract/durations.ts';

/** Why a CRL or OCSP response gives no usable status for a certificate. */
export type NoStatusReason =
  | 'too_large'
  | 'malformed'
  | 'bad_signature'
  /** From another issuer, or signed by a key that this issuer did not authorise. */
  | 'wrong_issuer'
  /**
   * Has no entry for this certificate, and does not cover it (delta, other shard, other kind of certificate, some
   * reasons).
   */
  | 'wrong_scope'
  /** Not a revocation, and expired, without an end of validity, or from the future. */
  | 'stale'
  /** The OCSP responder answered with an error, or does not know the certificate. */
  | 'responder_refused';

/** How far a signer's clock may be ahead of ours. */
export const CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** Result of evaluating a CRL or OCSP response for one certificate. Times in ms UTC. */
export type RevocationStatus =
  | {
      readonly state: 'good' | 'revoked';
      /** Name of the reason (RFC 5280 §5.3.1) such as `keyCompromise`; null if none is given. */
      readonly reason: string | null;
      readonly revokedAt: number | null;
      readonly thisUpdate: number;
      readonly nextUpdate: number | null;
    }
  | { readonly state: 'none'; readonly why: NoStatusReason };

/** CRLReason names by number (RFC 5280 §5.3.1). 7 is not used. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [0, 'unspecified'],
  [1, 'keyCompromise'],
  [2, 'cACompromise'],
  [3, 'affiliationChanged'],
  [4, 'superseded'],
  [5, 'cessationOfOperation'],
  [6, 'certificateHold'],
  [8, 'removeFromCRL'],
  [9, 'privilegeWithdrawn'],
  [10, 'aACompromise'],
]);

/** Returns the name of a CRLReason from the content of its ENUMERATED, or null for an undefined number. */
export function reasonName(content: Uint8Array): string | null {
  return content.length === 1 ? (REASONS.get(content[0] ?? 0xff) ?? null) : null;
}
