import { MINUTE_MS } from '../../../contract/durations.ts';

/** Why a CRL or an OCSP response says nothing that counts of a certificate. */
export type RevocationRefusal =
  | 'too_large'
  | 'malformed'
  | 'bad_signature'
  /** Of another issuer, or of a key that may not speak for this one. */
  | 'wrong_issuer'
  /** A delta, another shard, other kinds of certificates or some reasons only, without an entry for this certificate. */
  | 'wrong_scope'
  /** Past its nextUpdate, without one, or from the future, and not a revocation. */
  | 'stale'
  /** The OCSP responder answered with an error, or does not know the certificate. */
  | 'responder_refused';

/** Tolerated clock skew: how far a signer's clock may be ahead of ours, in ms. */
export const CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** What a verified statement says of one certificate. Instants in ms UTC. */
export type RevocationAnswer =
  | {
      readonly state: 'good' | 'revoked';
      /** RFC 5280 §5.3.1, as `keyCompromise`; null where none is given. */
      readonly reason: string | null;
      readonly revokedAt: number | null;
      readonly thisUpdate: number;
      readonly nextUpdate: number | null;
    }
  | { readonly state: 'none'; readonly why: RevocationRefusal };

/** CRLReason of RFC 5280 §5.3.1, by its number. 7 is not used. */
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

/** The name of a CRLReason from the content of its ENUMERATED; null for a number that the standard does not have. */
export function reasonName(content: Uint8Array): string | null {
  return content.length === 1 ? (REASONS.get(content[0] ?? 0xff) ?? null) : null;
}
