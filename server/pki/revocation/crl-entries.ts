import { TAG } from '../der/der.ts';
import { equalBytes } from '../der/der-values.ts';
import { PkiError } from '../pki-error.ts';

/** A byte range of a CRL; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface EntriesSummary {
  readonly count: number;
  readonly hasExtensions: boolean;
  /**
   * True if an entry has a critical extension other than reasonCode and certificateIssuer. Such a CRL must not be used (RFC 5280
   * §5.3).
   */
  readonly hasUnknownCritical: boolean;
  /** True if an entry has a critical reasonCode. Java uses such a CRL, OpenSSL and Chromium do not. */
  readonly hasCriticalReason: boolean;
  /** True if an entry names the issuer of its certificate, which only indirect CRLs may do (RFC 5280 §5.3.3). */
  readonly hasCertificateIssuer: boolean;
  /** Byte offset of every 64th entry, so that a later search parses only part of the CRL. */
  readonly marks: readonly number[];
  /** Entries with the wanted serial number, in encoded order. */
  readonly found: readonly ByteRange[];
}

const ENTRIES_PER_MARK = 64;

/** DER reader that allocates no object per element, because a CRL may have millions. */
class Cursor {
  tag = 0;
  contentStart = 0;
  end = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /**
   * Reads the tag and length at `position`. `tag` 0 accepts any tag. Throws PkiError if the tag differs, the length is
   * not DER, or the content exceeds `limit`.
   */
  read(position: number, limit: number, tag: number): void {
    const bytes = this.#bytes;
    if (position + 2 > limit) throw new PkiError('der_truncated', 'truncated element');
    this.tag = bytes[position] ?? 0;
    if (this.tag !== tag && tag !== 0) throw new PkiError('der_tag', 'unexpected element');
    let length = bytes[position + 1] ?? 0;
    let contentStart = position + 2;
    if (length >= 0x80) {
      const size = length & 0x7f;
      if (size === 0 || size > 4) throw new PkiError('der_length', 'indefinite or oversized length');
      if (contentStart + size > limit) throw new PkiError('der_truncated', 'truncated length');
      length = bytes.readUIntBE(contentStart, size);
      if (length < 0x80 || length < 256 ** (size - 1))
        throw new PkiError('der_length', 'length not minimally encoded');
      contentStart += size;
    }
    this.contentStart = contentStart;
    this.end = contentStart + length;
    if (this.end > limit) throw new PkiError('der_truncated', 'truncated content');
  }
}

/**
 * Reads all entries of revokedCertificates (RFC 5280 §5.1.2.6) and finds those with serial number `wanted` (content of
 * its INTEGER). Throws PkiError if any entry has a wrong shape, so that none can hide a serial number.
 */
export function walkEntries(bytes: Buffer, list: ByteRange, wanted: Uint8Array | null): EntriesSummary {
  const cursor = new Cursor(bytes);
  const found: ByteRange[] = [];
  const marks: number[] = [];
  let count = 0;
  let hasExtensions = false;
  let hasUnknownCritical = false;
  let hasCriticalReason = false;
  let hasCertificateIssuer = false;
  let position = list.start;
  while (position < list.end) {
    cursor.read(position, list.end, TAG.sequence);
    const start = position;
    const end = cursor.end;
    if (count % ENTRIES_PER_MARK === 0) marks.push(start);
    cursor.read(cursor.contentStart, end, TAG.integer);
    const serialStart = cursor.contentStart;
    const serialEnd = cursor.end;
    checkInteger(bytes, serialStart, serialEnd);
    cursor.read(serialEnd, end, 0);
    checkTime(cursor);
    if (cursor.end < end) {
      hasExtensions = true;
      cursor.read(cursor.end, end, TAG.sequence);
      if (cursor.end !== end)
        throw new PkiError('der_trailing', 'extra bytes after the extensions of an entry');
      const critical = readCritical(bytes, cursor, cursor.contentStart, end);
      hasUnknownCritical ||= critical.hasUnknown;
      hasCriticalReason ||= critical.hasReason;
      hasCertificateIssuer ||= critical.hasIssuer;
    }
    if (wanted !== null && isSame(bytes, serialStart, serialEnd, wanted)) found.push({ start, end });
    count++;
    position = end;
  }
  return { count, hasExtensions, hasUnknownCritical, hasCriticalReason, hasCertificateIssuer, marks, found };
}

/**
 * Returns the entries with a serial number from a list that `walkEntries` has read. Searches for its octets, then
 * parses only the block of entries around each match, because a match may also lie inside another field.
 */
export function findEntries(
  bytes: Buffer,
  list: ByteRange,
  marks: readonly number[],
  wanted: Uint8Array,
): ByteRange[] {
  const searched = bytes.subarray(0, list.end);
  const found: ByteRange[] = [];
  let at = searched.indexOf(wanted, list.start);
  while (at >= 0 && at < list.end) {
    const next = firstGreaterIndex(marks, at);
    const block = { start: marks[next - 1] ?? list.start, end: marks[next] ?? list.end };
    found.push(...walkEntries(bytes, block, wanted).found);
    at = searched.indexOf(wanted, block.end);
  }
  return found;
}

/** Returns the index of the first number greater than `value` (binary search), or the length if there is none. */
function firstGreaterIndex(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Throws PkiError for an integer that is not minimal, because a search for its minimal form would miss it. */
function checkInteger(bytes: Buffer, start: number, end: number): void {
  if (end === start) throw new PkiError('der_integer', 'empty integer');
  if (end - start === 1) return;
  const first = bytes[start] ?? 0;
  const second = bytes[start + 1] ?? 0;
  if ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)) {
    throw new PkiError('der_integer', 'integer not minimally encoded');
  }
}

/**
 * Checks only the type and length of a time; `crl.find` parses the digits. The fixed length also limits how many
 * entries fit into a CRL. Throws PkiError if the type or length is wrong.
 */
function checkTime({ tag, contentStart, end }: Cursor): void {
  const length = tag === TAG.utcTime ? 13 : tag === TAG.generalizedTime ? 15 : -1;
  if (end - contentStart !== length) throw new PkiError('der_time', 'time not in DER form');
}

function isSame(bytes: Buffer, start: number, end: number, wanted: Uint8Array): boolean {
  if (end - start !== wanted.length) return false;
  // Compare from the end: serial numbers of one CA often start with the same octets.
  for (let index = wanted.length - 1; index >= 0; index--) {
    if (bytes[start + index] !== wanted[index]) return false;
  }
  return true;
}

/** Encoded object identifier of the reasonCode extension, id-ce-cRLReasons (2.5.29.21). */
const REASON_CODE = Uint8Array.of(0x55, 0x1d, 0x15);
/** Encoded object identifier of the certificateIssuer extension, id-ce-certificateIssuer (2.5.29.29). */
const CERTIFICATE_ISSUER = Uint8Array.of(0x55, 0x1d, 0x1d);

function readCritical(
  bytes: Buffer,
  cursor: Cursor,
  start: number,
  end: number,
): { hasUnknown: boolean; hasReason: boolean; hasIssuer: boolean } {
  let hasUnknown = false;
  let hasReason = false;
  let hasIssuer = false;
  let position = start;
  while (position < end) {
    cursor.read(position, end, TAG.sequence);
    position = cursor.end;
    cursor.read(cursor.contentStart, position, TAG.objectIdentifier);
    const identifierStart = cursor.contentStart;
    const identifierEnd = cursor.end;
    cursor.read(identifierEnd, position, 0);
    const identifier = bytes.subarray(identifierStart, identifierEnd);
    const isIssuer = equalBytes(identifier, CERTIFICATE_ISSUER);
    hasIssuer ||= isIssuer;
    const isCritical = cursor.tag === TAG.boolean && bytes[cursor.contentStart] !== 0;
    const isReason = equalBytes(identifier, REASON_CODE);
    hasReason ||= isCritical && isReason;
    hasUnknown ||= isCritical && !isReason && !isIssuer;
  }
  return { hasUnknown, hasReason, hasIssuer };
}
