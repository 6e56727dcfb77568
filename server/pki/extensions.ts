import { contextTag, type DerReader, nonEmptyList, onlyElement, TAG } from './der/der.ts';
import {
  bitStringValue,
  booleanValue,
  countValue,
  ia5Text,
  objectIdentifier,
  toHex,
} from './der/der-values.ts';
import { formatIpAddress } from './names/ip-address.ts';
import {
  ADDRESS_LENGTHS,
  type GeneralName,
  readGeneralName,
  type UnsupportedForm,
} from './names/general-name.ts';
import { CA_ISSUERS, CPS_QUALIFIER, OCSP, USER_NOTICE } from './der/object-identifiers.ts';
import {
  directoryKeys,
  type DistributionPointName,
  readDistributionPointName,
} from './revocation/issuing-distribution-point.ts';
import { PkiError } from './pki-error.ts';

/* Parsers for the values of extensions (RFC 5280 §4.2). Each throws PkiError on malformed input. */

export interface BasicConstraints {
  readonly isCertificateAuthority: boolean;
  /** Maximum number of CA certificates that may follow, not counting self-issued ones; null for no limit. */
  readonly pathLength: number | null;
}

export function parseBasicConstraints(value: Uint8Array): BasicConstraints {
  const reader = onlyElement(value, TAG.sequence).open();
  // DER forbids encoding the default cA FALSE, but many leaf certificates do so, which is harmless.
  const authority = reader.optional(TAG.boolean);
  const length = reader.optional(TAG.integer);
  reader.end();
  return {
    isCertificateAuthority: authority !== null && booleanValue(authority),
    pathLength: length === null ? null : countValue(length),
  };
}

const KEY_USAGES = [
  'digitalSignature',
  'contentCommitment',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const;
export type KeyUsage = (typeof KEY_USAGES)[number];

export function parseKeyUsage(value: Uint8Array): ReadonlySet<KeyUsage> {
  const { octets } = bitStringValue(onlyElement(value, TAG.bitString));
  return new Set(KEY_USAGES.filter((_, bit) => ((octets[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0));
}

/** Returns the OIDs (dotted decimal) of the purposes. */
export function parseExtendedKeyUsage(value: Uint8Array): readonly string[] {
  return nonEmptyList(value, TAG.sequence, (reader) => objectIdentifier(reader.read()));
}

/** Names of a SubjectAltName by kind. IP addresses are in canonical text. */
export interface SubjectAltNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  readonly unsupportedForms: readonly UnsupportedForm[];
  /** Every name in encoded order. */
  readonly all: readonly GeneralName[];
}

export const NO_NAMES: SubjectAltNames = {
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
  unsupportedForms: [],
  all: [],
};

export function parseSubjectAltNames(value: Uint8Array): SubjectAltNames {
  const all = nonEmptyList(value, TAG.sequence, (reader) => readGeneralName(reader, ADDRESS_LENGTHS));
  const texts = (kind: 'dns' | 'email' | 'uri'): string[] =>
    all.flatMap((name) => (name.kind === kind ? [name.value] : []));
  return {
    dnsNames: texts('dns'),
    ipAddresses: all.flatMap((name) => (name.kind === 'ip' ? [formatIpAddress(name.octets)] : [])),
    emailAddresses: texts('email'),
    uris: texts('uri'),
    unsupportedForms: all.flatMap((name) => (name.kind === 'unsupported' ? [name.form] : [])),
    all,
  };
}

export interface AuthorityKeyIdentifier {
  /** Key identifier in lower-case hex; null if absent. */
  readonly keyIdentifier: string | null;
  /** Comparison keys of the directory names of the issuer's issuer; null if the field is absent. */
  readonly issuerKeys: readonly string[] | null;
  /** Serial number of the issuer's certificate, encoded like `Certificate.serialNumber`; null if absent. */
  readonly serialNumber: string | null;
}

export function parseAuthorityKeyIdentifier(value: Uint8Array): AuthorityKeyIdentifier {
  const reader = onlyElement(value, TAG.sequence).open();
  const key = reader.optional(contextTag(0, 'primitive'));
  const issuer = reader.optional(contextTag(1, 'constructed'));
  const serialNumber = reader.optional(contextTag(2, 'primitive'));
  reader.end();
  return {
    keyIdentifier: key === null ? null : toHex(key.content),
    issuerKeys: issuer === null ? null : directoryKeys(issuer),
    serialNumber: serialNumber === null ? null : toHex(serialNumber.content),
  };
}

/** Returns the identifier in lower-case hex. */
export function parseSubjectKeyIdentifier(value: Uint8Array): string {
  return toHex(onlyElement(value, TAG.octetString).content);
}

/**
 * Returns the http(s) URLs of AuthorityInfoAccess for CA Issuers and OCSP. Ignores other access methods, schemes and
 * name forms.
 */
export function parseAuthorityInformationAccess(value: Uint8Array): {
  caIssuersUrls: string[];
  ocspUrls: string[];
} {
  const caIssuersUrls: string[] = [];
  const ocspUrls: string[] = [];
  nonEmptyList(value, TAG.sequence, (reader) => {
    const description = reader.enter(TAG.sequence);
    const method = objectIdentifier(description.read());
    const location = readGeneralName(description, ADDRESS_LENGTHS);
    description.end();
    if (location.kind !== 'uri' || !isWebUrl(location.value)) return;
    if (method === CA_ISSUERS) caIssuersUrls.push(location.value);
    if (method === OCSP) ocspUrls.push(location.value);
  });
  return { caIssuersUrls, ocspUrls };
}

/** Distribution point of one CRL, which has one or several equivalent URIs. */
export interface CrlDistributionPoint extends DistributionPointName {
  /** True if the CRL covers all reasons, so that it suffices alone. */
  readonly coversAllReasons: boolean;
  /** Comparison keys of the names of the CRL issuer, if another than the certificate's issuer signs the CRL; else null. */
  readonly crlIssuerKeys: readonly string[] | null;
  /** False if the point names neither a CRL nor its issuer, which RFC 5280 §4.2.1.13 forbids. */
  readonly isNamed: boolean;
}

const NO_NAME: DistributionPointName = { uris: [], directoryKeys: [], relativeKey: null };

export function parseCrlDistributionPoints(value: Uint8Array): CrlDistributionPoint[] {
  return nonEmptyList(value, TAG.sequence, (reader) => {
    const point = reader.enter(TAG.sequence);
    const name = point.optional(contextTag(0, 'constructed'));
    const reasons = point.optional(contextTag(1, 'primitive'));
    const crlIssuer = point.optional(contextTag(2, 'constructed'));
    point.end();
    return {
      ...(name === null ? NO_NAME : readDistributionPointName(name)),
      isNamed: name !== null || crlIssuer !== null,
      coversAllReasons: reasons === null,
      crlIssuerKeys: crlIssuer === null ? null : directoryKeys(crlIssuer),
    };
  });
}

/** Returns the numbers of the TLS extensions that a server must support by TLSFeature (RFC 7633). */
export function parseTlsFeatures(value: Uint8Array): number[] {
  return nonEmptyList(value, TAG.sequence, (reader) => countValue(reader.read(TAG.integer)));
}

/** Returns true if the value is NULL, as NoRevAvail requires (RFC 9608 §2). Throws PkiError otherwise. */
export function parseNoRevAvail(value: Uint8Array): true {
  if (onlyElement(value, TAG.null).content.length > 0) throw new PkiError('value', 'NULL is not empty');
  return true;
}

/**
 * Returns the policy identifiers, the http(s) URLs of the certification practice statements (CPS), and whether there are
 * qualifiers of other kinds than CPS and user notice (RFC 5280 §4.2.1.4).
 */
export function parseCertificatePolicies(value: Uint8Array): {
  policies: string[];
  cpsUrls: string[];
  hasUnknownQualifier: boolean;
} {
  const cpsUrls: string[] = [];
  let hasUnknownQualifier = false;
  const policies = nonEmptyList(value, TAG.sequence, (reader) => {
    const information = reader.enter(TAG.sequence);
    const policy = objectIdentifier(information.read());
    if (!information.done) {
      const qualifiers = readQualifiers(information.read(TAG.sequence).encoded);
      cpsUrls.push(...qualifiers.flatMap(({ url }) => url ?? []));
      hasUnknownQualifier ||= qualifiers.some(({ type }) => type !== CPS_QUALIFIER && type !== USER_NOTICE);
    }
    information.end();
    return policy;
  });
  if (new Set(policies).size !== policies.length) throw new PkiError('duplicate', 'duplicate policy');
  return { policies, cpsUrls, hasUnknownQualifier };
}

function readQualifiers(qualifiers: Uint8Array): { type: string; url: string | null }[] {
  return nonEmptyList(qualifiers, TAG.sequence, (reader: DerReader) => {
    const qualifier = reader.enter(TAG.sequence);
    const type = objectIdentifier(qualifier.read());
    const value = qualifier.read();
    qualifier.end();
    const url = type === CPS_QUALIFIER && value.tag === TAG.ia5String ? ia5Text(value) : '';
    return { type, url: isWebUrl(url) ? url : null };
  });
}

/** Throws PkiError if the value is no list of names; an empty list passes. */
export function checkIssuerAltName(value: Uint8Array): void {
  const reader = onlyElement(value, TAG.sequence).open();
  while (!reader.done) readGeneralName(reader, ADDRESS_LENGTHS);
}

/** Returns whether the Netscape certificate type allows a TLS server (bit 1). */
export function parseNetscapeCertType(value: Uint8Array): boolean {
  const { octets } = bitStringValue(onlyElement(value, TAG.bitString));
  return ((octets[0] ?? 0) & 0x40) !== 0;
}

/** Returns whether the text is safe to show as a link: http(s), printable ASCII, at most 2,048 characters. */
export function isWebUrl(text: string): boolean {
  return text.length <= 2048 && /^https?:\/\/[\x21-\x7e]+$/i.test(text);
}

/**
 * PolicyConstraints (RFC 5280 §4.2.1.11): numbers of certificates after which each constraint applies; null if absent.
 */
export interface PolicyConstraints {
  readonly requireExplicitPolicy: number | null;
  readonly inhibitPolicyMapping: number | null;
}

export function parsePolicyConstraints(value: Uint8Array): PolicyConstraints {
  const reader = onlyElement(value, TAG.sequence).open();
  if (reader.done) throw new PkiError('empty', 'empty policy constraints');
  const requireExplicit = reader.optional(contextTag(0, 'primitive'));
  const inhibitMapping = reader.optional(contextTag(1, 'primitive'));
  reader.end();
  return {
    requireExplicitPolicy: requireExplicit === null ? null : countValue(requireExplicit),
    inhibitPolicyMapping: inhibitMapping === null ? null : countValue(inhibitMapping),
  };
}

/** One entry of PolicyMappings (RFC 5280 §4.2.1.5). */
export interface PolicyMapping {
  readonly issuerDomain: string;
  readonly subjectDomain: string;
}

export function parsePolicyMappings(value: Uint8Array): PolicyMapping[] {
  return nonEmptyList(value, TAG.sequence, (reader) => {
    const mapping = reader.enter(TAG.sequence);
    const issuerDomain = objectIdentifier(mapping.read());
    const subjectDomain = objectIdentifier(mapping.read());
    mapping.end();
    return { issuerDomain, subjectDomain };
  });
}

/**
 * Returns the number of certificates after which anyPolicy is no longer allowed (InhibitAnyPolicy, RFC 5280 §4.2.1.14).
 */
export function parseInhibitAnyPolicy(value: Uint8Array): number {
  return countValue(onlyElement(value, TAG.integer));
}
