import type { Certificate } from './certificate.ts';
import { hasUnknownCritical } from './extension-list.ts';
import { EXTENSION, PURPOSE } from './der/object-identifiers.ts';
import { type CertificateRole, failure, type PathFailure } from './path-failure.ts';
import { type Profile, profileFailures } from './profile/profile.ts';
import { isWeakKey, type PublicKey } from './public-key.ts';
import { checkSignature, isWeakSignature, type SignatureCheck } from './signature.ts';
import { LruCache } from './lru-cache.ts';
import type { WorkBudget } from './work-budget.ts';

/* Checks of a single certificate, and of its signature against one issuer. None depends on the rest of the path. */

export type Purpose = 'serverAuth' | 'clientAuth';

export interface CheckContext {
  /** Time of the check, ms UTC. */
  readonly now: number;
  readonly purpose: Purpose;
  readonly profile: Profile;
}

/** Returns `expired` or `not_yet_valid` if the certificate is not valid at `now` (ms UTC), otherwise null. */
export function validityFailure(
  certificate: Certificate,
  now: number,
): Extract<PathFailure['code'], 'expired' | 'not_yet_valid'> | null {
  // notBefore and notAfter are whole seconds and inclusive (RFC 5280 §4.1.2.5), so compare whole seconds.
  const second = Math.floor(now / 1000) * 1000;
  if (second > certificate.notAfter) return 'expired';
  return second < certificate.notBefore ? 'not_yet_valid' : null;
}

/** Returns all failures of the leaf itself, except those of its validity period and its names. */
export function leafFailures(leaf: Certificate, context: CheckContext): PathFailure[] {
  const failures = sharedFailures(leaf, 'leaf', context);
  // TLS 1.3 requires digitalSignature (RFC 8446 §4.4.2.2). In TLS 1.2, RSA key exchange requires keyEncipherment, and
  // static DH requires keyAgreement.
  const usage = leaf.keyUsage;
  const isForTls =
    usage === null ||
    usage.has('digitalSignature') ||
    usage.has('keyEncipherment') ||
    usage.has('keyAgreement');
  if (!isForTls && context.profile !== 'rfc5280') failures.push(failure('key_usage', leaf, 'leaf'));
  return failures;
}

/** Returns all failures of a CA certificate, except those that depend on the certificates below it. */
export function authorityFailures(
  authority: Certificate,
  role: 'intermediate' | 'anchor',
  context: CheckContext,
): PathFailure[] {
  const failures = sharedFailures(authority, role, context);
  const validity = validityFailure(authority, context.now);
  if (validity !== null) failures.push(failure(validity, authority, role));
  // Certificates of versions 1 and 2 have no basicConstraints. An anchor of these versions is trusted
  // as a CA by configuration.
  const isAuthority = authority.isCertificateAuthority || (role === 'anchor' && authority.version < 3);
  if (!isAuthority) failures.push(failure('not_a_ca', authority, role));
  if (authority.keyUsage !== null && !authority.keyUsage.has('keyCertSign')) {
    failures.push(failure('key_usage', authority, role));
  }
  return failures;
}

function sharedFailures(
  certificate: Certificate,
  role: CertificateRole,
  context: CheckContext,
): PathFailure[] {
  const failures: PathFailure[] = [];
  const { purpose, profile } = context;
  if (
    certificate.parseErrors.some(
      ({ extension }) => profile !== 'tls-client' || DECISIVE_EXTENSIONS.has(extension),
    )
  ) {
    failures.push(failure('malformed', certificate, role));
  }
  // Skip anchors: their own signature proves nothing, and whoever configured the anchor accepted its key.
  if (role !== 'anchor') {
    const { algorithm } = certificate.signature;
    const ofKey = keyFailure(certificate.key);
    if (ofKey !== null) failures.push(failure(ofKey, certificate, role));
    if (isWeakSignature(algorithm)) failures.push(failure('weak_signature', certificate, role));
    if (algorithm.scheme === 'unknown') failures.push(failure('unknown_signature', certificate, role));
  }
  if (hasUnknownCritical(certificate.extensions, KNOWN_EXTENSIONS)) {
    failures.push(failure('unknown_critical_extension', certificate, role));
  }
  // The extended key usage of a CA also limits the certificates below it (BR §7.1.2.10.6). RFC 5280 does not say so,
  // but common TLS clients enforce it.
  const purposes = certificate.extendedKeyUsage;
  if (purposes !== null && !purposes.includes(PURPOSE[purpose]) && !purposes.includes(PURPOSE.any)) {
    failures.push(failure('extended_key_usage', certificate, role));
  }
  failures.push(...profileFailures(certificate, role, context));
  return failures;
}

/** Returns the OIDs (dotted decimal) of the unknown critical extensions, for which clients reject the certificate. */
export function unknownCriticalExtensions({ extensions }: Certificate): string[] {
  return [...extensions].flatMap(([extension, { critical }]) =>
    critical && !KNOWN_EXTENSIONS.has(extension) ? [extension] : [],
  );
}

/**
 * Returns whether the certificate has no unknown critical extension and all its decisive extensions could be parsed.
 */
export function hasOnlyKnownCriticalExtensions({ extensions, parseErrors }: Certificate): boolean {
  return (
    !hasUnknownCritical(extensions, KNOWN_EXTENSIONS) &&
    !parseErrors.some(({ extension }) => DECISIVE_EXTENSIONS.has(extension))
  );
}

/**
 * Extensions that decide whether a certificate is accepted. If one of them is malformed, the certificate is rejected.
 */
const DECISIVE_EXTENSIONS = new Set<string>([
  EXTENSION.basicConstraints,
  EXTENSION.keyUsage,
  EXTENSION.extendedKeyUsage,
  EXTENSION.subjectAltName,
  EXTENSION.nameConstraints,
  EXTENSION.certificatePolicies,
  EXTENSION.policyMappings,
  EXTENSION.policyConstraints,
  EXTENSION.inhibitAnyPolicy,
]);

/**
 * Extensions that may be critical: the decisive ones, those that only help to find issuers, and the CRL
 * distribution points.
 */
const KNOWN_EXTENSIONS = new Set<string>([
  ...DECISIVE_EXTENSIONS,
  EXTENSION.subjectKeyIdentifier,
  EXTENSION.authorityKeyIdentifier,
  EXTENSION.crlDistributionPoints,
]);

/** Returns why a key cannot be used to verify signatures; null if it can, as far as we know. */
export function keyFailure(key: PublicKey): 'weak_key' | 'unknown_key' | null {
  if (isWeakKey(key)) return 'weak_key';
  return key.type === 'other' ? 'unknown_key' : null;
}

/**
 * Cache of signature checks. A check costs more than all other checks of a certificate together, its result never
 * changes, and the intermediates of a few dozen CAs sign nearly all certificates.
 */
const signatureCache = new LruCache<string, SignatureCheck>(8_192);

/** Checks whether `issuer`'s key made the signature on `certificate`. Returns `invalid` if `work` is exhausted. */
export function checkIssuer(certificate: Certificate, issuer: Certificate, work: WorkBudget): SignatureCheck {
  if (!work.spendSignature(certificate, issuer)) return 'invalid';
  // The key includes the issuer, because several issuers may have the same name.
  const key = `${certificate.fingerprint} ${issuer.fingerprint}`;
  const cached = signatureCache.get(key);
  if (cached !== null) return cached;
  const { algorithm, signed, octets } = certificate.signature;
  const result = checkSignature(algorithm, signed, octets, issuer.key);
  signatureCache.set(key, result);
  return result;
}

/** Returns whether it is certain that `issuer`'s key made the signature on `certificate`. */
export function isSignedBy(certificate: Certificate, issuer: Certificate, work: WorkBudget): boolean {
  return checkIssuer(certificate, issuer, work) === 'valid';
}
