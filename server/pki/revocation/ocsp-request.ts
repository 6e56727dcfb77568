import type { Certificate } from '../certificate.ts';
import { TAG } from '../der/der.ts';
import { digest, keyHash } from './ocsp-certificate-id.ts';

/** AlgorithmIdentifier of SHA-1 with NULL, which every responder supports (RFC 5019 §2.1.1). */
const SHA1 = Buffer.from('300906052b0e03021a0500', 'hex');

/**
 * Returns the DER of an OCSPRequest for one certificate (RFC 6960 §4.1), without a nonce so that responders may use a
 * cache.
 */
export function ocspRequest({
  certificate,
  issuer,
}: {
  readonly certificate: Certificate;
  readonly issuer: Certificate;
}): Buffer {
  const id = element(
    TAG.sequence,
    SHA1,
    element(TAG.octetString, digest(certificate.issuer.der, 'sha1')),
    element(TAG.octetString, keyHash(issuer, 'sha1')),
    element(TAG.integer, Buffer.from(certificate.serialNumber, 'hex')),
  );
  const list = element(TAG.sequence, element(TAG.sequence, id));
  return element(TAG.sequence, element(TAG.sequence, list));
}

/** Encodes a DER element. Only an overlong serial number needs more than 127 bytes, thus a long-form length. */
function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), content]);
}
