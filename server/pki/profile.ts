import type { Certificate } from './certificate.ts';
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
