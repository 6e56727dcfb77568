import type { Certificate } from '../certificate.ts';
import { equalBytes } from '../der/der-values.ts';
import { type CertificateRole, failure, type PathFailure } from '../path-failure.ts';
import { EXTENSION_RULES } from './profile-extension-rules.ts';
import { FIELD_RULES, type ProfileRule } from './profile-field-rules.ts';
import { NAME_RULES } from './profile-name-rules.ts';

/**
 * Set of rules beyond those that TLS clients check. `tls-client`: none. `rfc5280`: requirements of RFC 5280 on CAs.
 * `web-pki`: most of these, and the Baseline Requirements (BR) of the CA/Browser Forum on publicly trusted CAs.
 */
export type Profile = 'tls-client' | 'rfc5280' | 'web-pki';

const RULES: readonly ProfileRule[] = [...FIELD_RULES, ...EXTENSION_RULES, ...NAME_RULES];

/** Returns a `profile` failure for every rule that the certificate breaks in this role. */
export function profileFailures(
  certificate: Certificate,
  role: CertificateRole,
  { profile, purpose }: { readonly profile: Profile; readonly purpose: 'serverAuth' | 'clientAuth' },
): PathFailure[] {
  if (profile === 'tls-client') return [];
  return RULES.filter(
    (rule) =>
      (rule.profile ?? profile) === profile &&
      (rule.roles?.includes(role) ?? true) &&
      rule.broken(certificate, role, purpose),
  ).map((rule) => failure('profile', certificate, role, `${rule.id} (${rule.section})`));
}

/** Returns the `profile` failures that depend on both the certificate and its issuer. */
export function issuanceFailures(
  certificate: Certificate,
  issuer: Certificate,
  role: CertificateRole,
  profile: Profile,
): PathFailure[] {
  if (profile === 'tls-client') return [];
  const failures: PathFailure[] = [];
  const keyIdentifier = certificate.authorityKeyIdentifier?.keyIdentifier ?? null;
  if (
    keyIdentifier !== null &&
    issuer.subjectKeyIdentifier !== null &&
    keyIdentifier !== issuer.subjectKeyIdentifier
  ) {
    failures.push(failure('profile', certificate, role, 'authority-key-identifier-is-the-issuers (4.2.1.2)'));
  }
  if (profile === 'web-pki' && !equalBytes(certificate.issuer.der, issuer.subject.der)) {
    failures.push(
      failure('profile', certificate, role, 'issuer-is-the-issuers-subject-byte-for-byte (BR 7.1.4.1)'),
    );
  }
  return failures;
}
