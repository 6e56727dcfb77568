import {
  type Certificate,
  type DistinguishedName,
  EXTENSION,
  matchesReference,
  type ReferenceIdentifier,
} from '../../../pki/index.ts';
import type { Link } from './certificate-rules.ts';
import type { ClientRule } from './client-rule.ts';

/** Tags of the string types of a name (X.680 §8.4). */
const NUMERIC_STRING = 0x12;
const PRINTABLE_STRING = 0x13;
const IA5_STRING = 0x16;
const UNIVERSAL_STRING = 0x1c;
/** What X.680 §41.4 allows in a PrintableString, and what the parser of Go allows beyond that. */
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?*&]*$/;

/** Returns whether the subject has an odd string of a type, or, for the last link, the name of the root. */
function hasString({ certificate, issuer }: Link, tag: number, isOdd: (text: string) => boolean): boolean {
  const names = issuer.selfIssued ? [certificate.subject, certificate.issuer] : [certificate.subject];
  return names.some(({ relativeNames }) =>
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

const isEncodedAlike = ({ certificate, issuer }: Link): boolean =>
  Buffer.compare(certificate.issuer.der, issuer.subject.der) === 0;

/** Returns whether a URI has a host that Go finds malformed: with a space, an escape that is none, or an empty label. */
function isOddUri(uri: string): boolean {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#:]*)/i.exec(uri)?.[1] ?? '';
  return /[^!-~]|%(?![0-9a-f]{2})|\.\.|^\.|\.$/i.test(host);
}

/** Rules about the names of a certificate and of its issuer. */
export const NAME_RULES: readonly ClientRule<Link>[] = [
  {
    code: 'odd_printable_string',
    clients: ['chromium', 'go'],
    source: 'measured; X.680 §41.4',
    applies: (link) => hasString(link, PRINTABLE_STRING, (text) => !PRINTABLE.test(text)),
  },
  {
    code: 'numeric_string',
    clients: ['chromium'],
    source: 'measured',
    applies: (link) => hasString(link, NUMERIC_STRING, () => true),
  },
  {
    code: 'odd_numeric_string',
    clients: ['go'],
    source: 'measured; X.680 §41.2',
    applies: (link) => hasString(link, NUMERIC_STRING, (text) => /[^0-9 ]/.test(text)),
  },
  {
    code: 'odd_uri',
    clients: ['go'],
    source: 'measured; parseSANExtension in Go',
    applies: ({ certificate: { subjectAltNames } }) => subjectAltNames.uris.some(isOddUri),
  },
  {
    code: 'ampersand_in_name',
    clients: ['chromium'],
    source: 'measured; X.680 §41.4',
    applies: (link) =>
      hasString(link, PRINTABLE_STRING, (text) => PRINTABLE.test(text) && text.includes('&')),
  },
  {
    code: 'odd_ia5_string',
    clients: ['chromium', 'go'],
    source: 'measured',
    applies: (link) => hasString(link, IA5_STRING, (text) => /[^\0-\x7f]/.test(text)),
  },
  {
    code: 'universal_string',
    clients: ['go'],
    source: 'measured',
    applies: (link) => hasString(link, UNIVERSAL_STRING, () => true),
  },
  {
    code: 'name_spelled_differently',
    clients: ['firefox', 'go', 'gnutls'],
    source: 'measured; RFC 5280 §7.1 allows it',
    applies: (link) => !isEncodedAlike(link) && !isSpelledAlike(link.certificate.issuer, link.issuer.subject),
  },
  {
    code: 'name_encoded_differently',
    clients: ['firefox', 'go'],
    source: 'measured; RFC 5280 §7.1 allows it',
    applies: (link) => !isEncodedAlike(link) && isSpelledAlike(link.certificate.issuer, link.issuer.subject),
  },
  {
    code: 'empty_subject',
    clients: ['chromium', 'java'],
    source: 'measured; RFC 5280 §4.1.2.6',
    applies: ({ certificate: { subject, extensions }, isLeaf }) =>
      isLeaf && subject.isEmpty && extensions.get(EXTENSION.subjectAltName)?.critical !== true,
  },
  {
    code: 'empty_issuer_name',
    clients: ['firefox', 'java'],
    source: 'measured; RFC 5280 §4.1.2.4',
    applies: ({ certificate: { issuer } }) => issuer.isEmpty,
  },
  {
    code: 'empty_dns_name',
    clients: ['gnutls'],
    source: 'measured',
    applies: ({ certificate: { subjectAltNames }, isLeaf }) =>
      isLeaf && subjectAltNames.dnsNames.includes(''),
  },
];

/** A leaf, and the host that it is to cover. */
interface Covering {
  certificate: Certificate;
  reference: ReferenceIdentifier;
}

/** Returns whether the certificate covers the host only for clients that ignore a dot at the end of a dNSName. */
export function coversWithTrailingDot({ certificate, reference }: Covering): boolean {
  const { subjectAltNames } = certificate;
  if (!subjectAltNames.dnsNames.some((name) => name.endsWith('.'))) return false;
  const dnsNames = subjectAltNames.dnsNames.map((name) => name.replace(/\.$/, ''));
  return (
    !matchesReference(certificate, reference) &&
    matchesReference({ ...certificate, subjectAltNames: { ...subjectAltNames, dnsNames } }, reference)
  );
}

/** Rules about the host. */
export const HOST_RULES: readonly ClientRule<Covering>[] = [
  {
    code: 'trailing_dot',
    clients: ['firefox', 'go', 'java', 'gnutls'],
    source: 'measured; RFC 9525 §2',
    applies: coversWithTrailingDot,
  },
  {
    code: 'underscore',
    clients: ['java'],
    source: 'measured; RFC 1123 §2.1 allows no underscore in host names',
    applies: ({ reference }) => reference.kind === 'dns' && reference.name.includes('_'),
  },
];
