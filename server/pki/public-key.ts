import { createPublicKey, type KeyObject } from 'node:crypto';
import { type DerReader, onlyElement, TAG } from './der/der.ts';
import {
  bitStringValue,
  element,
  integerContent,
  objectIdentifier,
  objectIdentifierText,
} from './der/der-values.ts';
import { CURVES } from './der/object-identifiers.ts';
import { PkiError } from './pki-error.ts';
import { parsePssParameters, type PssParameters } from './pss-parameters.ts';

/**
 * An algorithm with one OID for both keys and signatures, and without parameters (RFC 8410 §3, RFC 9881 §2, RFC 9909 §3).
 */
export interface KeyAlgorithm {
  readonly type: 'ed25519' | 'ed448' | 'ml-dsa' | 'slh-dsa';
  /** Display name, for example `ML-DSA-65`. */
  readonly name: string;
  /** Size of the curve in bits; 0 for ML-DSA and SLH-DSA, whose names say their strength. */
  readonly bits: number;
  /** Size of a public key. Keys of another size are malformed. */
  readonly keyBytes: number;
  /** Work units per verification, with the time to load the key, measured with OpenSSL 3.5. */
  readonly verificationWork: number;
}

/** Size of a public key by parameter set. The order is that of the identifiers, first with SHA2, then with SHAKE. */
const SLH_DSA_KEY_BYTES = { '128s': 32, '128f': 32, '192s': 48, '192f': 48, '256s': 64, '256f': 64 };
const FIRST_SLH_DSA = 20;

/** The algorithms by OID (dotted decimal). */
export const KEY_ALGORITHMS: ReadonlyMap<string, KeyAlgorithm> = new Map<string, KeyAlgorithm>([
  ['1.3.101.112', { type: 'ed25519', name: 'Ed25519', bits: 256, keyBytes: 32, verificationWork: 1_500 }],
  ['1.3.101.113', { type: 'ed448', name: 'Ed448', bits: 456, keyBytes: 57, verificationWork: 2_300 }],
  ['2.16.840.1.101.3.4.3.17', mlDsa(44, 1_312, 1_200)],
  ['2.16.840.1.101.3.4.3.18', mlDsa(65, 1_952, 2_300)],
  ['2.16.840.1.101.3.4.3.19', mlDsa(87, 2_592, 3_500)],
  ...[slhDsa('SHA2', 16_000), slhDsa('SHAKE', 40_000)]
    .flat()
    .map((set, index) => [`2.16.840.1.101.3.4.3.${FIRST_SLH_DSA + index}`, set] as const),
]);

function mlDsa(set: 44 | 65 | 87, keyBytes: number, verificationWork: number): KeyAlgorithm {
  return { type: 'ml-dsa', name: `ML-DSA-${set}`, bits: 0, keyBytes, verificationWork };
}

function slhDsa(hash: 'SHA2' | 'SHAKE', verificationWork: number): KeyAlgorithm[] {
  return Object.entries(SLH_DSA_KEY_BYTES).map(([size, keyBytes]) => ({
    type: 'slh-dsa',
    name: `SLH-DSA-${hash}-${size}`,
    bits: 0,
    keyBytes,
    verificationWork,
  }));
}

/** Properties of a subject public key, parsed without loading it into OpenSSL. */
export interface PublicKey {
  /** Key type. `malformed`: a key of a known algorithm that cannot be parsed. `other`: a key of an unknown algorithm. */
  readonly type: 'rsa' | 'ec' | 'dsa' | KeyAlgorithm['type'] | 'malformed' | 'other';
  /** Size of the RSA modulus or of the curve in bits; 0 if unknown, and for keys that have neither. */
  readonly bits: number;
  /**
   * Name of the curve such as `P-256`, or its OID (dotted decimal); null for explicit parameters and
   * for types other than `ec`.
   */
  readonly curve: string | null;
  /** OID (dotted decimal) of the key algorithm. It distinguishes rsaEncryption from id-RSASSA-PSS. */
  readonly algorithm: string;
  /** False if the RSA public exponent is even, 1, or longer than 33 octets. True for keys other than RSA. */
  readonly exponentIsSound: boolean;
  /**
   * Size of the RSA public exponent in bits, which is the number of squarings per verification;
   * 0 for keys other than RSA.
   */
  readonly exponentBits: number;
  /** False if the NULL that RFC 3279 §2.3.1 requires beside rsaEncryption is absent. True for other keys. */
  readonly hasNull: boolean;
  /** Whether the point is written as one coordinate (SEC 1 §2.3.3), which RFC 5480 §2.2 allows. False for other keys. */
  readonly isCompressed: boolean;
  /** Restriction on the signatures of an RSA-PSS key (RFC 4055 §3.3); null without a restriction, and for other keys. */
  readonly pss: PssParameters | null;
  /** The key itself, the content of subjectPublicKey. */
  readonly octets: Uint8Array;
  /** DER of SubjectPublicKeyInfo. */
  readonly der: Uint8Array;
}

export const RSA_ENCRYPTION = '1.2.840.113549.1.1.1';
export const RSA_PSS = '1.2.840.113549.1.1.10';
const EC = '1.2.840.10045.2.1';
const DSA = '1.2.840.10040.4.1';

/**
 * Parses SubjectPublicKeyInfo (RFC 5280 §4.1.2.7; algorithms of RFC 3279, 4055, 5480, 8410, 9881, 9909). Throws PkiError on
 * malformed input.
 */
export function parsePublicKey(der: Uint8Array): PublicKey {
  const info = onlyElement(der, TAG.sequence).open();
  const identifier = info.enter(TAG.sequence);
  const algorithm = objectIdentifier(identifier.read());
  const key = bitStringValue(info.read(TAG.bitString));
  info.end();
  const hasNull = algorithm !== RSA_ENCRYPTION || identifier.nextTag === TAG.null;
  const none = {
    curve: null,
    bits: 0,
    exponentIsSound: true,
    exponentBits: 0,
    isCompressed: false,
    pss: null,
  };
  const known = { ...none, algorithm, der, hasNull, octets: key.octets };
  switch (algorithm) {
    case RSA_ENCRYPTION:
      return rsaKey(known);
    case RSA_PSS:
      return pssKey(known, identifier);
    case EC:
      return {
        ...known,
        type: 'ec',
        ...readNamedCurve(identifier),
        isCompressed: key.octets[0] === 2 || key.octets[0] === 3,
      };
    case DSA:
      return { ...known, type: 'dsa' };
    default: {
      const named = KEY_ALGORITHMS.get(algorithm);
      if (named === undefined) return { ...known, type: 'other' };
      const isWellFormed = identifier.done && key.octets.length === named.keyBytes;
      return isWellFormed
        ? { ...known, type: named.type, bits: named.bits }
        : { ...known, type: 'malformed' };
    }
  }
}

/** Parses an RSA-PSS key. `identifier`: what follows the object identifier in its AlgorithmIdentifier: RSASSA-PSS-params, or nothing. */
function pssKey(known: Omit<PublicKey, 'type'>, identifier: DerReader): PublicKey {
  if (identifier.done) return rsaKey(known);
  try {
    const pss = parsePssParameters(identifier.enter(TAG.sequence));
    identifier.end();
    return pss === null ? { ...known, type: 'other' } : rsaKey({ ...known, pss });
  } catch (error) {
    if (error instanceof PkiError) return { ...known, type: 'malformed' };
    throw error;
  }
}

function rsaKey(known: Omit<PublicKey, 'type'>): PublicKey {
  try {
    const numbers = onlyElement(known.octets, TAG.sequence).open();
    const modulus = requireNonNegative(integerContent(numbers.read(TAG.integer)));
    const exponent = requireNonNegative(integerContent(numbers.read(TAG.integer)));
    numbers.end();
    const isOdd = ((exponent[exponent.length - 1] ?? 0) & 1) === 1;
    const isOne = exponent.length === 1 && exponent[0] === 1;
    // Huge exponents make verification slow. BR §6.1.6 allows up to 256 bits; no CA uses more than 32 bits.
    const exponentIsSound = isOdd && !isOne && exponent.length <= 33;
    const bits = bitLength(modulus);
    return { ...known, type: 'rsa', bits, exponentIsSound, exponentBits: bitLength(exponent) };
  } catch (error) {
    if (error instanceof PkiError) return { ...known, type: 'malformed' };
    throw error;
  }
}

function requireNonNegative(content: Uint8Array): Uint8Array {
  if ((content[0] ?? 0) >= 0x80) throw new PkiError('value', 'negative RSA number');
  return content;
}

function bitLength(unsigned: Uint8Array): number {
  let index = 0;
  while (index < unsigned.length && unsigned[index] === 0) index++;
  if (index === unsigned.length) return 0;
  return (unsigned.length - index) * 8 - (Math.clz32(unsigned[index] ?? 0) - 24);
}

/**
 * Reads the named curve (RFC 5480 §2.1.1). `curve` is null for explicit parameters, because with these an attacker can
 * forge a key that has a CA's public point (CVE-2020-0601).
 */
function readNamedCurve(parameters: DerReader): { bits: number; curve: string | null } {
  if (parameters.nextTag !== TAG.objectIdentifier) return { bits: 0, curve: null };
  const identifier = objectIdentifierText(parameters.read().content);
  const curve = CURVES.get(identifier);
  return { bits: curve?.bits ?? 0, curve: curve?.name ?? identifier };
}

/**
 * Returns a display name such as 'ECDSA P-256', 'RSA 2048 bit' or 'ML-DSA-65'. Rare curves and algorithms
 * appear as OIDs (dotted decimal).
 */
export function publicKeyName({ type, bits, curve, algorithm }: PublicKey): string {
  switch (type) {
    case 'rsa':
      return `${algorithm === RSA_PSS ? 'RSA-PSS' : 'RSA'} ${bits} bit`;
    case 'ec':
      return `ECDSA ${curve ?? 'with a custom curve'}`;
    case 'dsa':
      return 'DSA';
    default:
      return KEY_ALGORITHMS.get(algorithm)?.name ?? algorithm;
  }
}

const SOUND_CURVES = new Set(['P-256', 'P-384', 'P-521']);

/**
 * Shortest RSA key, in bits, that OpenSSL accepts at its default security level 2. OpenSSL rounds the strength of such a key up to the required
 * 112 bits. Measured with OpenSSL 3.0; the formula is that of NIST SP 800-56B appendix D.
 */
const MIN_RSA_BITS = 1963;
/** Longest RSA key, in bits, that Chromium and Go accept. */
const MAX_RSA_BITS = 8192;

/**
 * Returns whether clients refuse this key: RSA under 1,963 or over 8,192 bits or with an unsound exponent; curves other than
 * P-256, P-384 and P-521; DSA; malformed keys. Returns false for unknown algorithms, of which we do not know the strength.
 */
export function isWeakKey(key: PublicKey): boolean {
  switch (key.type) {
    case 'rsa':
      return key.bits < MIN_RSA_BITS || key.bits > MAX_RSA_BITS || !key.exponentIsSound;
    case 'ec':
      return key.curve === null || !SOUND_CURVES.has(key.curve);
    case 'dsa':
    case 'malformed':
      return true;
    default:
      return false;
  }
}

const keyObjects = new WeakMap<PublicKey, KeyObject | null>();

/**
 * Returns the key as an OpenSSL key object, or null if OpenSSL cannot load it: older versions do not know all key types. Caches
 * the result.
 */
export function keyObjectOf(key: PublicKey): KeyObject | null {
  let object = keyObjects.get(key);
  if (object === undefined) {
    object = loadKey(key.der);
    keyObjects.set(key, object);
  }
  return object;
}

/** Returns an RSA key with the AlgorithmIdentifier of a signature instead of its own; null if OpenSSL cannot load it. */
export function keyObjectFor({ octets }: PublicKey, signatureAlgorithm: Uint8Array): KeyObject | null {
  const bits = element(TAG.bitString, Buffer.of(0), octets);
  return loadKey(element(TAG.sequence, signatureAlgorithm, bits));
}

function loadKey(der: Uint8Array): KeyObject | null {
  try {
    return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  } catch {
    // Ignore the error: a key that OpenSSL cannot load verifies no signature.
    return null;
  }
}
