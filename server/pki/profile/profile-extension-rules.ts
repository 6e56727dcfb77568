import type { Certificate } from '../certificate.ts';
import type { KeyUsage } from '../extensions.ts';
import { EXTENSION, PURPOSE } from '../der/object-identifiers.ts';
import { KEY_ALGORITHMS } from '../public-key.ts';
import type { ProfileRule } from './profile-field-rules.ts';

const AUTHORITIES = ['intermediate', 'anchor'] as const;
const BELOW_THE_ANCHOR = ['leaf', 'intermediate'] as const;

function isCritical(certificate: Certificate, extension: string): boolean {
  return certificate.extensions.get(extension)?.critical === true;
}

function isPresentAndNotCritical(certificate: Certificate, extension: string): boolean {
  return certificate.extensions.get(extension)?.critical === false;
}

function neverCritical(id: string, section: string, extension: string, profile?: 'web-pki'): ProfileRule {
  return {
    id,
    section,
    ...(profile && { profile }),
    broken: (certificate) => isCritical(certificate, extension),
  };
}

function alwaysCritical(id: string, section: string, extension: string, profile?: 'rfc5280'): ProfileRule {
  const broken = (certificate: Certificate): boolean => isPresentAndNotCritical(certificate, extension);
  return { id, section, ...(profile && { profile }), broken };
}

const SUBSCRIBER_USAGES: Record<'rsa' | 'ec', readonly KeyUsage[]> = {
  rsa: ['digitalSignature', 'keyEncipherment', 'dataEncipherment'],
  ec: ['digitalSignature', 'keyAgreement'],
};

const SIGNING_USAGES: ReadonlySet<KeyUsage> = new Set<KeyUsage>([
  'digitalSignature',
  'contentCommitment',
  'keyCertSign',
  'cRLSign',
]);

/** Returns whether there are usages, and all of them are usages of signature keys. */
function isForSignatures(usages: ReadonlySet<KeyUsage>): boolean {
  return usages.size > 0 && usages.isSubsetOf(SIGNING_USAGES);
}

/** Rules on extensions, in the order of RFC 5280 §4.2. For rules on names see profile-name-rules.ts. */
export const EXTENSION_RULES: readonly ProfileRule[] = [
  {
    id: 'authority-key-identifier-present',
    section: '4.2.1.1',
    profile: 'rfc5280',
    // Only a self-issued anchor may omit the key identifier of its issuer.
    broken: ({ authorityKeyIdentifier, selfIssued }, role) =>
      typeof authorityKeyIdentifier?.keyIdentifier !== 'string' && !(selfIssued && role === 'anchor'),
  },
  {
    id: 'authority-key-identifier-issuer-with-serial',
    section: '4.2.1.1',
    profile: 'rfc5280',
    broken: ({ authorityKeyIdentifier: aki }) =>
      aki !== null && (aki.issuerKeys !== null) !== (aki.serialNumber !== null),
  },
  {
    id: 'authority-key-identifier-present',
    section: 'BR 7.1.2.7.6, 7.1.2.10.3',
    profile: 'web-pki',
    roles: BELOW_THE_ANCHOR,
    broken: ({ authorityKeyIdentifier }) => authorityKeyIdentifier === null,
  },
  {
    id: 'authority-key-identifier-is-key-identifier-only',
    section: 'BR 7.1.2.1.3, 7.1.2.11.1',
    profile: 'web-pki',
    broken: ({ authorityKeyIdentifier: aki }) =>
      aki !== null && (aki.keyIdentifier === null || aki.issuerKeys !== null || aki.serialNumber !== null),
  },
  {
    id: 'root-authority-key-identifier-is-its-own',
    section: 'BR 7.1.2.1.3',
    profile: 'web-pki',
    roles: ['anchor'],
    broken: ({ authorityKeyIdentifier: aki, subjectKeyIdentifier, selfIssued }) =>
      selfIssued && aki !== null && aki.keyIdentifier !== subjectKeyIdentifier,
  },
  neverCritical('authority-key-identifier-not-critical', '4.2.1.1', EXTENSION.authorityKeyIdentifier),
  {
    id: 'subject-key-identifier-present',
    section: '4.2.1.2',
    roles: AUTHORITIES,
    broken: ({ extensions }) => !extensions.has(EXTENSION.subjectKeyIdentifier),
  },
  neverCritical('subject-key-identifier-not-critical', '4.2.1.2', EXTENSION.subjectKeyIdentifier),
  {
    id: 'authority-key-usage-present',
    section: '4.2.1.3',
    roles: AUTHORITIES,
    broken: ({ keyUsage }) => keyUsage === null,
  },
  {
    id: 'key-usage-not-empty',
    section: '4.2.1.3',
    broken: ({ keyUsage }) => keyUsage?.size === 0,
  },
  {
    id: 'key-cert-sign-only-in-authorities',
    section: '4.2.1.3',
    broken: ({ keyUsage, isCertificateAuthority }) =>
      keyUsage?.has('keyCertSign') === true && !isCertificateAuthority,
  },
  {
    id: 'subscriber-key-usage',
    section: 'BR 7.1.2.7.11',
    profile: 'web-pki',
    roles: ['leaf'],
    broken: ({ keyUsage, key }) =>
      keyUsage !== null &&
      ([...keyUsage].some((usage) => !SUBSCRIBER_USAGES[key.type === 'rsa' ? 'rsa' : 'ec'].includes(usage)) ||
        (key.type === 'ec' && !keyUsage.has('digitalSignature'))),
  },
  {
    id: 'signature-key-usage',
    section: 'RFC 8410 5, RFC 9881 5, RFC 9909 5',
    broken: ({ keyUsage, key }) =>
      keyUsage !== null && KEY_ALGORITHMS.has(key.algorithm) && !isForSignatures(keyUsage),
  },
  neverCritical('subject-directory-attributes-not-critical', '4.2.1.8', EXTENSION.subjectDirectoryAttributes),
  {
    id: 'authority-basic-constraints-critical',
    section: '4.2.1.9',
    roles: AUTHORITIES,
    broken: (certificate) => isPresentAndNotCritical(certificate, EXTENSION.basicConstraints),
  },
  {
    id: 'path-length-only-where-certificates-are-signed',
    section: '4.2.1.9',
    broken: ({ basicConstraints, keyUsage }) =>
      typeof basicConstraints?.pathLength === 'number' &&
      (!basicConstraints.isCertificateAuthority || keyUsage?.has('keyCertSign') === false),
  },
  {
    id: 'subscriber-is-no-authority',
    section: 'BR 7.1.2.7.8',
    profile: 'web-pki',
    roles: ['leaf'],
    broken: ({ isCertificateAuthority }) => isCertificateAuthority,
  },
  {
    id: 'name-constraints-only-in-authorities',
    section: '4.2.1.10',
    broken: ({ extensions, isCertificateAuthority }) =>
      extensions.has(EXTENSION.nameConstraints) && !isCertificateAuthority,
  },
  // Only for rfc5280: BR §7.1.2.5.2 allows non-critical name constraints, for clients that do not know the extension.
  alwaysCritical('name-constraints-critical', '4.2.1.10', EXTENSION.nameConstraints, 'rfc5280'),
  {
    id: 'name-constraints-without-leading-dot',
    section: '4.2.1.10',
    broken: ({ nameConstraints }) =>
      [...(nameConstraints?.permitted ?? []), ...(nameConstraints?.excluded ?? [])].some(
        (base) => base.kind === 'dns' && base.value.startsWith('.'),
      ),
  },
  alwaysCritical('policy-constraints-critical', '4.2.1.11', EXTENSION.policyConstraints),
  alwaysCritical('inhibit-any-policy-critical', '4.2.1.14', EXTENSION.inhibitAnyPolicy),
  {
    id: 'policy-limits-only-in-authorities',
    section: '4.2.1.11, 4.2.1.14',
    broken: ({ extensions, isCertificateAuthority }) =>
      !isCertificateAuthority &&
      [EXTENSION.policyConstraints, EXTENSION.policyMappings, EXTENSION.inhibitAnyPolicy].some((one) =>
        extensions.has(one),
      ),
  },
  {
    id: 'subscriber-extended-key-usage',
    section: 'BR 7.1.2.7.10',
    profile: 'web-pki',
    roles: ['leaf'],
    broken: ({ extendedKeyUsage: purposes }, _, purpose) =>
      purpose === 'serverAuth' &&
      (purposes === null || !purposes.includes(PURPOSE.serverAuth) || purposes.includes(PURPOSE.any)),
  },
  {
    id: 'root-without-extended-key-usage',
    section: 'BR 7.1.2.1.2',
    profile: 'web-pki',
    roles: ['anchor'],
    broken: ({ extensions, selfIssued }) => selfIssued && extensions.has(EXTENSION.extendedKeyUsage),
  },
  neverCritical('extended-key-usage-not-critical', 'BR 7.1.2.7.6', EXTENSION.extendedKeyUsage, 'web-pki'),
  neverCritical(
    'crl-distribution-points-not-critical',
    'BR 7.1.2.11.2',
    EXTENSION.crlDistributionPoints,
    'web-pki',
  ),
  neverCritical('freshest-crl-not-critical', '4.2.1.15', EXTENSION.freshestCrl),
  neverCritical('authority-information-not-critical', '4.2.2.1', EXTENSION.authorityInformationAccess),
  neverCritical('subject-information-not-critical', '4.2.2.2', EXTENSION.subjectInformationAccess),
];
