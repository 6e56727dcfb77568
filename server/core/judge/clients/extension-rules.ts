import { type Client, CLIENTS } from '../../../../contract/check-words.ts';
import { unknownCriticalExtensions } from '../../../pki/certificate-checks.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import { EXTENSION, PURPOSE } from '../../../pki/der/object-identifiers.ts';
import type { GeneralName } from '../../../pki/names/general-name.ts';
import { type ClientRule, FIX_AUTHORITY, type PathLink } from './client-rule.ts';

/** Returns whether one of the extensions cannot be read. Empty lists count as readable, although RFC 5280 forbids them. */
const isMalformed = ({ parseErrors }: Certificate, ...extensions: readonly string[]): boolean =>
  parseErrors.some(({ extension, code }) => code !== 'empty' && extensions.includes(extension));

/** Returns whether an extension cannot be read, even if bytes after its value and the characters of strings are ignored. */
const isUnreadable = (certificate: Certificate, extension: string): boolean =>
  certificate.parseErrors.some(
    (error) => error.extension === extension && !['empty', 'der_trailing', 'der_string'].includes(error.code),
  );

const isEmpty = ({ parseErrors }: Certificate, extension: string): boolean =>
  parseErrors.some((error) => error.extension === extension && error.code === 'empty');

const isCritical = ({ extensions }: Certificate, ...identifiers: readonly string[]): boolean =>
  identifiers.some((identifier) => extensions.get(identifier)?.critical === true);

const hasAnyPurposeOnly = ({ extendedKeyUsage: purposes }: Certificate): boolean =>
  purposes !== null && purposes.includes(PURPOSE.any) && !purposes.includes(PURPOSE.serverAuth);

const hasOtherKeyIdentifier = ({ certificate, issuer }: PathLink): boolean => {
  const named = certificate.authorityKeyIdentifier?.keyIdentifier ?? null;
  return named !== null && issuer.subjectKeyIdentifier !== null && named !== issuer.subjectKeyIdentifier;
};

const isUnsupported = ({ kind }: GeneralName): boolean => kind === 'unsupported' || kind === 'directory';

/** Number of the TLS extension status_request (RFC 8446 §4.2). */
const STATUS_REQUEST = 5;

/** Rules about the extensions of a certificate. */
export const EXTENSION_RULES = [
  {
    code: 'malformed_key_identifier',
    why: 'a key identifier in it cannot be read',
    clients: ['openssl', 'chromium', 'go'],
    source: 'measured',
    applies: ({ certificate }) =>
      isMalformed(certificate, EXTENSION.subjectKeyIdentifier, EXTENSION.authorityKeyIdentifier),
  },
  {
    code: 'malformed_crl_points',
    why: 'its CRL distribution points cannot be read',
    clients: ['openssl', 'go'],
    source: 'measured: they ignore bytes after the list, and what a URL is made of',
    applies: ({ certificate }) => isUnreadable(certificate, EXTENSION.crlDistributionPoints),
  },
  {
    code: 'malformed_issuer_addresses',
    why: 'its authority information access cannot be read',
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
    why: 'its “must staple” extension cannot be read',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) => isLeaf && isMalformed(certificate, EXTENSION.tlsFeature),
  },
  {
    code: 'malformed_timestamps',
    why: 'its Certificate Transparency timestamps (SCTs) cannot be read',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) =>
      isLeaf &&
      certificate.parseErrors.some(
        ({ extension, code }) =>
          extension === EXTENSION.signedCertificateTimestamps && code !== 'empty' && code !== 'value',
      ),
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
    why: 'its issuer alternative name cannot be read',
    clients: ['gnutls'],
    source: 'measured',
    applies: ({ certificate }) => isMalformed(certificate, EXTENSION.issuerAltName),
  },
  {
    code: 'malformed_netscape_type',
    why: 'its Netscape certificate type cannot be read',
    clients: ['openssl'],
    source: 'measured',
    applies: ({ certificate }) => isUnreadable(certificate, EXTENSION.netscapeCertType),
  },
  {
    code: 'any_purpose_only',
    why: 'its extended key usage is anyExtendedKeyUsage without serverAuth',
    fix: 'Have the certificate reissued with the extended key usage serverAuth.',
    clients: ['firefox', 'openssl'],
    source: 'measured; check_purpose_ssl_server in OpenSSL',
    applies: ({ certificate, isLeaf }) => isLeaf && hasAnyPurposeOnly(certificate),
  },
  {
    code: 'any_purpose_only',
    clients: ['firefox', 'openssl', 'gnutls'],
    source: 'measured; check_purpose_ssl_server in OpenSSL',
    applies: ({ certificate, isLeaf }) => !isLeaf && hasAnyPurposeOnly(certificate),
    ofAnchor: 'never',
  },
  {
    code: 'any_purpose_only',
    clients: ['firefox', 'openssl'],
    source: 'measured; check_purpose_ssl_server in OpenSSL',
    applies: ({ certificate }) => hasAnyPurposeOnly(certificate),
    ofAnchor: 'only',
  },
  {
    code: 'ocsp_signing_purpose',
    why: 'its extended key usage names the signing of OCSP responses too',
    fix: 'Have the certificate reissued with the extended key usage serverAuth only.',
    clients: ['firefox'],
    source: 'measured; CheckExtendedKeyUsage in mozilla::pkix',
    applies: ({ certificate: { extendedKeyUsage }, isLeaf }) =>
      isLeaf && extendedKeyUsage?.includes(PURPOSE.ocspSigning) === true,
  },
  {
    code: 'authority_as_leaf',
    why: 'it is a certificate of an authority (basic constraints), not of a server',
    fix: 'Have your authority issue a certificate for the server, and install that one.',
    clients: ['firefox'],
    source: 'measured; CheckBasicConstraints in mozilla::pkix',
    applies: ({ certificate, isLeaf }) => isLeaf && certificate.isCertificateAuthority,
  },
  {
    code: 'other_key_identifier',
    why: 'its authority key identifier does not match its issuer’s key',
    fix: FIX_AUTHORITY,
    clients: ['openssl', 'gnutls'],
    source: 'measured',
    applies: hasOtherKeyIdentifier,
    ofAnchor: 'never',
  },
  {
    code: 'other_key_identifier',
    clients: ['java'],
    source:
      'measured: it looks for an anchor with these bytes; setSkiAndSerialNumber in PKIXCertPathValidator',
    applies: (link) =>
      link.isBelowAnchor &&
      (hasOtherKeyIdentifier(link) ||
        (link.certificate.authorityKeyIdentifier?.keyIdentifier != null &&
          isMalformed(link.issuer, EXTENSION.subjectKeyIdentifier))),
    ofAnchor: 'never',
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
    why: 'one of its other names cannot be read',
    clients: ['openssl', 'gnutls'],
    source: 'measured',
    applies: ({ certificate: { subjectAltNames } }) =>
      subjectAltNames.all.some((name) => name.kind === 'unsupported' && name.isMalformed),
  },
  {
    code: 'authority_tls_feature',
    why: 'it demands “must staple” of the certificates below it, and this host’s does not have it',
    clients: ['firefox', 'gnutls'],
    source: 'measured; RFC 7633 §4.2.2',
    applies: ({ certificate: { extensions }, isLeaf, leaf }) =>
      !isLeaf && extensions.has(EXTENSION.tlsFeature) && !leaf.mustStaple,
  },
  {
    code: 'critical_policy_mappings',
    why: 'its policy mappings are marked as critical',
    clients: ['firefox', 'gnutls'],
    source: 'measured',
    applies: ({ certificate }) => isCritical(certificate, EXTENSION.policyMappings),
  },
  {
    code: 'self_issued_path_length',
    why: 'it allows fewer intermediate certificates below it than there are, including its own renewals',
    clients: ['firefox', 'go', 'gnutls'],
    source: 'measured: they count self-issued certificates, which RFC 5280 §6.1.4 does not',
    applies: ({ certificate: { basicConstraints }, isLeaf, authoritiesBelow }) =>
      !isLeaf && authoritiesBelow > (basicConstraints?.pathLength ?? Infinity),
    ofAnchor: 'never',
  },
  {
    code: 'unsupported_constraint',
    why: 'its name constraints limit a form of names that these clients do not know',
    clients: ['go', 'gnutls'],
    source: 'measured',
    applies: ({ certificate }) =>
      isCritical(certificate, EXTENSION.nameConstraints) &&
      (certificate.nameConstraints?.excluded.some(isUnsupported) === true ||
        certificate.nameConstraints?.permitted.some(({ kind }) => kind === 'unsupported') === true),
  },
  {
    code: 'unsupported_constraint',
    clients: ['go'],
    source:
      'measured: GnuTLS ignores permitted directory names (check_unsupported_constraint in name_constraints.c)',
    applies: ({ certificate }) =>
      isCritical(certificate, EXTENSION.nameConstraints) &&
      certificate.nameConstraints?.permitted.some(isUnsupported) === true,
  },
  {
    code: 'excluded_directory_name',
    why: 'its name constraints exclude a directory name',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { nameConstraints } }) =>
      nameConstraints?.excluded.some(({ kind }) => kind === 'directory') === true,
  },
  {
    code: 'written_minimum',
    why: 'its name constraints state a minimum, which DER forbids',
    clients: ['chromium', 'firefox'],
    source: 'measured; X.690 §11.5',
    applies: ({ certificate: { nameConstraints } }) => nameConstraints?.writesMinimum === true,
  },
  {
    code: 'critical_policy_constraints',
    why: 'its policy constraints are marked as critical',
    clients: ['gnutls'],
    source: 'measured; Go reads them since 1.24',
    applies: ({ certificate }) => isCritical(certificate, EXTENSION.policyConstraints),
  },
  {
    code: 'long_policy_count',
    why: 'a number in its policy constraints is above 255',
    clients: ['chromium'],
    source: 'measured: it reads one byte',
    applies: ({ certificate: { policyConstraints, inhibitAnyPolicy } }) =>
      [
        policyConstraints?.requireExplicitPolicy,
        policyConstraints?.inhibitPolicyMapping,
        inhibitAnyPolicy,
      ].some((count) => (count ?? 0) > 255),
  },
  {
    code: 'other_tls_feature',
    why: 'it demands a TLS feature other than “must staple”',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { tlsFeatures }, isLeaf }) =>
      isLeaf && tlsFeatures.some((feature) => feature !== STATUS_REQUEST),
  },
  {
    code: 'empty_constraint',
    why: 'its name constraints permit an empty host name',
    clients: ['java'],
    source: 'measured',
    applies: ({ certificate: { nameConstraints } }) =>
      nameConstraints?.permitted.some((name) => name.kind === 'dns' && name.value === '') === true,
  },
  {
    code: 'other_issuer_serial',
    why: 'its authority key identifier has the serial number of another certificate',
    fix: FIX_AUTHORITY,
    clients: ['openssl'],
    source: 'measured',
    applies: ({ certificate, issuer }) => namesOtherIssuer(certificate, issuer),
    ofAnchor: 'never',
  },
  {
    code: 'critical_crl_points',
    why: 'its CRL distribution points are marked as critical',
    clients: ['chromium', 'firefox', 'java'],
    source: 'measured',
    applies: ({ certificate }) => isCritical(certificate, EXTENSION.crlDistributionPoints),
  },
  {
    code: 'critical_key_identifier',
    why: 'a key identifier in it is marked as critical',
    clients: ['openssl', 'chromium', 'firefox', 'go', 'java'],
    source: 'measured; parser.go of Go 1.25; RFC 5280 §4.2.1.1 and §4.2.1.2',
    applies: ({ certificate }) =>
      isCritical(certificate, EXTENSION.subjectKeyIdentifier, EXTENSION.authorityKeyIdentifier),
  },
  {
    code: 'unknown_policy_qualifier',
    why: 'a critical certificate policy has an unknown qualifier',
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
    code: 'proxy_certificate',
    why: 'its extension proxyCertInfo marks it as a proxy certificate',
    fix: 'Have the certificate reissued without the extension proxyCertInfo.',
    clients: ['openssl'],
    source: 'measured; ossl_x509v3_cache_extensions, check_chain in OpenSSL; RFC 3820 §3.8',
    applies: ({ certificate: { extensions } }) => extensions.has(EXTENSION.proxyCertInfo),
  },
  {
    code: 'netscape_type',
    why: 'its Netscape certificate type does not include TLS servers',
    fix: 'Have the certificate reissued without the Netscape certificate type.',
    clients: ['openssl', 'java'],
    source: 'measured',
    applies: ({ certificate, isLeaf }) => isLeaf && certificate.netscapeAllowsServer === false,
  },
] as const satisfies readonly ClientRule<PathLink>[];

/** Returns whether the authority key identifier names another serial number or issuer than those of `issuer` (RFC 5280 §4.2.1.1). */
export function namesOtherIssuer({ authorityKeyIdentifier }: Certificate, issuer: Certificate): boolean {
  const { serialNumber = null, issuerKeys = null } = authorityKeyIdentifier ?? {};
  return (
    (serialNumber !== null && serialNumber !== issuer.serialNumber) ||
    (issuerKeys !== null && !issuerKeys.includes(issuer.issuer.comparisonKey))
  );
}

function hasUnknownCriticalQualifier(certificate: Certificate): boolean {
  return certificate.hasUnknownPolicyQualifier && isCritical(certificate, EXTENSION.certificatePolicies);
}

const MALFORMED: Readonly<Record<string, readonly Client[]>> = {
  [EXTENSION.keyUsage]: ['openssl', 'chromium', 'firefox', 'java', 'go'],
  [EXTENSION.extendedKeyUsage]: ['openssl', 'chromium', 'firefox', 'go', 'gnutls'],
  [EXTENSION.basicConstraints]: ['openssl', 'chromium', 'firefox', 'go', 'java'],
  [EXTENSION.nameConstraints]: ['openssl', 'chromium', 'go'],
  [EXTENSION.certificatePolicies]: ['chromium', 'go'],
  [EXTENSION.policyMappings]: ['chromium', 'go'],
  [EXTENSION.policyConstraints]: ['chromium', 'go'],
  [EXTENSION.inhibitAnyPolicy]: ['chromium', 'go'],
};

/** Returns who refuses a certificate because of its malformed extensions (measured). */
export function clientsRefusingMalformed({ parseErrors }: Certificate): readonly Client[] {
  const refusing = new Set(parseErrors.flatMap(({ extension }) => MALFORMED[extension] ?? CLIENTS));
  return CLIENTS.filter((client) => refusing.has(client));
}

/** Clients that accept a critical extension that others do not know or do not allow to be critical (measured, except for Windows). */
const ACCEPTED_CRITICAL: Readonly<Record<string, readonly Client[]>> = {
  // Windows defines this extension, and Chrome accepts it too.
  [EXTENSION.applicationPolicies]: ['chromium', 'windows'],
  [EXTENSION.authorityInformationAccess]: ['firefox', 'gnutls'],
  [EXTENSION.issuerAltName]: ['gnutls'],
  [EXTENSION.proxyCertInfo]: ['gnutls'],
};

/** Returns the clients that refuse at least one unknown critical extension of the certificate. */
export function clientsRefusingCritical(certificate: Certificate): readonly Client[] {
  const unknown = unknownCriticalExtensions(certificate).map(
    (extension) => ACCEPTED_CRITICAL[extension] ?? [],
  );
  return CLIENTS.filter((client) => unknown.some((accepting) => !accepting.includes(client)));
}
