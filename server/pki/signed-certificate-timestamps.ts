import { onlyElement, TAG } from './der/der.ts';
import { PkiError } from './pki-error.ts';

/** Version and log id before the timestamp, the timestamp itself. */
const TIMESTAMP_OFFSET = 33;
const TIMESTAMP_BYTES = 8;
/** The last instant that ECMAScript has. */
const LATEST = 8_640_000_000_000_000n;

/**
 * The times of an embedded SignedCertificateTimestampList (RFC 6962 §3.3), ms UTC. The logs' signatures are not checked: the
 * issuer vouches for the list with its own. Versions other than 1 are passed over. Throws PkiError on malformed input.
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
    if (time > LATEST) throw new PkiError('value', 'no such time');
    times.push(Number(time));
  }
  return times;
}

/** TLS's `opaque<1..2^16-1>`, one after the other (RFC 8446 §3.4). */
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
