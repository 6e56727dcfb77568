import { hash } from 'node:crypto';
import { onlyElement, TAG } from '../der/der.ts';
import { PkiError } from '../pki-error.ts';

/** One version 1 SCT (RFC 6962 §3.2): the promise of a log to publish a certificate. Its signature is not verified yet. */
export interface CertificateTimestamp {
  /** SHA-256 of the log's public key in base64, as log lists write it. */
  readonly logId: string;
  /** Time at which the log promised it, ms UTC. */
  readonly at: number;
  /** Content of the SCT's own extensions, which the log signs too. */
  readonly extensions: Uint8Array;
  /**
   * Index of the certificate in a static log (c2sp.org/static-ct-api, "SCT Extension"); null without that extension, and if
   * the extensions are malformed.
   */
  readonly leafIndex: number | null;
  /** Number of the hash algorithm and of the signature algorithm (RFC 5246 §7.4.1.4.1). */
  readonly hashAlgorithm: number;
  readonly signatureAlgorithm: number;
  readonly signature: Uint8Array;
}

export interface TimestampList {
  readonly timestamps: readonly CertificateTimestamp[];
  /** Number of entries that are malformed or of another version, which browsers skip, or that come after the first `MAX_ENTRIES`. */
  readonly unreadable: number;
}

export const NO_TIMESTAMPS: TimestampList = { timestamps: [], unreadable: 0 };

/** Number of entries that are read. Certificates have two to five. */
const MAX_ENTRIES = 20;

/**
 * Parses a SignedCertificateTimestampList (RFC 6962 §3.3) as a certificate and an OCSP response contain it, in an OCTET STRING.
 * Skips and counts entries that cannot be read, as browsers do. Throws PkiError if the list itself is malformed.
 */
export function parseTimestampList(value: Uint8Array): TimestampList {
  const { content } = onlyElement(value, TAG.octetString);
  if (content.length === 0) throw new PkiError('empty', 'missing list of timestamps');
  const outer = new VectorReader(content);
  const list = new VectorReader(outer.vector());
  outer.end();
  const entries: Uint8Array[] = [];
  while (!list.done) entries.push(list.vector());
  const timestamps = entries.slice(0, MAX_ENTRIES).flatMap((entry) => readTimestamp(entry) ?? []);
  return { timestamps, unreadable: entries.length - timestamps.length };
}

const VERSION_1 = 0;
const LOG_ID_BYTES = 32;
const TIME_BYTES = 8;
/** Latest time of an ECMAScript Date, in ms UTC. */
const MAX_TIME = 8_640_000_000_000_000;

/** Size of an SCT with empty extensions and an empty signature. */
const MIN_BYTES = 47;

function readTimestamp(entry: Uint8Array): CertificateTimestamp | null {
  // Spares the cost of an exception, because a hostile list can have thousands of such entries.
  if (entry.length < MIN_BYTES || entry[0] !== VERSION_1) return null;
  return orNull(() => {
    const reader = new VectorReader(entry);
    reader.take(1);
    const logId = Buffer.from(reader.take(LOG_ID_BYTES)).toString('base64');
    const at = reader.number(TIME_BYTES);
    if (at > MAX_TIME) return null;
    const extensions = reader.vector();
    const hashAlgorithm = reader.number(1);
    const signatureAlgorithm = reader.number(1);
    const signature = reader.vector();
    reader.end();
    const leafIndex = orNull(() => readLeafIndex(extensions));
    return { logId, at, extensions, leafIndex, hashAlgorithm, signatureAlgorithm, signature };
  });
}

const LEAF_INDEX = 0;
const LEAF_INDEX_BYTES = 5;

/** Throws PkiError if the extensions are malformed, or if one of them has the type of the leaf index and is none. */
function readLeafIndex(extensions: Uint8Array): number | null {
  const reader = new VectorReader(extensions);
  let index: number | null = null;
  while (!reader.done) {
    const type = reader.number(1);
    const data = new VectorReader(reader.vector());
    if (type !== LEAF_INDEX) continue;
    if (index !== null) throw new PkiError('duplicate', 'duplicate leaf index');
    index = data.number(LEAF_INDEX_BYTES);
    data.end();
  }
  return index;
}

function orNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

/** Reads numbers and vectors of the TLS presentation language (RFC 8446 §3). Throws PkiError where bytes are missing. */
class VectorReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#position >= this.#bytes.length;
  }

  take(count: number): Uint8Array {
    const start = this.#position;
    if (start + count > this.#bytes.length) throw new PkiError('value', 'truncated list of timestamps');
    this.#position += count;
    return this.#bytes.subarray(start, this.#position);
  }

  number(bytes: number): number {
    return this.take(bytes).reduce((value, byte) => value * 256 + byte, 0);
  }

  /** Reads a vector `opaque<0..2^16-1>`. */
  vector(): Uint8Array {
    return this.take(this.number(2));
  }

  end(): void {
    if (!this.done) throw new PkiError('value', 'extra bytes after a list of timestamps');
  }
}

/** Returns a digest that identifies a list, in base64. */
export const digestOfList = (value: Uint8Array): string => hash('sha256', value, 'base64');
