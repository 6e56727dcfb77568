import { LruCache } from '../lru-cache.ts';
import { type DerElement, TAG } from './der.ts';
import { PkiError } from '../pki-error.ts';

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/** Reads a BOOLEAN, which DER encodes as 00 or FF. Throws PkiError for any other content. */
export function booleanValue(element: DerElement): boolean {
  const [value] = element.content;
  if (element.content.length !== 1 || (value !== 0 && value !== 0xff)) {
    throw new PkiError('der_boolean', 'not a DER boolean');
  }
  return value === 0xff;
}

/** Returns the content of an INTEGER in two's complement. Throws PkiError if it is not in its shortest form. */
export function integerContent(element: DerElement): Uint8Array {
  const { content } = element;
  const [first, second] = content;
  if (first === undefined) throw new PkiError('der_integer', 'empty integer');
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) {
    throw new PkiError('der_integer', 'integer not minimally encoded');
  }
  return content;
}

/**
 * Reads a non-negative INTEGER. Throws PkiError for negative values and from 2^31 on, far above
 * any count in a certificate.
 */
export function countValue(element: DerElement): number {
  const content = integerContent(element);
  if ((content[0] ?? 0) >= 0x80) throw new PkiError('value', 'negative number');
  if (content.length > 4) throw new PkiError('value', 'number out of range');
  let value = 0;
  for (const byte of content) value = value * 256 + byte;
  return value;
}

/**
 * Returns the octets of a BIT STRING and the number of unused bits in its last octet. Throws
 * PkiError if an unused bit is set.
 */
export function bitStringValue(element: DerElement): { unusedBits: number; octets: Uint8Array } {
  const [unusedBits] = element.content;
  const octets = element.content.subarray(1);
  if (unusedBits === undefined || unusedBits > 7 || (octets.length === 0 && unusedBits !== 0)) {
    throw new PkiError('der_bit_string', 'invalid number of unused bits');
  }
  const last = octets[octets.length - 1] ?? 0;
  if ((last & ((1 << unusedBits) - 1)) !== 0)
    throw new PkiError('der_bit_string', 'unused bits are not zero');
  return { unusedBits, octets };
}

/**
 * Formats the content of an OBJECT IDENTIFIER as dotted text, or as `hex.…` if an arc exceeds 2^53. Throws PkiError if
 * it is malformed or longer than 64 octets.
 */
export function objectIdentifierText(content: Uint8Array): string {
  if (content.length === 0 || content.length > 64) {
    throw new PkiError('der_object_identifier', 'empty or oversized object identifier');
  }
  if ((content[content.length - 1] ?? 0) >= 0x80)
    throw new PkiError('der_object_identifier', 'truncated object identifier');
  let text = '';
  let arc = 0;
  let open = false;
  for (const byte of content) {
    if (!open && byte === 0x80)
      throw new PkiError('der_object_identifier', 'object identifier not minimally encoded');
    arc = arc * 128 + (byte & 0x7f);
    // Arcs of 128 bits exist (UUIDs under 2.25). Above 2^53 numbers lose precision, so two
    // arcs could get the same text.
    if (arc > Number.MAX_SAFE_INTEGER) return `hex.${toHex(content)}`;
    open = byte >= 0x80;
    if (open) continue;
    // X.690 §8.19.4: the first two arcs share one number.
    const root = Math.min(Math.floor(arc / 40), 2);
    text += text === '' ? `${root}.${arc - root * 40}` : `.${arc}`;
    arc = 0;
  }
  return text;
}

export function objectIdentifier(element: DerElement): string {
  if (element.tag !== TAG.objectIdentifier) throw new PkiError('der_tag', 'expected an object identifier');
  // Nearly all certificates use the same few dozen identifiers, and a cache hit costs a tenth of decoding.
  const encoded = element.latin1;
  let text = decoded.get(encoded);
  if (text === null) {
    text = objectIdentifierText(element.content);
    decoded.set(encoded, text);
  }
  return text;
}

const decoded = new LruCache<string, string>(512);

/** Returns the text of an IA5String. Throws PkiError if it is not ASCII. */
export function ia5Text(element: DerElement): string {
  const text = element.latin1;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= 0x80)
      throw new PkiError('der_string', 'non-ASCII character in an IA5String');
  }
  return text;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of a UTF8String. Throws PkiError if it is not UTF-8. */
export function utf8Text({ content }: DerElement): string {
  try {
    return UTF8.decode(content);
  } catch {
    throw new PkiError('der_string', 'UTF8String is not UTF-8');
  }
}

/**
 * Parses a UTCTime or GeneralizedTime into ms UTC. Throws PkiError if it lacks seconds or `Z`, has fractions of a
 * second (RFC 5280 §4.1.2.5), or names a time that does not exist.
 */
export function timeValue(element: DerElement): number {
  const generalized = element.tag === TAG.generalizedTime;
  if (!generalized && element.tag !== TAG.utcTime) throw new PkiError('der_tag', 'expected a time');
  let text = ia5Text(element);
  // RFC 5280 §4.1.2.5.1: the two-digit years 50 to 99 mean 1950 to 1999.
  if (!generalized) text = (text >= '5' ? '19' : '20') + text;
  if (!/^\d{14}Z$/.test(text)) throw new PkiError('der_time', 'time not in DER form');
  const day = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`;
  const iso = `${day}T${text.slice(8, 10)}:${text.slice(10, 12)}:${text.slice(12, 14)}.000Z`;
  const instant = Date.parse(iso);
  // Date.parse turns 30 February or 24:00 into another day. Such times are invalid.
  if (Number.isNaN(instant) || new Date(instant).toISOString() !== iso) {
    throw new PkiError('der_time', 'invalid time');
  }
  return instant;
}

/** Encodes a DER element. Its content must be smaller than 16 MB, because the length is written in at most three bytes. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const octets = [length >> 16, (length >> 8) & 0xff, length & 0xff];
  const minimal = octets.slice(length < 0x100 ? 2 : length < 0x1_00_00 ? 1 : 0);
  const prefix = length < 0x80 ? [length] : [0x80 | minimal.length, ...minimal];
  return Buffer.concat([Buffer.from([tag, ...prefix]), content]);
}
