import { onlyElement, TAG } from './der/der.ts';
import { PkiError } from './pki-error.ts';

/** The timestamp follows 1 byte version and 32 bytes log id. */
const TIMESTAMP_OFFSET = 33;
const TIMESTAMP_BYTES = 8;
/** Latest time of an ECMAScript Date, in ms UTC. */
const MAX_TIME = 8_640_000_000_000_000n;

/**
 * Returns the timestamps (ms UTC) of version 1 in a SignedCertificateTimestampList (RFC 6962 §3.3). Does not verify the
 * logs' signatures, because the issuer's signature covers the list. Throws PkiError on malformed input.
 */
export function parseTimestamps(value: Uint8Array): number[] {
  const { content } = onlyElement(value, TAG.octetString);
  const times: number[] = [];
  for (const entry of vectors(only(vectors(content)))) {
    if (entry[0] !== 0) continue;
    const bytes = entry.subarray(TIMESTAMP_OFFSET, TIMESTAMP_OFFSET + TIMESTAMP_BYTES);
    if (bytes.length < TIMESTAMP_BYTES) throw new PkiError('der_truncated', 'timestamp cut off');
    let time = 0n;
    for (const byte of bytes) time = time * 256n + BigInt(byte);
    if (time > MAX_TIME) throw new PkiError('value', 'no such time');
    times.push(Number(time));
  }
  return times;
}

/** Splits consecutive TLS vectors `opaque<1..2^16-1>` (RFC 8446 §3.4). */
function vectors(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let position = 0; position < bytes.length;) {
    const start = position + 2;
    position = start + (bytes[position] ?? 0) * 256 + (bytes[position + 1] ?? 0);
    if (start > bytes.length || position > bytes.length) {
      throw new PkiError('der_truncated', 'list of timestamps cut off');
    }
    found.push(bytes.subarray(start, position));
  }
  return found;
}

function only(lists: readonly Uint8Array[]): Uint8Array {
  const [list, ...others] = lists;
  if (list === undefined) throw new PkiError('empty', 'no list of timestamps');
  if (others.length > 0) throw new PkiError('der_trailing', 'bytes after the list of timestamps');
  return list;
}
