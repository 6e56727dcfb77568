import type { Certificate } from './certificate.ts';
import { equalBytes } from './der-values.ts';
import type { CertificateRole, PathFailure } from './path-failure.ts';
import { failure } from './path-failure.ts';
import { EXTENSION_RULES } from './profile-extension-rules.ts';
import { FIELD_RULES } from './profile-field-rules.ts';
import { NAME_RULES } from './profile-name-rules.ts';
import type { Profile, ProfileRule } from './profile-rule.ts';

const RULES: readonly ProfileRule[] = [...FIELD_RULES, ...EXTENSION_RULES, ...NAME_RULES];

/** A `profile` failure for every rule that this certificate breaks in this role. */
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

/** `profile` failures of a certificate beside the one that issued it. */
export function issuanceFailures(
  certificate: Certificate,
  issuer: Certificate,
  role: CertificateRole,
  profile: Profile,
): PathFailure[] {
  if (profile === 'tls-client') return [];
  const failures: PathFailure[] = [];
  const named = certificate.authorityKeyIdentifier?.keyIdentifier ?? null;
  if (named !== null && issuer.subjectKeyIdentifier !== null && named !== issuer.subjectKeyIdentifier) {
    failures.push(failure('profile', certificate, role, 'authority-key-identifier-is-the-issuers (4.2.1.2)'));
  }
  if (profile === 'web-pki' && !equalBytes(certificate.issuer.der, issuer.subject.der)) {
    failures.push(
      failure('profile', certificate, role, 'issuer-is-the-issuers-subject-byte-for-byte (BR 7.1.4.1)'),
    );
  }
  return failures;
}
