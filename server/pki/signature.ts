import { constants, verify } from 'node:crypto';
import type { DerReader } from './der/der.ts';
import { contextTag, onlyElement, TAG } from './der/der.ts';
import { countValue, objectIdentifier } from './der/der-values.ts';
import type { PublicKey } from './public-key.ts';
import { KEY_ALGORITHMS, keyObjectOf } from './public-key.ts';

type Hash = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** A parsed AlgorithmIdentifier of a signature. */
export interface SignatureAlgorithm {
  /** Name such as `RSA-SHA256`, `RSA-PSS-SHA256`, `ECDSA-SHA384` or `ML-DSA-65`; otherwise the OID (dotted decimal). */
  readonly name: string;
  /** OID (dotted decimal). */
  readonly identifier: string;
  /** `key`: the algorithm of a key in `KEY_ALGORITHMS`, whose identifier is that of its signatures. */
  readonly scheme: 'rsa' | 'rsa-pss' | 'ecdsa' | 'key' | 'unknown';
  readonly hash: Hash | null;
  /** Salt length of RSA-PSS in bytes; 0 for other schemes. */
  readonly saltBytes: number;
  readonly der: Uint8Array;
}

interface HashedAlgorithm {
  scheme: 'rsa' | 'ecdsa';
  hash: Hash;
}
const HASHED: ReadonlyMap<string, HashedAlgorithm> = new Map<string, HashedAlgorithm>([
  ['1.2.840.113549.1.1.4', { scheme: 'rsa', hash: 'md5' }],
  ['1.2.840.113549.1.1.5', { scheme: 'rsa', hash: 'sha1' }],
  ['1.2.840.113549.1.1.14', { scheme: 'rsa', hash: 'sha224' }],
  ['1.2.840.113549.1.1.11', { scheme: 'rsa', hash: 'sha256' }],
  ['1.2.840.113549.1.1.12', { scheme: 'rsa', hash: 'sha384' }],
  ['1.2.840.113549.1.1.13', { scheme: 'rsa', hash: 'sha512' }],
  ['1.2.840.10045.4.1', { scheme: 'ecdsa', hash: 'sha1' }],
  ['1.2.840.10045.4.3.1', { scheme: 'ecdsa', hash: 'sha224' }],
  ['1.2.840.10045.4.3.2', { scheme: 'ecdsa', hash: 'sha256' }],
  ['1.2.840.10045.4.3.3', { scheme: 'ecdsa', hash: 'sha384' }],
  ['1.2.840.10045.4.3.4', { scheme: 'ecdsa', hash: 'sha512' }],
]);
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const HASHES: ReadonlyMap<string, Hash> = new Map<string, Hash>([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.4', 'sha224'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);
/**
 * Parses an AlgorithmIdentifier from its complete encoding. Returns scheme `unknown` for unknown algorithms and
 * unsupported parameters, so that the rest of the certificate can be shown. Throws PkiError on malformed DER.
 */
export function parseSignatureAlgorithm(der: Uint8Array): SignatureAlgorithm {
  const reader = onlyElement(der, TAG.sequence).open();
  const identifier = objectIdentifier(reader.read());
  const plain = { identifier, hash: null, saltBytes: 0, der };
  const unknown: SignatureAlgorithm = { ...plain, name: identifier, scheme: 'unknown' };
  if (identifier === RSA_PSS) {
    const parameters = pssParameters(reader.enter(TAG.sequence));
    reader.end();
    if (parameters === null) return unknown;
    return { ...plain, ...parameters, name: `RSA-PSS-${parameters.hash.toUpperCase()}`, scheme: 'rsa-pss' };
  }
  const hashed = HASHED.get(identifier);
  // RSA parameters must be NULL (RFC 4055 §5), but we accept absent ones too. All others must be absent (RFC 5758 §3.2,
  // RFC 8410 §3, RFC 9881 §2, RFC 9909 §3).
  if (hashed?.scheme === 'rsa' && reader.optional(TAG.null)?.content.length) return unknown;
  if (!reader.done) return unknown;
  if (hashed !== undefined)
    return { ...plain, ...hashed, name: `${hashed.scheme.toUpperCase()}-${hashed.hash.toUpperCase()}` };
  const name = KEY_ALGORITHMS.get(identifier)?.name;
  return name === undefined ? unknown : { ...plain, name, scheme: 'key' };
}

/**
 * Parses RSA-PSS parameters (RFC 4055 §3.1). Returns null if they are unsupported, for example if
 * hash and MGF1 hash differ.
 */
function pssParameters(reader: DerReader): { hash: Hash; saltBytes: number } | null {
  const hashField = reader.optional(contextTag(0, 'constructed'));
  const maskField = reader.optional(contextTag(1, 'constructed'));
  const saltField = reader.optional(contextTag(2, 'constructed'));
  const trailerField = reader.optional(contextTag(3, 'constructed'));
  reader.end();
  const hash = hashField === null ? 'sha1' : hashOf(hashField.content);
  let maskHash: Hash | null = 'sha1';
  if (maskField !== null) {
    const mask = onlyElement(maskField.content, TAG.sequence).open();
    if (objectIdentifier(mask.read()) !== MGF1) return null;
    maskHash = hashOf(mask.read().encoded);
    mask.end();
  }
  const saltBytes = saltField === null ? 20 : countValue(onlyElement(saltField.content, TAG.integer));
  const trailer = trailerField === null ? 1 : countValue(onlyElement(trailerField.content, TAG.integer));
  return hash === null || hash !== maskHash || trailer !== 1 || saltBytes > 512 ? null : { hash, saltBytes };
}

function hashOf(algorithmIdentifier: Uint8Array): Hash | null {
  const reader = onlyElement(algorithmIdentifier, TAG.sequence).open();
  const hash = HASHES.get(objectIdentifier(reader.read())) ?? null;
  reader.optional(TAG.null);
  reader.end();
  return hash;
}

/** Returns true for MD5, SHA-1 and SHA-224, which BR §7.1.3.2 does not permit. */
export function isWeakSignature({ hash }: SignatureAlgorithm): boolean {
  return hash === 'md5' || hash === 'sha1' || hash === 'sha224';
}

/** Returns true for MD5 and SHA-224. In CRLs and OCSP responses, OpenSSL, Chromium and Firefox accept SHA-1. */
export function isBrokenSignature(algorithm: SignatureAlgorithm): boolean {
  return isWeakSignature(algorithm) && algorithm.hash !== 'sha1';
}

/**
 * Result of checking a signature. `unverifiable`: we cannot tell who made it, because we or the OpenSSL of this Node do not know
 * its algorithm or the type of the key, or because we do not verify with such a weak key.
 */
export type SignatureCheck = 'valid' | 'invalid' | 'unverifiable';

/** Checks whether `key` made `signature` over `data`. Never throws. */
export function checkSignature(
  algorithm: SignatureAlgorithm,
  data: Uint8Array,
  signature: Uint8Array,
  key: PublicKey,
): SignatureCheck {
  if (algorithm.scheme === 'unknown' || key.type === 'other' || key.type === 'malformed')
    return 'unverifiable';
  // OpenSSL chooses the scheme by the key type, so require that the key matches the algorithm.
  if (!isOfAlgorithm(key, algorithm)) return 'invalid';
  // Large keys and exponents make verification slow. CVE-2020-0601: OpenSSL would load a key with explicit, attacker-chosen
  // curve parameters.
  if (key.bits > 8192 || !key.exponentIsSound || (key.type === 'ec' && key.curve === null))
    return 'unverifiable';
  const object = keyObjectOf(key);
  if (object === null) return 'unverifiable';
  const { hash, saltBytes: saltLength } = algorithm;
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const verifier = algorithm.scheme === 'rsa-pss' ? { key: object, padding, saltLength } : object;
  try {
    return verify(hash, data, verifier, signature) ? 'valid' : 'invalid';
  } catch {
    // OpenSSL throws if its security level or the key's parameters forbid the combination.
    return 'unverifiable';
  }
}

function isOfAlgorithm(key: PublicKey, { scheme, identifier }: SignatureAlgorithm): boolean {
  if (scheme === 'key') return key.algorithm === identifier;
  return key.type === (scheme === 'ecdsa' ? 'ec' : 'rsa');
}
