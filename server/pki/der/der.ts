import { PkiError } from '../pki-error.ts';

/** Universal tags of ASN.1 (X.690) that certificates use. For context-specific tags see `contextTag`. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/**
 * Returns the identifier octet of the context-specific tag `[number]`. Use `constructed` for EXPLICIT tags and for
 * structures, and `primitive` for IMPLICIT tags on simple types.
 */
export function contextTag(number: number, form: 'constructed' | 'primitive'): number {
  return (form === 'constructed' ? 0xa0 : 0x80) | number;
}

/**
 * One DER element, stored as offsets into its source. Getters create views on demand, because a view costs more than
 * parsing the element and most elements are skipped.
 */
export class DerElement {
  readonly tag: number;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #contentStart: number;
  readonly #end: number;

  constructor(tag: number, bytes: Buffer, start: number, contentStart: number, end: number) {
    this.tag = tag;
    this.#bytes = bytes;
    this.#start = start;
    this.#contentStart = contentStart;
    this.#end = end;
  }

  /** The whole encoding: identifier, length and content. */
  get encoded(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  get content(): Uint8Array {
    return this.#bytes.subarray(this.#contentStart, this.#end);
  }

  /** The content decoded as Latin-1. */
  get latin1(): string {
    return this.#bytes.toString('latin1', this.#contentStart, this.#end);
  }

  /** Returns a reader over the content. */
  open(): DerReader {
    return new DerReader(this.#bytes, this.#contentStart, this.#end);
  }
}

/** Maximum number of elements of one list. It is far above real use and bounds the cost of a hostile list. */
const MAX_CHILDREN = 16_384;

/**
 * Strict reader for the elements of one DER content: single-byte tags, definite minimal lengths, nothing past the end.
 * Does not descend into elements, so hostile nesting costs nothing. Throws only PkiError.
 */
export class DerReader {
  readonly #bytes: Buffer;
  readonly #limit: number;
  #position: number;
  #count = 0;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#position = start;
    this.#limit = end;
  }

  get done(): boolean {
    return this.#position >= this.#limit;
  }

  /** Tag of the next element; -1 if there is none. */
  get nextTag(): number {
    return this.done ? -1 : (this.#bytes[this.#position] ?? -1);
  }

  /** Reads the next element. Throws PkiError if it is malformed or its tag differs from `tag`. */
  read(tag?: number): DerElement {
    const bytes = this.#bytes;
    const limit = this.#limit;
    const start = this.#position;
    const found = bytes[start];
    const first = bytes[start + 1];
    if (start + 1 >= limit || found === undefined || first === undefined) {
      throw new PkiError('der_truncated', 'truncated element');
    }
    if (tag !== undefined && found !== tag) {
      throw new PkiError('der_tag', `expected tag ${tag.toString(16)}, found ${found.toString(16)}`);
    }
    if ((found & 0x1f) === 0x1f) throw new PkiError('der_tag', 'multi-byte tag');
    if (++this.#count > MAX_CHILDREN) throw new PkiError('too_large', 'too many elements');

    let contentStart = start + 2;
    let length = first;
    if (first >= 0x80) {
      const size = first & 0x7f;
      // 0x80 is BER's indefinite form. More than four length bytes would exceed every size limit.
      if (size === 0 || size > 4) throw new PkiError('der_length', 'indefinite or oversized length');
      if (contentStart + size > limit) throw new PkiError('der_truncated', 'truncated length');
      length = 0;
      for (let index = 0; index < size; index++) length = length * 256 + (bytes[contentStart + index] ?? 0);
      if (length < 0x80 || length < 256 ** (size - 1)) {
        throw new PkiError('der_length', 'length not minimally encoded');
      }
      contentStart += size;
    }
    const end = contentStart + length;
    if (end > limit) throw new PkiError('der_truncated', 'truncated content');
    this.#position = end;
    return new DerElement(found, bytes, start, contentStart, end);
  }

  /** Reads the next element if it has this tag, otherwise returns null. Throws PkiError if it is malformed. */
  optional(tag: number): DerElement | null {
    return this.nextTag === tag ? this.read() : null;
  }

  /**
   * Reads the next element and returns a reader over its content. Throws PkiError if it is malformed or its tag
   * differs from `tag`.
   */
  enter(tag: number): DerReader {
    return this.read(tag).open();
  }

  /** Throws PkiError if unread bytes remain. */
  end(): void {
    if (!this.done) throw new PkiError('der_trailing', 'extra bytes after the end');
  }
}

/** Reads the only element of `bytes`. Throws PkiError if it is malformed, its tag differs or bytes follow. */
export function onlyElement(bytes: Uint8Array, tag: number): DerElement {
  const reader = new DerReader(bytes);
  const element = reader.read(tag);
  reader.end();
  return element;
}

/**
 * Reads a non-empty list (`SIZE (1..MAX) OF`) with `read` for each element. Throws PkiError if it is malformed or
 * empty.
 */
export function nonEmptyList<Item>(
  bytes: Uint8Array,
  tag: number,
  read: (reader: DerReader) => Item,
): Item[] {
  const reader = onlyElement(bytes, tag).open();
  if (reader.done) throw new PkiError('empty', 'empty list');
  const items: Item[] = [];
  while (!reader.done) items.push(read(reader));
  return items;
}
