import type { DerElement } from './der.ts';
import { TAG } from './der.ts';
import { PkiError } from './pki-error.ts';

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/** BOOLEAN: DER knows 00 and FF only. */
export function booleanValue(element: DerElement): boolean {
  const [value] = element.content;
  if (element.content.length !== 1 || (value !== 0 && value !== 0xff)) {
    throw new PkiError('der_boolean', 'not a DER boolean');
  }
  return value === 0xff;
}

/** INTEGER content, checked for the shortest form; still two's complement. */
export function integerContent(element: DerElement): Uint8Array {
  const { content } = element;
  const [first, second] = content;
  if (first === undefined) throw new PkiError('der_integer', 'empty integer');
  if (second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) {
    throw new PkiError('der_integer', 'integer not minimal');
  }
  return content;
}

/** INTEGER (0..MAX) as a number. Anything beyond 2^31 is refused: no count in a certificate comes near. */
export function countValue(element: DerElement): number {
  const content = integerContent(element);
  if ((content[0] ?? 0) >= 0x80) throw new PkiError('value', 'negative count');
  if (content.length > 4) throw new PkiError('value', 'count out of range');
  let value = 0;
  for (const byte of content) value = value * 256 + byte;
  return value;
}

/** The octets of a BIT STRING and how many of the last octet's bits are unused. */
export function bitStringValue(element: DerElement): { unusedBits: number; octets: Uint8Array } {
  const [unusedBits] = element.content;
  const octets = element.content.subarray(1);
  if (unusedBits === undefined || unusedBits > 7 || (octets.length === 0 && unusedBits !== 0)) {
    throw new PkiError('der_bit_string', 'bad count of unused bits');
  }
  const last = octets[octets.length - 1] ?? 0;
  if ((last & ((1 << unusedBits) - 1)) !== 0) throw new PkiError('der_bit_string', 'unused bits set');
  return { unusedBits, octets };
}

/** OBJECT IDENTIFIER content as dotted text. */
export function objectIdentifierText(content: Uint8Array): string {
  if (content.length === 0 || content.length > 64) {
    throw new PkiError('der_object_identifier', 'empty or oversized object identifier');
  }
  if ((content[content.length - 1] ?? 0) >= 0x80) throw new PkiError('der_object_identifier', 'arc cut off');
  const arcs: number[] = [];
  let arc = 0;
  let open = false;
  for (const byte of content) {
    if (!open && byte === 0x80) throw new PkiError('der_object_identifier', 'arc not minimal');
    arc = arc * 128 + (byte & 0x7f);
    // Arcs of 128 bits exist (2.25 UUIDs); past 2^53 they lose precision, which could make two of them look equal.
    if (arc > Number.MAX_SAFE_INTEGER) return `hex.${toHex(content)}`;
    open = byte >= 0x80;
    if (!open) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const [first = 0, ...rest] = arcs;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join('.');
}

export function objectIdentifier(element: DerElement): string {
  if (element.tag !== TAG.objectIdentifier) throw new PkiError('der_tag', 'object identifier expected');
  return objectIdentifierText(element.content);
}

/** IA5String content: ASCII, every octet below 0x80. */
export function ia5Text(content: Uint8Array): string {
  for (const byte of content) if (byte >= 0x80) throw new PkiError('der_string', 'IA5String beyond ASCII');
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1');
}

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** UTCTime or GeneralizedTime in the only forms RFC 5280 §4.1.2.5 allows: with seconds, in Z, without fractions. */
export function timeValue(element: DerElement): number {
  const generalized = element.tag === TAG.generalizedTime;
  if (!generalized && element.tag !== TAG.utcTime) throw new PkiError('der_tag', 'time expected');
  const text = ia5Text(element.content);
  const parts = (generalized ? GENERALIZED_TIME : UTC_TIME).exec(text);
  if (parts === null) throw new PkiError('der_time', 'time not in its DER form');
  const [written = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  // §4.1.2.5.1: two digits from 50 on are of the 20th century.
  const year = generalized ? written : written + (written >= 50 ? 1900 : 2000);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  // Date rolls 31 February or 24:00 over to another day; such a time was never a valid one.
  const rolled =
    date.getUTCMonth() !== month - 1 ||
    date.getUTCDate() !== day ||
    date.getUTCHours() !== hour ||
    date.getUTCMinutes() !== minute ||
    date.getUTCSeconds() !== second;
  if (rolled) throw new PkiError('der_time', 'no such time');
  return date.getTime();
}
