import { contextTag, TAG } from './der/der.ts';
import { objectIdentifierText } from './der/der-values.ts';
import { pemBlocks, pemText } from './der/pem.ts';
import { PkiError } from './pki-error.ts';

const MAX_CERTIFICATES = 32;
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const END_OF_CONTENTS = 0x00;
/** Maximum number of elements in one list. It is far above real use and bounds the memory for a hostile list. */
const MAX_ELEMENTS = 16_384;
/** Maximum number of elements with indefinite lengths inside each other. A message with certificates has fewer than ten. */
const MAX_DEPTH = 32;

/** One element of BER (X.690 §8.1), which CMS allows beside DER: its length may be indefinite, or longer than needed. */
interface BerElement {
  tag: number;
  content: Uint8Array;
  encoded: Uint8Array;
}

/**
 * Returns the certificates of an AIA download (RFC 5280 §4.2.2.1) as unparsed DER. Accepts one DER certificate, a
 * certs-only CMS message (RFC 5652 §5.1), or PEM, which some CAs serve. Throws PkiError on other input.
 */
export function parseCertificateBundle(bytes: Uint8Array): Uint8Array[] {
  const found = bytes[0] === TAG.sequence ? certificatesOfDer(bytes) : pemCertificates(pemText(bytes));
  if (found.length === 0) throw new PkiError('empty', 'no certificate');
  if (found.length > MAX_CERTIFICATES) throw new PkiError('too_large', 'too many certificates');
  return found;
}

/**
 * Returns the certificates in PEM text as unparsed DER, in order, including all of a PKCS#7 block. Of a `TRUSTED CERTIFICATE` block
 * (OpenSSL) it returns the certificate without the trust data. Ignores other text. Throws PkiError on malformed PEM or PKCS#7.
 */
export function pemCertificates(text: string): Uint8Array[] {
  return pemBlocks(text, 'certificate').flatMap(({ label, der }) =>
    certificatesOfDer(der, { hasTrustData: label === 'TRUSTED CERTIFICATE' }),
  );
}

/**
 * Returns the certificates in DER data, unparsed: the data itself if it is one certificate, else those in a certs-only CMS message (RFC 5652
 * §5.1, PKCS#7). `hasTrustData`: removes OpenSSL's data after the certificate. Throws PkiError on malformed messages.
 */
function certificatesOfDer(
  bytes: Uint8Array,
  { hasTrustData = false }: { hasTrustData?: boolean } = {},
): Uint8Array[] {
  const [tag, length = 0] = bytes;
  // A message begins with its type, a certificate does not.
  if (tag !== TAG.sequence || bytes[2 + (length > 0x80 ? length & 0x7f : 0)] !== TAG.objectIdentifier)
    return [hasTrustData ? readElement(bytes, 0).encoded : bytes];
  const [whole, ...rest] = elements(bytes);
  if (rest.length > 0) throw new PkiError('der_trailing', 'extra bytes after the message');
  const [type, content] = elements(expectTag(whole, TAG.sequence).content);
  if (objectIdentifierText(expectTag(type, TAG.objectIdentifier).content) !== SIGNED_DATA)
    throw new PkiError('der_tag', 'not signed data');
  const [data] = elements(expectTag(content, contextTag(0, 'constructed')).content);
  const fields = elements(expectTag(data, TAG.sequence).content);
  // version, digestAlgorithms and encapContentInfo come first.
  const list = fields[3];
  if (list?.tag !== contextTag(0, 'constructed')) return [];
  // Skip the other choices of CertificateChoices (RFC 5652 §10.2.2), which have context tags.
  return elements(list.content).flatMap(({ tag, encoded }) => (tag === TAG.sequence ? [encoded] : []));
}

function expectTag(element: BerElement | undefined, tag: number): BerElement {
  if (element?.tag !== tag) throw new PkiError('der_tag', `expected tag ${tag.toString(16)}`);
  return element;
}

function elements(bytes: Uint8Array): BerElement[] {
  const found: BerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    if (found.length >= MAX_ELEMENTS) throw new PkiError('too_large', 'too many elements');
    const element = readElement(bytes, at);
    found.push(element);
    at += element.encoded.length;
  }
  return found;
}

function readElement(bytes: Uint8Array, start: number): BerElement {
  const { tag, contentStart, length } = readHeader(bytes, start);
  if (length !== null) {
    const end = contentStart + length;
    return { tag, content: bytes.subarray(contentStart, end), encoded: bytes.subarray(start, end) };
  }
  // Find the end-of-contents octets that close this element; elements inside may have their own.
  let depth = 1;
  let at = contentStart;
  while (depth > 0) {
    const inner = readHeader(bytes, at);
    if (inner.length === null) depth += 1;
    if (depth > MAX_DEPTH) throw new PkiError('too_large', 'too many nested elements');
    if (inner.tag === END_OF_CONTENTS) depth -= 1;
    at = inner.contentStart + (inner.length ?? 0);
  }
  return { tag, content: bytes.subarray(contentStart, at - 2), encoded: bytes.subarray(start, at) };
}

/** Reads a tag and a length; null is an indefinite length. Throws PkiError if the content is longer than the rest. */
function readHeader(
  bytes: Uint8Array,
  start: number,
): { tag: number; contentStart: number; length: number | null } {
  const [tag, first] = [bytes[start], bytes[start + 1]];
  if (tag === undefined || first === undefined) throw new PkiError('der_truncated', 'truncated element');
  if ((tag & 0x1f) === 0x1f) throw new PkiError('der_tag', 'multi-byte tag');
  if (first === 0x80) return { tag, contentStart: start + 2, length: null };
  const size = first > 0x80 ? first & 0x7f : 0;
  if (size > 4) throw new PkiError('der_length', 'oversized length');
  const contentStart = start + 2 + size;
  let length = size === 0 ? first : 0;
  for (const byte of bytes.subarray(start + 2, contentStart)) length = length * 256 + byte;
  if (contentStart + length > bytes.length) throw new PkiError('der_truncated', 'truncated content');
  return { tag, contentStart, length };
}
