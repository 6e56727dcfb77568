import { type Certificate, EXTENSION, type PublicKey, PURPOSE, RSA_PSS } from '../../../pki/index.ts';
import type { ClientRule } from './client-rule.ts';

/** A certificate of a valid path, below the anchor. */
export interface Link {
  certificate: Certificate;
  /** The next certificate of the path; for the last one, the anchor. */
  issuer: Certificate;
  isLeaf: boolean;
}

/** Returns whether one of the extensions cannot be read. Empty lists count as readable, although RFC 5280 forbids them. */
const isMalformed = ({ parseErrors }: Certificate, ...extensions: readonly string[]): boolean =>
  parseErrors.some(({ extension, code }) => code !== 'empty' && extensions.includes(extension));

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
    source: 'measured',
    applies: ({ certificate }) => isMalformed(certificate, EXTENSION.crlDistributionPoints),
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
    code: 'malformed_issuer_alt_name',
    clients: ['gnutls'],
    source: 'measured',
    applies: ({ certificate }) => isMalformed(certificate, EXTENSION.issuerAltName),
  },
  {
    code: 'malformed_netscape_type',
    clients: ['openssl'],
    source: 'measured',
    applies: ({ certificate }) => isMalformed(certificate, EXTENSION.netscapeCertType),
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
    code: 'other_issuer_serial',
    clients: ['openssl'],
    source: 'measured',
    applies: ({ certificate, issuer }) => {
      const named = certificate.authorityKeyIdentifier?.serialNumber ?? null;
      return named !== null && named !== issuer.serialNumber;
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
