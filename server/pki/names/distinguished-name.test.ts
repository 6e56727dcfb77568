import { describe, expect, it } from 'vitest';
import {
  objectIdentifier,
  printableString,
  sequence,
  set,
  tlv,
  utf8String,
} from '../../../tests/kit/certificates/der-writer.ts';
import { isSameName } from '../certificate.ts';
import { formatDistinguishedName, parseDistinguishedName } from './distinguished-name.ts';

const CN = '2.5.4.3';
const O = '2.5.4.10';
const pair = (type: string, value: Uint8Array) => sequence(objectIdentifier(type), value);
const name = (...attributes: Uint8Array[]) =>
  parseDistinguishedName(sequence(...attributes.map((one) => set(one))));

describe('the RFC 4514 text of a name', () => {
  it('starts with the most specific attribute', () => {
    const subject = name(
      pair('2.5.4.6', printableString('DE')),
      pair(O, utf8String('Müller')),
      pair(CN, utf8String('a')),
    );
    expect(formatDistinguishedName(subject)).toBe('CN=a,O=Müller,C=DE');
  });

  it('is empty for the empty name', () => {
    expect(formatDistinguishedName(name())).toBe('');
    expect(name().isEmpty).toBe(true);
  });

  it('joins the attributes of one relative name with a plus sign', () => {
    const subject = parseDistinguishedName(
      sequence(set(pair(O, utf8String('a')), pair(CN, utf8String('b')))),
    );
    expect(formatDistinguishedName(subject)).toBe('O=a+CN=b');
  });

  it.each([
    ['Sue, Grabbit and Runn', 'Sue\\, Grabbit and Runn'],
    [' #a ', '\\ #a\\ '],
    ['#a', '\\#a'],
    [' ', '\\ '],
    ['a"b+c;d<e>f\\g', 'a\\"b\\+c\\;d\\<e\\>f\\\\g'],
    ['a\u0000b', 'a\\00b'],
    ['x\r\nBcc: all', 'x\\0D\\0ABcc: all'],
    ['a\u202eb', 'a\\E2\\80\\AEb'],
    ['<script>', '\\<script\\>'],
    ['é👍', 'é👍'],
  ])('escapes %j', (text, escaped) => {
    expect(formatDistinguishedName(name(pair(CN, utf8String(text))))).toBe(`CN=${escaped}`);
  });

  it('shows values of unnamed types and values that are not text as hex', () => {
    expect(formatDistinguishedName(name(pair('1.2.3.4', utf8String('a'))))).toBe('1.2.3.4=#0c0161');
    expect(formatDistinguishedName(name(pair(CN, tlv(0x03, Uint8Array.of(0, 1)))))).toBe('CN=#03020001');
  });
});

describe('the attributes of a name', () => {
  it('are found by type, the most specific value first', () => {
    const subject = name(pair('2.5.4.11', utf8String('first')), pair('2.5.4.11', utf8String('last')));
    expect(subject.attribute('OU')).toBe('last');
    expect(subject.attribute('2.5.4.11')).toBe('last');
    expect(subject.attribute('CN')).toBeNull();
  });

  it('are decoded from every string type', () => {
    expect(name(pair(CN, tlv(0x1e, Buffer.from('00e400df', 'hex')))).attribute('CN')).toBe('äß');
    expect(name(pair(CN, tlv(0x1c, Buffer.from('0001f44d', 'hex')))).attribute('CN')).toBe('👍');
    expect(name(pair(CN, tlv(0x14, Buffer.from('e4', 'hex')))).attribute('CN')).toBe('ä');
  });

  it.each([
    ['invalid UTF-8', 0x0c, 'ff'],
    ['a BMPString of odd length', 0x1e, '00'],
    ['a UniversalString beyond Unicode', 0x1c, '00110000'],
  ])('are refused if one is %s', (_, tag, hex) => {
    expect(() => name(pair(CN, tlv(tag, Buffer.from(hex, 'hex'))))).toThrow(
      expect.objectContaining({ code: 'der_string' }),
    );
  });

  it('are refused if there are thousands', () => {
    const many = Array.from({ length: 5_000 }, () => pair(CN, utf8String('a')));
    expect(() => name(...many)).toThrow(expect.objectContaining({ code: 'too_large' }));
  });
});

describe('the comparison of names (RFC 5280 §7.1)', () => {
  it('ignores string type, case and spacing', () => {
    const left = name(pair(CN, utf8String('Some  CA ')));
    expect(isSameName(left, name(pair(CN, printableString('some ca'))))).toBe(true);
  });

  it('respects the order, types and boundaries of attributes', () => {
    const left = name(pair(O, utf8String('a')), pair(CN, utf8String('b')));
    expect(isSameName(left, name(pair(CN, utf8String('b')), pair(O, utf8String('a'))))).toBe(false);
    expect(isSameName(left, name(pair(O, utf8String('a\u00012.5.4.3=b'))))).toBe(false);
  });
});
