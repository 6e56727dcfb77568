import { contextTag, type DerReader, onlyElement, TAG } from './der/der.ts';
import { countValue, objectIdentifier } from './der/der-values.ts';

export type Hash = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

const MGF1 = '1.2.840.113549.1.1.8';
const HASHES: ReadonlyMap<string, Hash> = new Map<string, Hash>([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.4', 'sha224'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** Maximum length of a salt. A longer one does not fit into a signature by a key of 8,192 bits, the longest that we verify with. */
const MAX_SALT_BYTES = 1_024;

/** RSASSA-PSS-params (RFC 4055 §3.1): how a signature was made, or which signatures a key may make. */
export interface PssParameters {
  readonly hash: Hash;
  /** Hash of the mask generation function MGF1. */
  readonly maskHash: Hash;
  /** Length of the salt in bytes; for a key the shortest that it allows. */
  readonly saltBytes: number;
  /** trailerField. RFC 4055 §3.1 allows only 1. */
  readonly trailer: number;
  /** Whether trailerField is written although it is 1, which DER omits as the default. */
  readonly writesTrailer: boolean;
  /** Whether a written hash algorithm lacks its NULL. RFC 4055 §2.1 allows both forms. */
  readonly lacksNull: boolean;
}

/**
 * Parses the fields of RSASSA-PSS-params up to the end of `reader`. Returns null if a hash or mask is unknown or the salt
 * does not fit into any signature. Throws PkiError on malformed DER.
 */
export function parsePssParameters(reader: DerReader): PssParameters | null {
  const hashField = reader.optional(contextTag(0, 'constructed'));
  const maskField = reader.optional(contextTag(1, 'constructed'));
  const saltField = reader.optional(contextTag(2, 'constructed'));
  const trailerField = reader.optional(contextTag(3, 'constructed'));
  reader.end();
  const digest = hashField === null ? SHA1 : readHash(hashField.content);
  let mask: WrittenHash | null = SHA1;
  if (maskField !== null) {
    const fields = onlyElement(maskField.content, TAG.sequence).open();
    const isMgf1 = objectIdentifier(fields.read()) === MGF1;
    mask = isMgf1 ? readHash(fields.read().encoded) : null;
    if (isMgf1) fields.end();
  }
  const saltBytes = saltField === null ? 20 : countValue(onlyElement(saltField.content, TAG.integer));
  const trailer = trailerField === null ? 1 : countValue(onlyElement(trailerField.content, TAG.integer));
  if (digest === null || mask === null || saltBytes > MAX_SALT_BYTES) return null;
  return {
    hash: digest.hash,
    maskHash: mask.hash,
    saltBytes,
    trailer,
    writesTrailer: trailerField !== null && trailer === 1,
    lacksNull: digest.lacksNull || mask.lacksNull,
  };
}

interface WrittenHash {
  hash: Hash;
  lacksNull: boolean;
}
/** The default of both the hash and the hash of the mask. */
const SHA1: WrittenHash = { hash: 'sha1', lacksNull: false };

function readHash(algorithmIdentifier: Uint8Array): WrittenHash | null {
  const reader = onlyElement(algorithmIdentifier, TAG.sequence).open();
  const hash = HASHES.get(objectIdentifier(reader.read())) ?? null;
  const lacksNull = reader.optional(TAG.null) === null;
  reader.end();
  return hash && { hash, lacksNull };
}

/** Length of each hash in bytes. */
export const HASH_BYTES: Readonly<Record<Hash, number>> = {
  md5: 16,
  sha1: 20,
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
};
