import type { Certificate } from '../certificate.ts';
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
  /** The issuer's own CRL is marked as indirect. Chromium, and OpenSSL by default, do not use it. */
  | 'indirect'
  /** The answer has expired, or is a CRL dated in the future. A final revocation counts nevertheless. */
  | 'stale'
  /** The answer is dated more than a day in the future, which Firefox refuses. */
  | 'not_yet_valid'
  /** The OCSP response is dated up to a day in the future, or was produced when the certificate was not valid. */
  | 'misdated'
  /** The answer is older than clients accept, although it has not expired or has no end. */
  | 'too_old'
  /** The CRL does not say until when it is valid, so it could be a replay of any age. */
  | 'no_next_update'
  /** The OCSP response says both good and unknown, or the complete CRL lists the certificate as removed from it. */
  | 'contradictory'
  /** The OCSP response says good, but is signed with SHA-1, which a public CA may not use any more (BR §7.1.3.2.1). */
  | 'sha1_signature'
  /** The OCSP response says good, but the CA signed the certificate of its responder with SHA-1, which GnuTLS refuses. */
  | 'sha1_responder'
  /** The OCSP responder asks to try again later. Firefox ignores a staple that says so. */
  | 'try_later'
  /** The OCSP responder answered with another error, or does not know the certificate. */
  | 'responder_refused';

/**
 * Maximum age in ms of an OCSP response without nextUpdate: that of Chromium below public roots. Firefox accepts one day, GnuTLS 15 days,
 * OpenSSL any age.
 */
export const MAX_AGE_WITHOUT_NEXT_UPDATE_MS = 7 * DAY_MS;

/**
 * Returns whether an answer of this age (ms) below a public root is older than CAs may let it become (BR §4.9.7), and
 * than Chromium accepts (kMaxRevocationLeafUpdateAge). Below other roots, clients go by nextUpdate alone.
 */
export function isTooOld({ isCertificateAuthority }: Certificate, age: number): boolean {
  return age > (isCertificateAuthority ? 366 : 7) * DAY_MS;
}

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
      /**
       * True if the OCSP response has another single response about the certificate before this one. GnuTLS reads only the
       * first.
       */
      readonly isPreceded?: true;
    }
  | { readonly state: 'none'; readonly why: NoStatusReason };

/** Returns whether a revocation is final. Only a hold can be lifted (RFC 5280 §5.3.1). */
export function isFinal({ reason }: { readonly reason: string | null }): boolean {
  return reason !== 'certificateHold';
}

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
