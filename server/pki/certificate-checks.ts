import type { Certificate } from './certificate.ts';
import { hasUnknownCritical } from './extension-list.ts';
import { EXTENSION, PURPOSE } from './der/object-identifiers.ts';
import { type CertificateRole, failure, type PathFailure } from './path-failure.ts';
import { type Profile, profileFailures } from './profile/profile.ts';
import { isWeakKey } from './public-key.ts';
import { isWeakSignature } from './signature.ts';

/* What one certificate must be by itself, whatever path it is on. */

export type Purpose = 'serverAuth' | 'clientAuth';

export interface CheckContext {
  /** ms UTC. */
  readonly now: number;
  readonly purpose: Purpose;
  readonly profile: Profile;
}

/** `expired`, `not_yet_valid` or null. */
export function validityFailure(
  certificate: Certificate,
  now: number,
): Extract<PathFailure['code'], 'expired' | 'not_yet_valid'> | null {
  // Both ends are valid seconds (RFC 5280 §4.1.2.5), so a fraction of the last one is not past it.
  const second = Math.floor(now / 1000) * 1000;
  if (second > certificate.notAfter) return 'expired';
  return second < certificate.notBefore ? 'not_yet_valid' : null;
}

/** Everything wrong with the leaf itself, except validity and name. */
export function leafFailures(leaf: Certificate, context: CheckContext): PathFailure[] {
  const failures = sharedFailures(leaf, 'leaf', context);
  // RFC 8446 §4.4.2.2 wants digitalSignature; TLS 1.2's RSA and static DH want one of the others.
  const usage = leaf.keyUsage;
  const isForTls =
    usage === null ||
    usage.has('digitalSignature') ||
    usage.has('keyEncipherment') ||
    usage.has('keyAgreement');
  if (!isForTls && context.profile !== 'rfc5280') failures.push(failure('key_usage', leaf, 'leaf'));
  return failures;
}

/** Everything wrong with a certificate in the place of an issuer, except what depends on those below it. */
export function authorityFailures(
  authority: Certificate,
  role: 'intermediate' | 'anchor',
  context: CheckContext,
): PathFailure[] {
  const failures = sharedFailures(authority, role, context);
  const validity = validityFailure(authority, context.now);
  if (validity !== null) failures.push(failure(validity, authority, role));
  // Versions 1 and 2 cannot say whether they are CAs. As an anchor somebody vouches for such a certificate.
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
  if (certificate.parseErrors.some(({ extension }) => profile !== 'tls-client' || DECISIVE.has(extension))) {
    failures.push(failure('malformed', certificate, role));
  }
  // An anchor is trusted as it stands: its own signature says nothing, and its key was accepted with it.
  if (role !== 'anchor') {
    if (isWeakKey(certificate.key)) failures.push(failure('weak_key', certificate, role));
    if (isWeakSignature(certificate.signature.algorithm))
      failures.push(failure('weak_signature', certificate, role));
  }
  if (hasUnknownCritical(certificate.extensions, KNOWN)) {
    failures.push(failure('unknown_critical_extension', certificate, role));
  }
  // In an authority it limits what is below (BR §7.1.2.10.6; every TLS client does so, though RFC 5280 does not say it).
  const purposes = certificate.extendedKeyUsage;
  if (purposes !== null && !purposes.includes(PURPOSE[purpose]) && !purposes.includes(PURPOSE.any)) {
    failures.push(failure('extended_key_usage', certificate, role));
  }
  failures.push(...profileFailures(certificate, role, context));
  return failures;
}

/** Whether nothing is critical in it that is not understood here, and what decides something could be read. */
export function isUnderstood({ extensions, parseErrors }: Certificate): boolean {
  return (
    !hasUnknownCritical(extensions, KNOWN) && !parseErrors.some(({ extension }) => DECISIVE.has(extension))
  );
}

/** Extensions that decide acceptance: unreadable, they cannot be passed over. */
const DECISIVE = new Set<string>([
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
 * Extensions that may be critical: the decisive ones, those that only help to find things, and revocation pointers,
 * which are for whoever checks revocation.
 */
const KNOWN = new Set<string>([
  ...DECISIVE,
  EXTENSION.subjectKeyIdentifier,
  EXTENSION.authorityKeyIdentifier,
  EXTENSION.issuerAltName,
  EXTENSION.crlDistributionPoints,
  EXTENSION.tlsFeature,
  EXTENSION.noRevAvail,
]);
