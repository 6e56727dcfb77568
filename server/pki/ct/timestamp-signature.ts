import { hash } from 'node:crypto';
import type { Certificate } from '../certificate.ts';
import { contextTag, onlyElement, TAG } from '../der/der.ts';
import { element, objectIdentifier } from '../der/der-values.ts';
import { EXTENSION } from '../der/object-identifiers.ts';
import type { PublicKey } from '../public-key.ts';
import { checkSignature, type SignatureAlgorithm, type SignatureCheck } from '../signature.ts';
import type { WorkBudget } from '../work-budget.ts';
import type { CertificateTimestamp } from './timestamp-list.ts';

/** How a server delivers an SCT (RFC 6962 §3.3). `staple`: in a stapled OCSP response. `tls`: in the TLS handshake. */
export type Delivery = 'certificate' | 'staple' | 'tls';

/** SCTs that came together, and what they are about. */
export interface DeliveredTimestamps {
  readonly timestamps: readonly CertificateTimestamp[];
  readonly delivery: Delivery;
  readonly certificate: Certificate;
  readonly issuer: Certificate;
}

/**
 * Verifies SCTs with the keys of their logs. `keyOf` returns null for an unknown log, whose SCTs are `unverifiable`, as are all
 * after `work` is exhausted. Caches nothing: a P-256 signature takes 73 µs.
 */
export function verifyTimestamps(
  { timestamps, delivery, certificate, issuer }: DeliveredTimestamps,
  keyOf: (logId: string) => PublicKey | null,
  work: WorkBudget,
): SignatureCheck[] {
  let entry: Uint8Array | null = null;
  return timestamps.map((timestamp) => {
    const key = keyOf(timestamp.logId);
    if (key === null || !work.spendVerification(key, certificate.der.length)) return 'unverifiable';
    entry ??= signedEntry(certificate, issuer, delivery);
    return checkTimestamp(timestamp, entry, key);
  });
}

/**
 * Returns the part of what a log signs that all SCTs of one delivery share (RFC 6962 §3.2): the precertificate for SCTs in the
 * certificate, and the certificate itself for the others.
 */
function signedEntry(certificate: Certificate, issuer: Certificate, delivery: Delivery): Uint8Array {
  if (delivery !== 'certificate')
    return Buffer.concat([number(X509_ENTRY, 2), number(certificate.der.length, 3), certificate.der]);
  const body = precertificateBody(certificate.signature.signed);
  const issuerKeyHash = hash('sha256', issuer.key.der, 'buffer');
  return Buffer.concat([number(PRECERT_ENTRY, 2), issuerKeyHash, number(body.length, 3), body]);
}

const X509_ENTRY = 0;
const PRECERT_ENTRY = 1;
const EXTENSIONS = contextTag(3, 'constructed');

/**
 * Removes the extension with the SCTs from a TBSCertificate (`body`, DER) and keeps all other bytes. A log signs this form before the CA
 * adds the SCTs (RFC 6962 §3.2).
 */
export function precertificateBody(body: Uint8Array): Uint8Array {
  const reader = onlyElement(body, TAG.sequence).open();
  const fields: Uint8Array[] = [];
  while (!reader.done) {
    const field = reader.read();
    if (field.tag === EXTENSIONS) fields.push(...withoutTimestamps(field.content));
    else fields.push(field.encoded);
  }
  return element(TAG.sequence, ...fields);
}

function withoutTimestamps(content: Uint8Array): Uint8Array[] {
  const list = onlyElement(content, TAG.sequence).open();
  const kept: Uint8Array[] = [];
  while (!list.done) {
    const extension = list.read(TAG.sequence);
    const identifier = objectIdentifier(extension.open().read());
    if (identifier !== EXTENSION.signedCertificateTimestamps) kept.push(extension.encoded);
  }
  // RFC 5280 §4.1.2.9 forbids an empty list of extensions.
  return kept.length === 0 ? [] : [element(EXTENSIONS, element(TAG.sequence, ...kept))];
}

const SHA256 = 4;
const NOTHING = new Uint8Array();
const ALGORITHMS: ReadonlyMap<number, SignatureAlgorithm> = new Map<number, SignatureAlgorithm>([
  [1, { name: 'RSA-SHA256', identifier: '', scheme: 'rsa', hash: 'sha256', pss: null, der: NOTHING }],
  [3, { name: 'ECDSA-SHA256', identifier: '', scheme: 'ecdsa', hash: 'sha256', pss: null, der: NOTHING }],
]);

/**
 * Checks whether the log with `key` signed the SCT for `entry` (from `signedEntry`). Never throws. Logs sign with SHA-256, and with
 * P-256 or RSA keys (RFC 6962 §2.1.4); any other signature is invalid.
 */
function checkTimestamp(timestamp: CertificateTimestamp, entry: Uint8Array, key: PublicKey): SignatureCheck {
  const algorithm = ALGORITHMS.get(timestamp.signatureAlgorithm);
  if (algorithm === undefined || timestamp.hashAlgorithm !== SHA256) return 'invalid';
  const { at, extensions, signature } = timestamp;
  // Version 1 and the signature type certificate_timestamp are both 0.
  const signed = [number(0, 2), number(at, 8), entry, number(extensions.length, 2), extensions];
  return checkSignature(algorithm, Buffer.concat(signed), signature, key);
}

/** Encodes a number in big-endian order. */
function number(value: number, bytes: number): Buffer {
  const encoded = Buffer.alloc(bytes);
  for (let index = bytes - 1, rest = value; index >= 0; index--, rest = Math.floor(rest / 256))
    encoded[index] = rest % 256;
  return encoded;
}
