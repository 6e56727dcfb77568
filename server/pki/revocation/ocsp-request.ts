import type { Certificate } from '../certificate.ts';
import { type DerReader, onlyElement, TAG } from '../der/der.ts';
import { hash } from 'node:crypto';
import {
  bitStringValue,
  element,
  equalBytes,
  integerContent,
  objectIdentifier,
  toHex,
} from '../der/der-values.ts';

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

/** CertID (RFC 6960 §4.1.1): a serial number, and hashes of the issuer's name and key. */
export interface OcspCertificateId {
  /** Algorithm of the two hashes; null if it is unsupported. */
  readonly hash: IdHash | null;
  readonly issuerNameHash: Uint8Array;
  readonly issuerKeyHash: Uint8Array;
  /** Serial number in hex, as in `Certificate`. */
  readonly serialNumber: string;
}

type IdHash = 'sha1' | 'sha256' | 'sha384' | 'sha512';
const HASHES: ReadonlyMap<string, IdHash> = new Map([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** Reads the next CertID. Throws PkiError on malformed input. */
export function readCertificateId(reader: DerReader): OcspCertificateId {
  const id = reader.enter(TAG.sequence);
  const algorithm = objectIdentifier(id.enter(TAG.sequence).read());
  const issuerNameHash = id.read(TAG.octetString).content;
  const issuerKeyHash = id.read(TAG.octetString).content;
  const serialNumber = toHex(integerContent(id.read(TAG.integer)));
  id.end();
  return { hash: HASHES.get(algorithm) ?? null, issuerNameHash, issuerKeyHash, serialNumber };
}

/** Returns whether the id identifies this certificate. Returns false for an unsupported hash algorithm. */
export function matchesCertificateId(
  id: OcspCertificateId,
  certificate: Certificate,
  issuer: Certificate,
): boolean {
  if (id.hash === null || id.serialNumber !== certificate.serialNumber) return false;
  const names = [certificate.issuer.der, issuer.subject.der];
  return (
    equalBytes(id.issuerKeyHash, keyHash(issuer, id.hash)) &&
    names.some((name) => equalBytes(id.issuerNameHash, digest(name, id.hash ?? 'sha1')))
  );
}

/** Returns the hash of the public key bits without tag, length and count of unused bits (RFC 6960 §4.1.1). */
export function keyHash({ key }: Certificate, algorithm: IdHash): Uint8Array {
  const info = onlyElement(key.der, TAG.sequence).open();
  info.read(TAG.sequence);
  return digest(bitStringValue(info.read(TAG.bitString)).octets, algorithm);
}

function digest(bytes: Uint8Array, algorithm: IdHash): Uint8Array {
  return hash(algorithm, bytes, 'buffer');
}
