import { type Certificate, EXTENSION, type PublicKey, PURPOSE, RSA_PSS } from '../../../pki/index.ts';
import type { ClientRule } from './client-rule.ts';

/** A certificate of a valid path, below the anchor. */
export interface Link {
  certificate: Certificate;
  /** The next certificate of the path; for the last one, the anchor. */
  issuer: Certificate;
  isLeaf: boolean;
  leaf: Certificate;
  /** Number of CA certificates between this one and the leaf. */
  authoritiesBelow: number;
}

/** Returns whether one of the extensions cannot be read. Empty lists count as readable, although RFC 5280 forbids them. */
const isMalformed = ({ parseErrors }: Certificate, ...extensions: readonly string[]): boolean =>
  parseErrors.some(({ extension, code }) => code !== 'empty' && extensions.includes(extension));

/** Returns whether an extension cannot be read, even if bytes after its value are ignored. */
const isUnreadable = (certificate: Certificate, extension: string): boolean =>
  certificate.parseErrors.some(
    (error) => error.extension === extension && error.code !== 'empty' && error.code !== 'der_trailing',
  );

const isEmpty = ({ parseErrors }: Certificate, extension: string): boolean =>
  parseErrors.some((error) => error.extension === extension && error.code === 'empty');

const isCritical = ({ extensions }: Certificate, ...identifiers: readonly string[]): boolean =>
  identifiers.some((identifier) => extensions.get(identifier)?.critical === true);

const hasAnyPurposeOnly = ({ extendedKeyUsage: purposes }: Certificate): boolean =>
  purposes !== null && purposes.includes(PURPOSE.any) && !purposes.includes(PURPOSE.serverAuth);

const hasOtherKeyIdentifier = ({ certificate, issuer }: Link): boolean => {
  const named = certificate.authorityKeyIdentifier?.keyIdentifier ?? null;
  return named !== null && issuer.subjectKeyIdentifier !== null && named !== issuer.subjectKeyIdentifier;
};

/** Returns the key of the certificate and, for the last link, also that of the root, because no rule runs on the root itself. */
const ownKeys = ({ certificate, issuer }: Link): PublicKey[] =>
  issuer.selfIssued ? [certificate.key, issuer.key] : [certificate.key];

/** Rules about the key and the encoding of a certificate. */
export const FIELD_RULES: readonly ClientRule<Link>[] = [
  {
    code: 'p521_key',
    clients: ['chromium'],
    source: 'measured: Chrome offers no signature algorithm for it',
    applies: ({ certificate: { key }, isLeaf }) => isLeaf && key.curve === 'P-521',
  },
  {
    code: 'ed25519_key',
    clients: ['chromium', 'firefox'],
    source: 'measured',
    applies: (link) => ownKeys(link).some(({ type }) => type === 'ed25519'),
  },
  {
    code: 'ed448_key',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: (link) => ownKeys(link).some(({ type }) => type === 'ed448'),
  },
  {
    code: 'rsa_pss_key',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: ({ certificate: { key }, isLeaf }) => isLeaf && key.algorithm === RSA_PSS,
  },
  {
    code: 'long_exponent',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: ({ certificate: { key } }) => key.exponentIsSound && key.exponentBits > 33,
  },
  {
    code: 'no_key_null',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured; RFC 3279 §2.3.1',
    applies: ({ certificate: { key } }) => !key.hasNull,
  },
  {
    code: 'negative_serial_number',
    clients: ['go'],
    source: 'release notes of Go 1.23',
    applies: ({ certificate: { serialNumber } }) => Number.parseInt(serialNumber.slice(0, 2), 16) >= 0x80,
  },
  {
    code: 'early_date',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { notBefore } }) => notBefore < 0,
  },
  {
    code: 'explicit_default',
    clients: ['chromium'],
    source: 'measured; X.690 §11.5',
    applies: ({ certificate: { extensions } }) =>
      [...extensions.values()].some(({ writesDefault }) => writesDefault),
  },
  {
    code: 'long_path_length',
    clients: ['chromium', 'firefox'],
    source: 'measured: both read one byte',
    applies: ({ certificate: { basicConstraints } }) => (basicConstraints?.pathLength ?? 0) > 255,
  },
  {
    code: 'long_path_length',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { basicConstraints } }) =>
      (basicConstraints?.pathLength ?? 0) > 127 && (basicConstraints?.pathLength ?? 0) <= 255,
  },
];

/** Rules about the extensions of a certificate. */
export const EXTENSION_RULES: readonly ClientRule<Link>[] = [
  {
    code: 'malformed_key_identifier',
    clients: ['openssl', 'chromium', 'go'],
    source: 'measured',
    applies: ({ certificate }) =>
      isMalformed(certificate, EXTENSION.subjectKeyIdentifier, EXTENSION.authorityKeyIdentifier),
  },
  {
    code: 'malformed_crl_points',
    clients: ['openssl', 'go'],
    source: 'measured: they ignore bytes after the list',
    applies: ({ certificate }) => isUnreadable(certificate, EXTENSION.crlDistributionPoints),
  },
  {
    code: 'malformed_issuer_addresses',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) =>
      isLeaf && isMalformed(certificate, EXTENSION.authorityInformationAccess),
  },
  {
    code: 'malformed_issuer_addresses',
    clients: ['chromium', 'go'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) =>
      !isLeaf && isMalformed(certificate, EXTENSION.authorityInformationAccess),
  },
  {
    code: 'malformed_issuer_addresses',
    clients: ['chromium'],
    source: 'measured',
    applies: ({ certificate }) => isEmpty(certificate, EXTENSION.authorityInformationAccess),
  },
  {
    code: 'malformed_tls_feature',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) => isLeaf && isMalformed(certificate, EXTENSION.tlsFeature),
  },
  {
    code: 'malformed_timestamps',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) =>
      isLeaf && isMalformed(certificate, EXTENSION.signedCertificateTimestamps),
  },
  {
    code: 'malformed_crl_points',
    clients: ['openssl'],
    source: 'measured; RFC 5280 §4.2.1.13',
    applies: ({ certificate }) => certificate.crlDistributionPoints.some(({ isNamed }) => !isNamed),
  },
  {
    code: 'malformed_crl_points',
    clients: ['go'],
    source: 'measured: Go reads no relative names',
    applies: ({ certificate }) =>
      certificate.crlDistributionPoints.some(({ relativeKey }) => relativeKey !== null),
  },
  {
    code: 'malformed_issuer_alt_name',
    clients: ['gnutls'],
    source: 'measured',
    applies: ({ certificate }) => isMalformed(certificate, EXTENSION.issuerAltName),
  },
  {
    code: 'malformed_netscape_type',
    clients: ['openssl'],
    source: 'measured',
    applies: ({ certificate }) => isUnreadable(certificate, EXTENSION.netscapeCertType),
  },
  {
    code: 'any_purpose_only',
    clients: ['firefox', 'openssl'],
    source: 'measured; check_purpose_ssl_server in OpenSSL',
    applies: ({ certificate, isLeaf }) => isLeaf && hasAnyPurposeOnly(certificate),
  },
  {
    code: 'any_purpose_only',
    clients: ['firefox', 'openssl', 'gnutls'],
    source: 'measured; check_purpose_ssl_server in OpenSSL',
    applies: ({ certificate, isLeaf }) => !isLeaf && hasAnyPurposeOnly(certificate),
  },
  {
    code: 'ocsp_signing_purpose',
    clients: ['firefox'],
    source: 'measured; CheckExtendedKeyUsage in mozilla::pkix',
    applies: ({ certificate: { extendedKeyUsage }, isLeaf }) =>
      isLeaf && extendedKeyUsage?.includes(PURPOSE.ocspSigning) === true,
  },
  {
    code: 'authority_as_leaf',
    clients: ['firefox'],
    source: 'measured; CheckBasicConstraints in mozilla::pkix',
    applies: ({ certificate, isLeaf }) => isLeaf && certificate.isCertificateAuthority,
  },
  {
    code: 'other_key_identifier',
    clients: ['openssl', 'gnutls'],
    source: 'measured',
    applies: (link) => link.isLeaf && hasOtherKeyIdentifier(link),
  },
  {
    code: 'other_key_identifier',
    clients: ['openssl', 'gnutls', 'java'],
    source: 'measured',
    applies: (link) => !link.isLeaf && hasOtherKeyIdentifier(link),
  },
  {
    code: 'malformed_key_identifier',
    clients: ['chromium'],
    source: 'measured; RFC 5280 §4.2.1.1',
    applies: ({ certificate: { authorityKeyIdentifier: named } }) =>
      named !== null && (named.issuerKeys === null) !== (named.serialNumber === null),
  },
  {
    code: 'malformed_other_name',
    clients: ['openssl', 'gnutls'],
    source: 'measured',
    applies: ({ certificate: { subjectAltNames } }) =>
      subjectAltNames.all.some((name) => name.kind === 'unsupported' && name.isMalformed),
  },
  {
    code: 'authority_tls_feature',
    clients: ['firefox', 'gnutls'],
    source: 'measured; RFC 7633 §4.2.2',
    applies: ({ certificate: { extensions }, isLeaf, leaf }) =>
      !isLeaf && extensions.has(EXTENSION.tlsFeature) && !leaf.mustStaple,
  },
  {
    code: 'critical_policy_mappings',
    clients: ['firefox', 'gnutls'],
    source: 'measured',
    applies: ({ certificate }) => isCritical(certificate, EXTENSION.policyMappings),
  },
  {
    code: 'self_issued_path_length',
    clients: ['firefox', 'go', 'gnutls'],
    source: 'measured: they count self-issued certificates, which RFC 5280 §6.1.4 does not',
    applies: ({ certificate: { basicConstraints }, isLeaf, authoritiesBelow }) =>
      !isLeaf && authoritiesBelow > (basicConstraints?.pathLength ?? Infinity),
  },
  {
    code: 'unsupported_constraint',
    clients: ['go', 'gnutls'],
    source: 'measured',
    applies: ({ certificate: { nameConstraints } }) =>
      [...(nameConstraints?.permitted ?? []), ...(nameConstraints?.excluded ?? [])].some(
        ({ kind }) => kind === 'unsupported',
      ),
  },
  {
    code: 'empty_constraint',
    clients: ['java'],
    source: 'measured',
    applies: ({ certificate: { nameConstraints } }) =>
      nameConstraints?.permitted.some((name) => name.kind === 'dns' && name.value === '') === true,
  },
  {
    code: 'other_issuer_serial',
    clients: ['openssl'],
    source: 'measured',
    applies: ({ certificate, issuer }) => {
      const { serialNumber = null, issuerKeys = null } = certificate.authorityKeyIdentifier ?? {};
      return (
        (serialNumber !== null && serialNumber !== issuer.serialNumber) ||
        (issuerKeys !== null && !issuerKeys.includes(issuer.issuer.comparisonKey))
      );
    },
  },
  {
    code: 'critical_crl_points',
    clients: ['chromium', 'firefox', 'java'],
    source: 'measured',
    applies: ({ certificate }) => isCritical(certificate, EXTENSION.crlDistributionPoints),
  },
  {
    code: 'critical_key_identifier',
    clients: ['openssl', 'chromium', 'firefox', 'go', 'java'],
    source: 'measured; parser.go of Go 1.25; RFC 5280 §4.2.1.1 and §4.2.1.2',
    applies: ({ certificate }) =>
      isCritical(certificate, EXTENSION.subjectKeyIdentifier, EXTENSION.authorityKeyIdentifier),
  },
  {
    code: 'unknown_policy_qualifier',
    clients: ['chromium'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) => isLeaf && hasUnknownCriticalQualifier(certificate),
  },
  {
    code: 'unknown_policy_qualifier',
    clients: ['chromium', 'java'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) => !isLeaf && hasUnknownCriticalQualifier(certificate),
  },
  {
    code: 'netscape_type',
    clients: ['openssl', 'java'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) => isLeaf && certificate.netscapeAllowsServer === false,
  },
];

function hasUnknownCriticalQualifier(certificate: Certificate): boolean {
  return certificate.hasUnknownPolicyQualifier && isCritical(certificate, EXTENSION.certificatePolicies);
}
