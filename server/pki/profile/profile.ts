import type { Certificate } from '../certificate.ts';
import { equalBytes } from '../der/der-values.ts';
import { type CertificateRole, failure, type PathFailure } from '../path-failure.ts';
import { EXTENSION_RULES } from './profile-extension-rules.ts';
import { FIELD_RULES } from './profile-field-rules.ts';
import { NAME_RULES } from './profile-name-rules.ts';

/**
 * How much is asked of a certificate beyond what decides whether TLS clients accept it:
 * `tls-client` nothing more; `rfc5280` what RFC 5280 §4 obliges issuing CAs to; `web-pki` what the CA/Browser Forum's
 * Baseline Requirements oblige publicly trusted CAs to, which is mostly the same and more.
 */
export type Profile = 'tls-client' | 'rfc5280' | 'web-pki';

/** One obligation of whoever issues. */
export interface ProfileRule {
  /** Stable name, kebab-case. */
  readonly id: string;
  /** Where it is written: a section of RFC 5280, or of the Baseline Requirements with `BR`. */
  readonly section: string;
  /** Absent: both. */
  readonly profile?: 'rfc5280' | 'web-pki';
  /** Absent: every role. */
  readonly roles?: readonly CertificateRole[];
  broken(certificate: Certificate, role: CertificateRole, purpose: 'serverAuth' | 'clientAuth'): boolean;
}

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
