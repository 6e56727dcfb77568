import type { Certificate } from './certificate.ts';

/** Reason why a certificate or a path is rejected. Never rename a code: stored verdicts contain it. */
export type PathFailureCode =
  /** Failures of the leaf only. */
  | 'name_mismatch' // no SubjectAltName entry matches the reference (RFC 9525)
  | 'self_signed' // the leaf is signed by its own key and is not an anchor
  /** Failures of any certificate. Anchors may have weak keys and signatures. */
  | 'expired' // now is after notAfter
  | 'not_yet_valid' // now is before notBefore
  | 'malformed' // an extension that decides acceptance cannot be parsed; beyond tls-client, any extension
  | 'weak_key' // rejected by `isWeakKey`
  | 'weak_signature' // MD5, SHA-1 or SHA-224
  | 'unknown_key' // of an algorithm that we do not know
  | 'unknown_signature' // of an algorithm that we cannot verify: we cannot tell whether the issuer made it
  | 'unknown_critical_extension' // RFC 5280 §4.2
  | 'extended_key_usage' // the extended key usage does not allow the requested purpose
  | 'key_usage' // present, but without a usage that TLS needs (leaf, not in profile rfc5280) or keyCertSign (CA)
  | 'profile' // violates the issuing rule named in `rule`; never with profile tls-client
  /** Failures of CA certificates. */
  | 'not_a_ca' // basicConstraints missing or cA false, or an intermediate before version 3 (RFC 5280 §6.1.4 k)
  | 'path_length' // pathLenConstraint exceeded, or the path is longer than allowed
  | 'name_constraints' // a name in a certificate below the CA violates the CA's constraints
  | 'policy' // a required certificate policy is missing (RFC 5280 §6.1.5); reported about the leaf
  /** Failures to find an issuer. */
  | 'bad_signature' // certificates with the issuer's name are given, but none of their keys made the signature
  | 'untrusted_root' // the path ends in a self-signed certificate that is not an anchor
  | 'no_issuer'; // the issuer is not among the given certificates

export interface PathFailure {
  readonly code: PathFailureCode;
  /**
   * Fingerprint of the rejected certificate; for `no_issuer` and `bad_signature`, of the
   * certificate whose issuer is missing.
   */
  readonly fingerprint: string;
  readonly role: CertificateRole;
  /** Id and section of the violated rule if the code is `profile`; otherwise null. */
  readonly rule: string | null;
}

export type CertificateRole = 'leaf' | 'intermediate' | 'anchor';

export function failure(
  code: PathFailureCode,
  certificate: Certificate,
  role: CertificateRole,
  rule: string | null = null,
): PathFailure {
  return { code, fingerprint: certificate.fingerprint, role, rule };
}

/** Failure codes from most to least informative. */
const CODES_BY_RANK: readonly PathFailureCode[] = [
  'expired',
  'not_yet_valid',
  'name_mismatch',
  'self_signed',
  'malformed',
  'bad_signature',
  'weak_signature',
  'weak_key',
  'unknown_signature',
  'unknown_key',
  'not_a_ca',
  'path_length',
  'name_constraints',
  'extended_key_usage',
  'key_usage',
  'unknown_critical_extension',
  'policy',
  'profile',
  'untrusted_root',
  'no_issuer',
];

/**
 * Removes duplicates and sorts the failures, most informative first: leaf before CAs, defects before missing issuers.
 */
export function rankFailures(failures: readonly PathFailure[]): PathFailure[] {
  const distinct = new Map(
    failures.map((one) => [`${one.code} ${one.fingerprint} ${one.rule ?? ''}`, one] as const),
  );
  const rank = (one: PathFailure): number => {
    const isMissingIssuer = one.code === 'no_issuer' || one.code === 'untrusted_root';
    return CODES_BY_RANK.indexOf(one.code) + (one.role === 'leaf' && !isMissingIssuer ? 0 : 100);
  };
  return [...distinct.values()].toSorted((left, right) => rank(left) - rank(right));
}
