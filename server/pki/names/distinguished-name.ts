import { type DerElement, DerReader, TAG } from '../der/der.ts';
import { objectIdentifier, toHex, utf8Text } from '../der/der-values.ts';
import { PkiError } from '../pki-error.ts';

export interface NameAttribute {
  /** OID (dotted decimal) of the attribute type. */
  readonly type: string;
  readonly tag: number;
  /** DER of the value, for types that cannot be decoded to text. */
  readonly encoded: Uint8Array;
  /** Decoded text; null if the value is not of a supported string type. */
  readonly text: string | null;
}

/** A relative distinguished name: nearly always a single attribute. */
export type RelativeName = readonly NameAttribute[];

/** Parsed Name (RFC 5280 §4.1.2.4). The relative names are in encoded order (usually country first). */
export interface DistinguishedName {
  readonly der: Uint8Array;
  readonly relativeNames: readonly RelativeName[];
  readonly isEmpty: boolean;
  /** Comparison key of each relative name; `comparisonKey` joins them. */
  readonly relativeKeys: readonly string[];
  /** Key that is equal for names that are equal under RFC 5280 §7.1, regardless of string type, case and spacing. */
  readonly comparisonKey: string;
  /**
   * Returns the most specific (last) value of an attribute type, or null if absent. `type`: short name such as
   * `CN`, or OID (dotted decimal).
   */
  attribute(type: string): string | null;
}

const MAX_ATTRIBUTES = 4_096;

/** Parses a Name from its complete encoding. Throws PkiError on malformed input. */
export function parseDistinguishedName(der: Uint8Array): DistinguishedName {
  const outer = new DerReader(der);
  const names = outer.enter(TAG.sequence);
  outer.end();
  const relativeNames: NameAttribute[][] = [];
  let count = 0;
  while (!names.done) {
    const attributes = readAttributes(names.enter(TAG.set));
    count += attributes.length;
    if (count > MAX_ATTRIBUTES) throw new PkiError('too_large', 'too many name attributes');
    relativeNames.push(attributes);
  }
  return new ParsedName(der, relativeNames);
}

/** Returns the comparison key of a relative name. `set`: its SET, also with an implicit tag. Throws PkiError on malformed input. */
export function relativeNameKeyOf(set: DerElement): string {
  return relativeNameKey(readAttributes(set.open()));
}

function readAttributes(set: DerReader): NameAttribute[] {
  if (set.done) throw new PkiError('empty', 'relative name without attributes');
  const attributes: NameAttribute[] = [];
  while (!set.done) {
    if (attributes.length >= MAX_ATTRIBUTES) throw new PkiError('too_large', 'too many name attributes');
    const pair = set.enter(TAG.sequence);
    const type = objectIdentifier(pair.read());
    const value = pair.read();
    pair.end();
    attributes.push({ type, tag: value.tag, encoded: value.encoded, text: stringText(value) });
  }
  return attributes;
}

class ParsedName implements DistinguishedName {
  readonly der: Uint8Array;
  readonly relativeNames: readonly RelativeName[];
  #relativeKeys: readonly string[] | null = null;
  #comparisonKey: string | null = null;

  constructor(der: Uint8Array, relativeNames: readonly RelativeName[]) {
    this.der = der;
    this.relativeNames = relativeNames;
  }

  get isEmpty(): boolean {
    return this.relativeNames.length === 0;
  }

  get relativeKeys(): readonly string[] {
    this.#relativeKeys ??= this.relativeNames.map(relativeNameKey);
    return this.#relativeKeys;
  }

  get comparisonKey(): string {
    this.#comparisonKey ??= this.relativeKeys.join('');
    return this.#comparisonKey;
  }

  attribute(type: string): string | null {
    const identifier = ATTRIBUTE_TYPES.get(type) ?? type;
    let found: string | null = null;
    for (const attributes of this.relativeNames) {
      for (const attribute of attributes) if (attribute.type === identifier) found = attribute.text ?? found;
    }
    return found;
  }
}

/**
 * Maximum length of text that is normalised. NFKC takes quadratic time on unsorted combining marks: 300 ms for 64 kB.
 * RFC 5280 Appendix A.1 allows 64 or 128 characters in the usual attributes, such as commonName and localityName.
 */
const MAX_NORMALISED = 512;

/**
 * Returns the comparison key of a relative name (RFC 5280 §7.1). Folds case and white space of strings; uses the bytes
 * of other values and of strings over 512 characters. Encodes as JSON, so that no value can imitate a separator.
 */
function relativeNameKey(attributes: RelativeName): string {
  const keys = attributes.map(({ type, text, encoded }) => {
    if (text === null || text.length > MAX_NORMALISED) return `${type}#${toHex(encoded)}`;
    return `${type}=${text.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')}`;
  });
  return JSON.stringify(keys.toSorted());
}

function stringText(element: DerElement): string | null {
  switch (element.tag) {
    case TAG.utf8String:
      return utf8Text(element);
    // Decode these as Latin-1: CAs have put Latin-1 into these types,
    // and decoding it cannot fail.
    case TAG.numericString:
    case TAG.printableString:
    case TAG.ia5String:
    case TAG.teletexString:
      return element.latin1;
    case TAG.bmpString:
      if (element.content.length % 2 !== 0) throw new PkiError('der_string', 'BMPString of odd length');
      return Buffer.from(element.content).swap16().toString('utf16le').toWellFormed();
    case TAG.universalString:
      return universalText(Buffer.from(element.content));
    default:
      return null;
  }
}

function universalText(buffer: Buffer): string {
  if (buffer.length % 4 !== 0) throw new PkiError('der_string', 'UniversalString of odd length');
  let text = '';
  for (let index = 0; index < buffer.length; index += 4) {
    const point = buffer.readUInt32BE(index);
    if (point > 0x10ffff) throw new PkiError('der_string', 'UniversalString beyond Unicode');
    text += String.fromCodePoint(point);
  }
  return text.toWellFormed();
}

/**
 * Formats a name as RFC 4514 text: most specific part first, '' for an empty name. Also escapes control, invisible and
 * direction-changing characters (as RFC 4514 §2.4 allows), so that the text is safe in logs and mail headers.
 */
export function formatDistinguishedName(name: DistinguishedName): string {
  return name.relativeNames
    .toReversed()
    .map((attributes) => attributes.map(formatAttribute).join('+'))
    .join(',');
}

function formatAttribute({ type, text, encoded }: NameAttribute): string {
  const short = shortAttributeName(type);
  // RFC 4514 §2.4: after a type in dotted form, the value is the hex of its encoding. So is a value that is no text.
  if (short === null || text === null) return `${short ?? type}=#${toHex(encoded)}`;
  return `${short}=${escapeValue(text)}`;
}

const HIDDEN_OR_SPECIAL = /([\p{Cc}\p{Cf}\u2028\u2029]+)|["+,;<>\\]|^[ #]| $/gu;

function escapeValue(text: string): string {
  return text.replace(HIDDEN_OR_SPECIAL, (found, hidden?: string) =>
    hidden === undefined ? `\\${found}` : escapeOctets(hidden),
  );
}

function escapeOctets(characters: string): string {
  return Buffer.from(characters).toString('hex').toUpperCase().replace(/../g, '\\$&');
}

/** Object identifiers of attribute types by short name: those of RFC 4514 §3, then others that LDAP or many CAs use. */
const ATTRIBUTE_TYPES: ReadonlyMap<string, string> = new Map([
  ['CN', '2.5.4.3'],
  ['L', '2.5.4.7'],
  ['ST', '2.5.4.8'],
  ['O', '2.5.4.10'],
  ['OU', '2.5.4.11'],
  ['C', '2.5.4.6'],
  ['STREET', '2.5.4.9'],
  ['DC', '0.9.2342.19200300.100.1.25'],
  ['UID', '0.9.2342.19200300.100.1.1'],
  ['SN', '2.5.4.4'],
  ['serialNumber', '2.5.4.5'],
  ['title', '2.5.4.12'],
  ['businessCategory', '2.5.4.15'],
  ['postalCode', '2.5.4.17'],
  ['givenName', '2.5.4.42'],
  ['organizationIdentifier', '2.5.4.97'],
  ['emailAddress', '1.2.840.113549.1.9.1'],
  ['jurisdictionL', '1.3.6.1.4.1.311.60.2.1.1'],
  ['jurisdictionST', '1.3.6.1.4.1.311.60.2.1.2'],
  ['jurisdictionC', '1.3.6.1.4.1.311.60.2.1.3'],
]);

const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  [...ATTRIBUTE_TYPES].map(([short, identifier]) => [identifier, short]),
);

/** Returns the short name of an attribute type, given as OID (dotted decimal); null if the table has none. */
function shortAttributeName(identifier: string): string | null {
  return SHORT_NAMES.get(identifier) ?? null;
}
