import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts';

/** Reason why a CRL or OCSP response gives no usable status for a certificate. */
export type NoStatusReason =
  | 'too_large'
  | 'malformed'
  | 'bad_signature'
  /** The answer is signed with an algorithm that proves nothing, such as MD5. */
  | 'weak_signature'
  /** The answer is signed with an algorithm or a key that we cannot verify, so we cannot tell whether it is genuine. */
  | 'unknown_signature'
  /** The answer is from another issuer, or signed by a key that this issuer did not authorise. */
  | 'wrong_issuer'
  /**
   * The answer does not cover this certificate: OCSP response about others, delta CRL, other shard, other
   * kind of certificate, or only some reasons.
   */
  | 'wrong_scope'
  /** The answer is not a revocation, and it is expired, dated in the future, or old and without nextUpdate. */
  | 'stale'
  /** The OCSP responder answered with an error, or does not know the certificate. */
  | 'responder_refused';

/** Maximum age in ms of an answer without nextUpdate, as in Chromium. */
export const MAX_AGE_WITHOUT_NEXT_UPDATE_MS = 7 * DAY_MS;

/** Maximum time in ms by which a signer's clock may be ahead of ours. */
export const CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** Result of evaluating a CRL or OCSP response for one certificate. Times in ms UTC. */
export type RevocationStatus =
  | {
      readonly state: 'good' | 'revoked';
      /** Name of the reason (RFC 5280 §5.3.1) such as `keyCompromise`; null if the answer gives none. */
      readonly reason: string | null;
      readonly revokedAt: number | null;
      readonly thisUpdate: number;
      readonly nextUpdate: number | null;
    }
  | { readonly state: 'none'; readonly why: NoStatusReason };

/** Names of CRLReason by number (RFC 5280 §5.3.1). The number 7 is not used. */
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
