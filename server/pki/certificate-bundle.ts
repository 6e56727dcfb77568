import { contextTag, onlyElement, TAG } from './der/der.ts';
import { objectIdentifier } from './der/der-values.ts';
import { pemText, splitPem } from './der/pem.ts';
import { PkiError } from './pki-error.ts';

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const MAX_CERTIFICATES = 32;

/**
 * Returns the certificates of an AIA download (RFC 5280 §4.2.2.1) as unparsed DER. Accepts one DER certificate, a
 * certs-only CMS message (RFC 5652 §5.1), or PEM, which some CAs serve. Throws PkiError on other input.
 */
export function parseCertificateBundle(bytes: Uint8Array): Uint8Array[] {
  const found = bytes[0] === TAG.sequence ? certificatesOfDer(bytes) : splitPem(pemText(bytes));
  if (found.length === 0) throw new PkiError('empty', 'no certificate');
  if (found.length > MAX_CERTIFICATES) throw new PkiError('too_large', 'too many certificates');
  return found;
}

function certificatesOfDer(bytes: Uint8Array): Uint8Array[] {
  const message = onlyElement(bytes, TAG.sequence).open();
  const first = message.read();
  if (first.tag !== TAG.objectIdentifier) return [bytes];
  if (objectIdentifier(first) !== SIGNED_DATA) throw new PkiError('der_tag', 'not signed data');
  const content = message.read(contextTag(0, 'constructed'));
  message.end();
  const data = onlyElement(content.content, TAG.sequence).open();
  data.read(TAG.integer);
  data.read(TAG.set);
  data.read(TAG.sequence);
  const list = data.optional(contextTag(0, 'constructed'))?.open();
  if (list === undefined) return [];
  const found: Uint8Array[] = [];
  // Skip the other choices of CertificateChoices (RFC 5652 §10.2.2), which have context tags.
  while (!list.done) {
    const element = list.read();
    if (element.tag === TAG.sequence) found.push(element.encoded);
  }
  return found;
}
