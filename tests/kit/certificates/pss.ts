import { constants, createHash, createPrivateKey, privateDecrypt, randomBytes } from 'node:crypto';
import {
  bitString,
  derNull,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  tagged,
} from './der-writer.ts';
import { type CertificateOptions, type Hash, type KeyPair, mintKey } from './mint.ts';

/** How to make an RSASSA-PSS signature (RFC 8017 §8.1), and how to write its AlgorithmIdentifier (RFC 4055 §3.1). */
export interface PssOptions {
  /** Default: SHA-256. */
  hash?: Hash;
  /** Hash of MGF1. Default: `hash`. */
  maskHash?: Hash;
  /** Default: the length of the hash. */
  saltBytes?: number;
  /** Value of the field trailerField, which DER omits if it has its default of 1. */
  trailer?: number;
  /** False omits the NULL of the hash algorithms, which RFC 4055 §2.1 says to write and allows to omit. */
  withNull?: boolean;
  /** DER of the parameters, which replaces the ones that the other options describe; null omits the parameters. */
  parameters?: Uint8Array | null;
}

const RSASSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const HASH_OIDS: Readonly<Record<Hash, string>> = {
  md5: '1.2.840.113549.2.5',
  sha1: '1.3.14.3.2.26',
  sha256: '2.16.840.1.101.3.4.2.1',
  sha384: '2.16.840.1.101.3.4.2.2',
  sha512: '2.16.840.1.101.3.4.2.3',
};

/** Encodes RSASSA-PSS-params (RFC 4055 §3.1). Fields are written even if they have their default. */
export function pssParameters(options: PssOptions = {}): Buffer {
  const { hash, mask, saltBytes, trailer } = pssFields(options);
  return sequence(hash, mask, saltBytes, ...(trailer === null ? [] : [trailer]));
}

/** Encodes the single fields of RSASSA-PSS-params. */
export function pssFields({
  hash = 'sha256',
  maskHash = hash,
  saltBytes = digest(hash).length,
  trailer,
  withNull = true,
}: PssOptions = {}) {
  const algorithm = (name: Hash): Buffer =>
    sequence(objectIdentifier(HASH_OIDS[name]), ...(withNull ? [derNull()] : []));
  return {
    hash: tagged(0, true, algorithm(hash)),
    mask: tagged(1, true, sequence(objectIdentifier(MGF1), algorithm(maskHash))),
    saltBytes: tagged(2, true, integer(BigInt(saltBytes))),
    trailer: trailer === undefined ? null : tagged(3, true, integer(BigInt(trailer))),
  };
}

/** Encodes the AlgorithmIdentifier of a signature, or of a key that is restricted to RSASSA-PSS. */
export function pssAlgorithm(options: PssOptions = {}): Buffer {
  const { parameters = pssParameters(options) } = options;
  return sequence(objectIdentifier(RSASSA_PSS), ...(parameters === null ? [] : [parameters]));
}

/**
 * Signs with RSASSA-PSS (RFC 8017 §9.1.1). Done here because Node.js can neither choose the hash of MGF1 nor use options that
 * a key forbids.
 */
export function pssSign(data: Uint8Array, { privateKey }: KeyPair, options: PssOptions): Buffer {
  const { hash = 'sha256', maskHash = hash, saltBytes = digest(hash).length } = options;
  const modulusBits = privateKey.asymmetricKeyDetails?.modulusLength ?? 0;
  const length = Math.ceil((modulusBits - 1) / 8);
  const salt = randomBytes(saltBytes);
  const hashed = digest(hash, Buffer.alloc(8), digest(hash, data), salt);
  const block = Buffer.concat([
    Buffer.alloc(length - salt.length - hashed.length - 2),
    Buffer.from([1]),
    salt,
  ]);
  const mask = maskOf(hashed, block.length, maskHash);
  const masked = block.map((octet, index) => octet ^ (mask[index] ?? 0));
  masked[0] = (masked[0] ?? 0) & (0xff >> (8 * length - modulusBits + 1));
  const encoded = Buffer.concat([masked, hashed, Buffer.from([0xbc])]);
  const padded = Buffer.concat([Buffer.alloc(Math.ceil(modulusBits / 8) - length), encoded]);
  return privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, padded);
}

/** MGF1 (RFC 8017 §B.2.1). */
function maskOf(seed: Uint8Array, length: number, hash: Hash): Buffer {
  const blocks: Buffer[] = [];
  for (let counter = 0; blocks.length * digest(hash).length < length; counter++) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(counter);
    blocks.push(digest(hash, seed, number));
  }
  return Buffer.concat(blocks).subarray(0, length);
}

function digest(hash: Hash, ...parts: readonly Uint8Array[]): Buffer {
  return createHash(hash).update(Buffer.concat(parts)).digest();
}

/**
 * Mints a key that its certificate restricts to RSASSA-PSS. `parameters`: DER of the restrictions; null for none. The private
 * key itself is an ordinary one, which can sign in any way.
 */
export function pssKey(parameters: Uint8Array | null): {
  key: KeyPair;
  editFields: (fields: Buffer[]) => Uint8Array[];
} {
  const key = mintKey('RSA-2048');
  const numbers = key.publicKey.export({ type: 'pkcs1', format: 'der' });
  const info = sequence(pssAlgorithm({ parameters }), bitString(numbers));
  return { key, editFields: (fields) => fields.with(6, info) };
}

/**
 * Mints a key that is restricted to RSASSA-PSS, for a server. OpenSSL also restricts the private key. @throws Error if
 * OpenSSL does not know the parameters
 */
export function pssServerKey(parameters: Uint8Array | null): CertificateOptions {
  const { key, editFields } = pssKey(parameters);
  const numbers = key.privateKey.export({ type: 'pkcs1', format: 'der' });
  const der = sequence(integer(0n), pssAlgorithm({ parameters }), octetString(numbers));
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { key: { ...key, privateKey }, editFields };
}
