import { TAG } from './der/der.ts';
import { pemText, splitPem } from './der/pem.ts';
import { PkiError } from './pki-error.ts';
import { certificatesOfDer } from './signed-data.ts';

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
