import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  integer,
  objectIdentifier,
  octetString,
  sequence,
  tlv,
} from '../../../tests/kit/certificates/der-writer.ts';
import { DerReader, nonEmptyList, onlyElement, TAG } from './der.ts';
import { bitStringValue, booleanValue, countValue, objectIdentifierText, timeValue } from './der-values.ts';
import { PkiError } from '../pki-error.ts';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const element = (hex: string) => new DerReader(bytes(hex)).read();

function codeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof PkiError) return error.code;
    throw error;
  }
}

describe('the DER reader', () => {
  it('reads elements in order and recognises the end', () => {
    const reader = new DerReader(sequence(integer(5n), octetString(bytes('aabb')))).enter(TAG.sequence);
    expect(countValue(reader.read(TAG.integer))).toBe(5);
    expect([...reader.read(TAG.octetString).content]).toEqual([0xaa, 0xbb]);
    expect(reader.done).toBe(true);
    expect(reader.nextTag).toBe(-1);
  });

  it.each([
    ['no bytes', '', 'der_truncated'],
    ['a tag without a length', '30', 'der_truncated'],
    ['content shorter than its length', '30 05 0101', 'der_truncated'],
    ['a length cut off', '30 82 01', 'der_truncated'],
    ['an indefinite length', '30 80 0000', 'der_length'],
    ['a long form below 128', '30 81 01 00', 'der_length'],
    ['a long form with a leading zero', '30 82 00ff', 'der_length'],
    ['a length of four octets', '30 84 00000001 00', 'der_length'],
    ['a reserved length octet', '30 ff', 'der_length'],
    ['a multi-byte tag', '3f 8101 00', 'der_tag'],
    ['an unexpected tag', '31 00', 'der_tag'],
    ['bytes after the end', '30 00 00', 'der_trailing'],
  ])('refuses %s', (_, hex, code) => {
    expect(codeOf(() => onlyElement(bytes(hex), TAG.sequence))).toBe(code);
  });

  it('refuses an empty list where one entry is required', () => {
    expect(codeOf(() => nonEmptyList(sequence(), TAG.sequence, (reader) => reader.read()))).toBe('empty');
  });

  it('refuses lists of 20,000 entries', () => {
    const list = sequence(...Array.from({ length: 20_000 }, () => integer(1n)));
    expect(codeOf(() => nonEmptyList(list, TAG.sequence, (reader) => reader.read()))).toBe('too_large');
  });

  it('throws nothing but PkiError for any bytes', () => {
    const walk = (content: Uint8Array, depth: number): void => {
      const reader = new DerReader(content);
      while (!reader.done) {
        const child = reader.read();
        if ((child.tag & 0x20) !== 0 && depth < 50) walk(child.content, depth + 1);
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (input) => {
        codeOf(() => walk(input, 0));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('reading DER values', () => {
  it.each([
    ['01 01 ff', true],
    ['01 01 00', false],
  ])('reads BOOLEAN %s', (hex, value) => expect(booleanValue(element(hex))).toBe(value));

  it.each(['01 01 01', '01 00', '01 02 ffff'])('refuses BOOLEAN %s', (hex) => {
    expect(codeOf(() => booleanValue(element(hex)))).toBe('der_boolean');
  });

  it.each([
    ['02 00', 'der_integer'],
    ['02 02 0001', 'der_integer'],
    ['02 02 ffff', 'der_integer'],
    ['02 01 ff', 'value'],
    ['02 05 0100000000', 'value'],
  ])('refuses INTEGER %s as a count', (hex, code) =>
    expect(codeOf(() => countValue(element(hex)))).toBe(code),
  );

  it.each(['03 00', '03 01 01', '03 02 0800', '03 02 0101'])('refuses BIT STRING %s', (hex) => {
    expect(codeOf(() => bitStringValue(element(hex)))).toBe('der_bit_string');
  });

  it('reads object identifiers', () => {
    for (const dotted of ['2.5.29.17', '1.2.840.113549.1.1.11', '0.9.2342.19200300.100.1.25', '2.999.1']) {
      expect(objectIdentifierText(onlyElement(objectIdentifier(dotted), 0x06).content)).toBe(dotted);
    }
  });

  it.each(['', '80 01', '2a 86', '55 1d 80 11'])(
    'refuses an object identifier with the bytes “%s”',
    (hex) => {
      expect(codeOf(() => objectIdentifierText(bytes(hex)))).toBe('der_object_identifier');
    },
  );

  it('distinguishes arcs of object identifiers beyond 2^53', () => {
    const arc = (last: string) => objectIdentifierText(bytes(`69 83 86 a0 ff ff ff ff ff ff ff ff ${last}`));
    expect(arc('01')).not.toBe(arc('02'));
  });
});

describe('reading DER times', () => {
  const time = (tag: number, text: string) =>
    timeValue(new DerReader(tlv(tag, Buffer.from(text, 'latin1'))).read());

  it.each([
    [TAG.utcTime, '500101000000Z', '1950-01-01T00:00:00.000Z'],
    [TAG.utcTime, '491231235959Z', '2049-12-31T23:59:59.000Z'],
    [TAG.utcTime, '240229120000Z', '2024-02-29T12:00:00.000Z'],
    [TAG.generalizedTime, '20500101000000Z', '2050-01-01T00:00:00.000Z'],
    [TAG.generalizedTime, '99991231235959Z', '9999-12-31T23:59:59.000Z'],
    [TAG.generalizedTime, '00010101000000Z', '0001-01-01T00:00:00.000Z'],
  ])('reads a time with the tag %i and the text %s', (tag, text, iso) =>
    expect(new Date(time(tag, text)).toISOString()).toBe(iso),
  );

  it.each([
    [TAG.utcTime, '2401010000Z'],
    [TAG.utcTime, '240101000000+0100'],
    [TAG.utcTime, '240101000000'],
    [TAG.utcTime, '230229000000Z'],
    [TAG.utcTime, '241301000000Z'],
    [TAG.utcTime, '240101240000Z'],
    [TAG.utcTime, '240101000060Z'],
    [TAG.generalizedTime, '20500101000000.5Z'],
    [TAG.generalizedTime, '20500101000000z'],
  ])('refuses a time with the tag %i and the text %s', (tag, text) =>
    expect(codeOf(() => time(tag, text))).toBe('der_time'),
  );
});
