import * as values from './extensions.ts';
import {
  type AuthorityKeyIdentifier,
  type BasicConstraints,
  type CrlDistributionPoint,
  type KeyUsage,
  parseInhibitAnyPolicy,
  parsePolicyConstraints,
  parsePolicyMappings,
  type PolicyConstraints,
  type PolicyMapping,
  type SubjectAltNames,
} from './extensions.ts';
import { NO_TIMESTAMPS, parseTimestampList, type TimestampList } from './ct/timestamp-list.ts';
import { type NameConstraints, parseNameConstraints } from './names/general-name.ts';
import { EXTENSION } from './der/object-identifiers.ts';
import { PkiError, type PkiErrorCode } from './pki-error.ts';

/** Parsed extensions of a certificate. A field is null, empty or false if its extension is absent or malformed. */
export interface ParsedExtensions {
  readonly basicConstraints: BasicConstraints | null;
  readonly isCertificateAuthority: boolean;
  readonly keyUsage: ReadonlySet<KeyUsage> | null;
  /** Purposes as OIDs (dotted decimal). */
  readonly extendedKeyUsage: readonly string[] | null;
  readonly subjectAltNames: SubjectAltNames;
  readonly nameConstraints: NameConstraints | null;
  readonly authorityKeyIdentifier: AuthorityKeyIdentifier | null;
  /** Key identifier in lower-case hex. */
  readonly subjectKeyIdentifier: string | null;
  /** Policies as OIDs (dotted decimal). */
  readonly certificatePolicies: readonly string[] | null;
  /** True if a policy has a qualifier other than CPS and user notice. */
  readonly hasUnknownPolicyQualifier: boolean;
  readonly policyMappings: readonly PolicyMapping[];
  readonly policyConstraints: PolicyConstraints | null;
  readonly inhibitAnyPolicy: number | null;
  /**
   * CA Issuers URLs in the order of the certificate. The `…Urls` fields have http(s) URLs only; this folder never
   * fetches them.
   */
  readonly caIssuersUrls: readonly string[];
  readonly ocspUrls: readonly string[];
  readonly crlUrls: readonly string[];
  readonly cpsUrls: readonly string[];
  /** Distribution points from which `crlUrls` is taken, with URIs of every scheme. */
  readonly crlDistributionPoints: readonly CrlDistributionPoint[];
  /** Numbers of the TLS extensions that the server must support (RFC 7633). */
  readonly tlsFeatures: readonly number[];
  /** True if clients must refuse a handshake without a stapled OCSP response (RFC 7633). */
  readonly mustStaple: boolean;
  /** Whether the Netscape certificate type allows a TLS server; null without this extension. */
  readonly netscapeAllowsServer: boolean | null;
  /** True if the CA will never publish revocation information for this certificate (RFC 9608). */
  readonly hasNoRevAvail: boolean;
  /** Timestamps of Certificate Transparency logs (RFC 6962 §3.3), in the order of the certificate. */
  readonly certificateTimestamps: TimestampList;
  readonly parseErrors: readonly ExtensionParseError[];
}

export interface ExtensionParseError {
  /** OID (dotted decimal) of the extension. */
  readonly extension: string;
  readonly code: PkiErrorCode;
}

/** Number of the TLS extension status_request (RFC 8446 §4.2). */
const STATUS_REQUEST = 5;

/** Parses every known extension. Reports malformed ones in `parseErrors` and never throws for them. */
export function parseExtensions(
  extensions: ReadonlyMap<string, { readonly value: Uint8Array }>,
): ParsedExtensions {
  const parseErrors: ExtensionParseError[] = [];
  const read = <Value, Absent>(
    extension: string,
    parse: (value: Uint8Array) => Value,
    absent: Absent,
  ): Value | Absent => {
    const found = extensions.get(extension);
    if (found === undefined) return absent;
    try {
      return parse(found.value);
    } catch (error) {
      if (!(error instanceof PkiError)) throw error;
      parseErrors.push({ extension, code: error.code });
      return absent;
    }
  };

  const basicConstraints = read(EXTENSION.basicConstraints, values.parseBasicConstraints, null);
  const information = read(
    EXTENSION.authorityInformationAccess,
    values.parseAuthorityInformationAccess,
    null,
  );
  const policies = read(EXTENSION.certificatePolicies, values.parseCertificatePolicies, null);
  read(EXTENSION.issuerAltName, values.checkIssuerAltName, undefined);
  const tlsFeatures: readonly number[] = read(EXTENSION.tlsFeature, values.parseTlsFeatures, []);
  const points = read(EXTENSION.crlDistributionPoints, values.parseCrlDistributionPoints, []);
  return {
    basicConstraints,
    isCertificateAuthority: basicConstraints?.isCertificateAuthority ?? false,
    keyUsage: read(EXTENSION.keyUsage, values.parseKeyUsage, null),
    extendedKeyUsage: read(EXTENSION.extendedKeyUsage, values.parseExtendedKeyUsage, null),
    subjectAltNames: read(EXTENSION.subjectAltName, values.parseSubjectAltNames, values.NO_NAMES),
    nameConstraints: read(EXTENSION.nameConstraints, parseNameConstraints, null),
    authorityKeyIdentifier: read(EXTENSION.authorityKeyIdentifier, values.parseAuthorityKeyIdentifier, null),
    subjectKeyIdentifier: read(EXTENSION.subjectKeyIdentifier, values.parseSubjectKeyIdentifier, null),
    certificatePolicies: policies?.policies ?? null,
    hasUnknownPolicyQualifier: policies?.hasUnknownQualifier ?? false,
    policyMappings: read(EXTENSION.policyMappings, parsePolicyMappings, []),
    policyConstraints: read(EXTENSION.policyConstraints, parsePolicyConstraints, null),
    inhibitAnyPolicy: read(EXTENSION.inhibitAnyPolicy, parseInhibitAnyPolicy, null),
    caIssuersUrls: information?.caIssuersUrls ?? [],
    ocspUrls: information?.ocspUrls ?? [],
    crlUrls: points.flatMap(({ uris }) => uris.filter(values.isWebUrl)),
    cpsUrls: policies?.cpsUrls ?? [],
    crlDistributionPoints: points,
    tlsFeatures,
    mustStaple: tlsFeatures.includes(STATUS_REQUEST),
    netscapeAllowsServer: read(EXTENSION.netscapeCertType, values.parseNetscapeCertType, null),
    hasNoRevAvail: read(EXTENSION.noRevAvail, values.parseNoRevAvail, false),
    certificateTimestamps: read(EXTENSION.signedCertificateTimestamps, parseTimestampList, NO_TIMESTAMPS),
    parseErrors,
  };
}
