import { constants, verify } from 'node:crypto';
import { onlyElement, TAG } from './der/der.ts';
import { objectIdentifier } from './der/der-values.ts';
import { type Hash, parsePssParameters, type PssParameters } from './pss-parameters.ts';
import { KEY_ALGORITHMS, keyObjectFor, keyObjectOf, type PublicKey, RSA_PSS } from './public-key.ts';

/** A parsed AlgorithmIdentifier of a signature. */
export interface SignatureAlgorithm {
  /** Name such as `RSA-SHA256`, `RSA-PSS-SHA256`, `ECDSA-SHA384` or `ML-DSA-65`; otherwise the OID (dotted decimal). */
  readonly name: string;
  /** OID (dotted decimal). */
  readonly identifier: string;
  /** `key`: one of `KEY_ALGORITHMS`, whose OID names both the keys and the signatures. */
  readonly scheme: 'rsa' | 'rsa-pss' | 'ecdsa' | 'key' | 'unknown';
  readonly hash: Hash | null;
  /** Null for schemes other than RSA-PSS. */
  readonly pss: PssParameters | null;
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

/**
 * Parses an AlgorithmIdentifier from its complete encoding. Returns scheme `unknown` for unknown algorithms and
 * unsupported parameters, so that the rest of the certificate can be shown. Throws PkiError on malformed DER.
 */
export function parseSignatureAlgorithm(der: Uint8Array): SignatureAlgorithm {
  const reader = onlyElement(der, TAG.sequence).open();
  const identifier = objectIdentifier(reader.read());
  const plain = { identifier, hash: null, pss: null, der };
  const unknown: SignatureAlgorithm = { ...plain, name: identifier, scheme: 'unknown' };
  if (identifier === RSA_PSS) {
    const pss = parsePssParameters(reader.enter(TAG.sequence));
    reader.end();
    if (pss === null) return unknown;
    const { hash } = pss;
    return { ...plain, pss, hash, name: `RSA-PSS-${hash.toUpperCase()}`, scheme: 'rsa-pss' };
  }
  const hashed = HASHED.get(identifier);
  // RSA parameters must be NULL (RFC 4055 §5), but we accept a missing NULL. Other algorithms must have no parameters (RFC 5758 §3.2, RFC 8410
  // §3, RFC 9881 §2, RFC 9909 §3).
  if (hashed?.scheme === 'rsa' && reader.optional(TAG.null)?.content.length) return unknown;
  if (!reader.done) return unknown;
  if (hashed !== undefined)
    return { ...plain, ...hashed, name: `${hashed.scheme.toUpperCase()}-${hashed.hash.toUpperCase()}` };
  const name = KEY_ALGORITHMS.get(identifier)?.name;
  return name === undefined ? unknown : { ...plain, name, scheme: 'key' };
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
 * Result of checking a signature. `unverifiable`: we cannot tell who made it, because we or the OpenSSL of this Node do not know its algorithm or
 * the type of the key, or because the key is too weak for us to verify with.
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
  if (!isKeyFor(key, algorithm)) return 'invalid';
  // Large keys and exponents make verification slow. CVE-2020-0601: OpenSSL would load a key with explicit, attacker-chosen
  // curve parameters.
  if (key.bits > 8192 || !key.exponentIsSound || (key.type === 'ec' && key.curve === null))
    return 'unverifiable';
  const { hash, pss } = algorithm;
  // OpenSSL takes the hash of MGF1 from the parameters of the key alone.
  const object =
    pss === null || pss.maskHash === pss.hash ? keyObjectOf(key) : keyObjectFor(key, algorithm.der);
  if (object === null) return 'unverifiable';
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const verifier = pss === null ? object : { key: object, padding, saltLength: pss.saltBytes };
  try {
    return verify(hash, data, verifier, signature) ? 'valid' : 'invalid';
  } catch {
    // OpenSSL throws if its security level or the key's parameters forbid the combination.
    return 'unverifiable';
  }
}

/** Returns whether the type and the restrictions of a key allow signatures of the algorithm. */
export function isKeyFor(key: PublicKey, { scheme, identifier, pss }: SignatureAlgorithm): boolean {
  if (scheme === 'key') return key.algorithm === identifier;
  if (key.type !== (scheme === 'ecdsa' ? 'ec' : 'rsa')) return false;
  if (pss === null) return key.algorithm !== RSA_PSS;
  return pss.trailer === 1 && (key.pss === null || isWithin(pss, key.pss));
}

/** Returns whether a key with these restrictions may have made a signature (RFC 4055 §3.3). */
function isWithin(made: PssParameters, allowed: PssParameters): boolean {
  return (
    made.hash === allowed.hash && made.maskHash === allowed.maskHash && made.saltBytes >= allowed.saltBytes
  );
}
