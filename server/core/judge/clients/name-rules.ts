import { getPublicSuffix } from 'tldts';
import type { Certificate } from '../../../pki/certificate.ts';
import { EXTENSION } from '../../../pki/der/object-identifiers.ts';
import type { DistinguishedName } from '../../../pki/names/distinguished-name.ts';
import { matchesReference, type ReferenceIdentifier } from '../../../pki/names/reference-identifier.ts';
import { type ClientRule, FIX_AUTHORITY, type PathLink } from './client-rule.ts';

/** Tags of the string types of a name (X.680 §8.4). */
const NUMERIC_STRING = 0x12;
const PRINTABLE_STRING = 0x13;
const IA5_STRING = 0x16;
const UTF8_STRING = 0x0c;
const T61_STRING = 0x14;
const BMP_STRING = 0x1e;
/** The types of strings that Go reads. */
const READ_BY_GO = new Set([
  UTF8_STRING,
  NUMERIC_STRING,
  PRINTABLE_STRING,
  T61_STRING,
  IA5_STRING,
  BMP_STRING,
]);
/** What X.680 §41.4 allows in a PrintableString, and what the parser of Go allows beyond that. */
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?*&]*$/;

/** Returns the subject of the certificate and, for the last link, the name of the root. */
const namesOf = ({ certificate, issuer }: Pick<PathLink, 'certificate' | 'issuer'>): DistinguishedName[] =>
  issuer.selfIssued ? [certificate.subject, certificate.issuer] : [certificate.subject];

/** Returns whether one of the names has a string with this ASN.1 tag for which `isOdd` returns true. */
function hasString(
  { certificate, issuer }: PathLink,
  tag: number,
  isOdd: (text: string) => boolean,
): boolean {
  return namesOf({ certificate, issuer }).some(({ relativeNames }) =>
    relativeNames
      .flat()
      .some((attribute) => attribute.tag === tag && attribute.text !== null && isOdd(attribute.text)),
  );
}

/** Returns whether two names have the same texts, whatever the types of their strings. */
function isSpelledAlike(left: DistinguishedName, right: DistinguishedName): boolean {
  const texts = ({ relativeNames }: DistinguishedName) =>
    JSON.stringify(relativeNames.map((attributes) => attributes.map(({ type, text }) => [type, text])));
  return texts(left) === texts(right);
}

const isEncodedAlike = ({ certificate, issuer }: PathLink): boolean =>
  Buffer.compare(certificate.issuer.der, issuer.subject.der) === 0;

/** Returns whether a URI has a host that Go finds malformed: with a space, an invalid escape, or an empty label. */
function isOddUri(uri: string): boolean {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#:]*)/i.exec(uri)?.[1] ?? '';
  return /[^!-~]|%(?![0-9a-f]{2})|\.\.|^\.|\.$/i.test(host);
}

const IN_UTF_8 = 'Have the certificate reissued with names in UTF-8.';

/** Rules about the names of a certificate and of its issuer. */
export const NAME_RULES = [
  {
    code: 'odd_printable_string',
    why: 'a PrintableString in its names has a character that this type does not allow',
    fix: IN_UTF_8,
    clients: ['chromium', 'go'],
    source: 'measured; X.680 §41.4',
    applies: (link) => hasString(link, PRINTABLE_STRING, (text) => !PRINTABLE.test(text)),
    stopsParsing: true,
  },
  {
    code: 'numeric_string',
    why: 'a name in it is a NumericString',
    fix: IN_UTF_8,
    clients: ['chromium'],
    source: 'measured',
    applies: (link) => hasString(link, NUMERIC_STRING, () => true),
  },
  {
    code: 'odd_numeric_string',
    why: 'a NumericString in its names has a character other than a digit',
    fix: IN_UTF_8,
    clients: ['go'],
    source: 'measured; X.680 §41.2',
    applies: (link) => hasString(link, NUMERIC_STRING, (text) => /[^0-9 ]/.test(text)),
    stopsParsing: true,
  },
  {
    code: 'odd_uri',
    why: 'a URI among its names has a malformed host',
    clients: ['go'],
    source: 'measured; parseSANExtension in Go',
    applies: ({ certificate: { subjectAltNames } }) => subjectAltNames.uris.some(isOddUri),
    stopsParsing: true,
  },
  {
    code: 'ampersand_in_name',
    why: 'a PrintableString in its names has the character “&”',
    fix: IN_UTF_8,
    clients: ['chromium'],
    source: 'measured; X.680 §41.4',
    applies: (link) =>
      hasString(link, PRINTABLE_STRING, (text) => PRINTABLE.test(text) && text.includes('&')),
  },
  {
    code: 'odd_ia5_string',
    why: 'an IA5String in its names has a character outside ASCII',
    fix: IN_UTF_8,
    clients: ['chromium', 'go'],
    source: 'measured',
    applies: (link) => hasString(link, IA5_STRING, (text) => /[^\0-\x7f]/.test(text)),
    stopsParsing: true,
  },
  {
    code: 'rare_name_type',
    why: 'a value in its names has a type that they do not read',
    fix: IN_UTF_8,
    clients: ['go'],
    source: 'measured; parseASN1String in Go',
    applies: (link) =>
      namesOf(link).some((name) => name.relativeNames.flat().some(({ tag }) => !READ_BY_GO.has(tag))),
    stopsParsing: true,
  },
  {
    code: 'name_spelled_differently',
    why: 'the name of its issuer is spelled differently than in the issuer’s certificate',
    fix: FIX_AUTHORITY,
    clients: ['firefox', 'go', 'gnutls'],
    source: 'measured; RFC 5280 §7.1 allows it',
    applies: (link) => !isEncodedAlike(link) && !isSpelledAlike(link.certificate.issuer, link.issuer.subject),
  },
  {
    code: 'name_encoded_differently',
    why: 'the name of its issuer is encoded differently than in the issuer’s certificate',
    fix: FIX_AUTHORITY,
    clients: ['firefox', 'go'],
    source: 'measured; RFC 5280 §7.1 allows it',
    applies: (link) => !isEncodedAlike(link) && isSpelledAlike(link.certificate.issuer, link.issuer.subject),
  },
  {
    code: 'empty_subject',
    why: 'its subject is empty, and its subject alternative name is not critical',
    clients: ['chromium', 'java'],
    source: 'measured; RFC 5280 §4.1.2.6',
    applies: ({ certificate: { subject, extensions }, isLeaf }) =>
      isLeaf && subject.isEmpty && extensions.get(EXTENSION.subjectAltName)?.critical !== true,
  },
  {
    code: 'empty_issuer_name',
    why: 'the name of its issuer is empty',
    fix: FIX_AUTHORITY,
    clients: ['firefox', 'java'],
    source: 'measured; RFC 5280 §4.1.2.4',
    applies: ({ certificate: { issuer } }) => issuer.isEmpty,
  },
  {
    code: 'empty_dns_name',
    why: 'one of its host names is empty',
    clients: ['gnutls'],
    source: 'measured',
    applies: ({ certificate: { subjectAltNames }, isLeaf }) =>
      isLeaf && subjectAltNames.dnsNames.includes(''),
  },
  {
    code: 'rare_alternative_name',
    why: 'one of its alternative names is empty or of a rare form',
    fix: 'Have the certificate reissued with host names and addresses only.',
    clients: ['gnutls'],
    source: 'measured',
    applies: ({ certificate: { subjectAltNames }, isLeaf }) =>
      isLeaf &&
      (subjectAltNames.unsupportedForms.some((form) => form === 'x400Address' || form === 'ediPartyName') ||
        subjectAltNames.emailAddresses.includes('') ||
        subjectAltNames.uris.includes('')),
  },
  {
    code: 'rare_alternative_name',
    clients: ['java'],
    source: 'measured',
    applies: ({ certificate: { subjectAltNames }, isLeaf }) =>
      isLeaf && subjectAltNames.unsupportedForms.includes('ediPartyName'),
  },
] as const satisfies readonly ClientRule<PathLink>[];

/** A leaf, and the host that it is to cover. */
interface Covering {
  certificate: Certificate;
  reference: ReferenceIdentifier;
  /** Whether the root of its path is one of a public root program. */
  isPublic: boolean;
}

/** Returns whether the certificate covers the host only for clients that ignore a dot at the end of a dNSName. */
export function coversWithTrailingDot({
  certificate,
  reference,
}: Pick<Covering, 'certificate' | 'reference'>): boolean {
  const { subjectAltNames } = certificate;
  if (!subjectAltNames.dnsNames.some((name) => name.endsWith('.'))) return false;
  const dnsNames = subjectAltNames.dnsNames.map((name) => name.replace(/\.$/, ''));
  return (
    !matchesReference(certificate, reference) &&
    matchesReference({ ...certificate, subjectAltNames: { ...subjectAltNames, dnsNames } }, reference)
  );
}

/** Rules about the names in a leaf and the name of the host: clients refuse some names that cover the host. */
export const HOST_RULES = [
  {
    code: 'trailing_dot',
    why: 'its name for this host ends with a dot',
    fix: 'Have the certificate reissued for the name without a dot at its end.',
    clients: ['firefox', 'go', 'java', 'gnutls'],
    source: 'measured; RFC 9525 §2',
    applies: coversWithTrailingDot,
  },
  {
    code: 'underscore',
    why: 'the host’s name has an underscore',
    fix: 'Use a name of letters, digits and hyphens for this host.',
    clients: ['java'],
    source: 'measured; RFC 1123 §2.1 allows no underscore in host names',
    applies: ({ reference }) => reference.kind === 'dns' && reference.name.includes('_'),
  },
  {
    code: 'hyphen_at_end',
    why: 'a part of the host’s name begins or ends with a hyphen',
    fix: 'Use a name whose parts begin and end with a letter or a digit.',
    clients: ['java'],
    source: 'measured; RFC 1123 §2.1 allows no hyphen at either end of a label',
    applies: ({ reference }) => hasHyphenAtEnd(reference),
  },
  {
    code: 'hyphen_at_end',
    clients: ['firefox'],
    source: 'measured: it ignores such names in certificates, but not wildcards that cover them',
    applies: ({ certificate, reference }) =>
      hasHyphenAtEnd(reference) && !isCoveredBy(certificate, reference, isWildcard),
  },
  {
    code: 'public_suffix_wildcard',
    why: 'it covers this host only by a wildcard for all names of a registry, such as *.co.uk',
    fix: 'Have the certificate reissued for the host’s own name.',
    clients: ['chromium', 'apple'],
    source:
      'measured for Chromium (X509Certificate::VerifyHostname); SecDNSMatch in Apple’s Security framework',
    applies: isBelowSuffixOnly,
  },
  {
    code: 'public_suffix_wildcard',
    clients: ['java'],
    source: 'hasIllegalWildcard in Java’s HostnameChecker: only below the roots that Java ships',
    applies: (covering) => covering.isPublic && isBelowSuffixOnly(covering),
  },
] as const satisfies readonly ClientRule<Covering>[];

/**
 * Returns whether the certificate covers the host only by a wildcard directly below a public suffix, such as `*.co.uk`. Clients use only
 * the part of the list for suffixes of registries (ICANN), not the private one with `github.io`.
 */
function isBelowSuffixOnly({ certificate, reference }: Covering): boolean {
  if (reference.kind !== 'dns') return false;
  const parent = reference.name.slice(reference.name.indexOf('.') + 1);
  const isCovering = (name: string): boolean => name.toLowerCase().replace(/\.$/, '') === `*.${parent}`;
  return (
    certificate.subjectAltNames.dnsNames.some(isCovering) &&
    !isCoveredBy(certificate, reference, (name) => !isWildcard(name)) &&
    getPublicSuffix(reference.name, { allowPrivateDomains: false }) === parent
  );
}

const isWildcard = (name: string): boolean => name.startsWith('*.');

/** Returns whether one of the names that `isCounted` accepts covers the host. */
function isCoveredBy(
  certificate: Certificate,
  reference: ReferenceIdentifier,
  isCounted: (name: string) => boolean,
): boolean {
  const { subjectAltNames } = certificate;
  const dnsNames = subjectAltNames.dnsNames.filter(isCounted);
  return matchesReference({ ...certificate, subjectAltNames: { ...subjectAltNames, dnsNames } }, reference);
}

function hasHyphenAtEnd(reference: ReferenceIdentifier): boolean {
  return reference.kind === 'dns' && /(?:^|\.)-|-(?:\.|$)/.test(reference.name);
}
