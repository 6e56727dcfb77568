import { describe, expect, it } from 'vitest';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import {
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
} from '../../tests/kit/certificates/der-writer.ts';
import { parseCertificateBundle } from './certificate-bundle.ts';
import { PkiError } from './pki-error.ts';

const one = mintAuthority();
const other = mintAuthority();

/** Encodes a certs-only message (RFC 5652) with the given certificates. */
function message(certificates: readonly Uint8Array[], type = '1.2.840.113549.1.7.2'): Buffer {
  const data = sequence(
    integer(1n),
    set(),
    sequence(objectIdentifier('1.2.840.113549.1.7.1')),
    tagged(0, true, ...certificates),
    set(),
  );
  return sequence(objectIdentifier(type), tagged(0, true, data));
}

describe('a certificate bundle from an AIA address', () => {
  it('can be one certificate, a CMS message with several, or PEM', () => {
    expect(parseCertificateBundle(one.der)).toEqual([one.der]);
    expect(parseCertificateBundle(message([one.der, other.der])).map((der) => Buffer.from(der))).toEqual([
      one.der,
      other.der,
    ]);
    const pem = Buffer.from(`# text\n${one.certificatePem}\n${other.certificatePem}`);
    expect(parseCertificateBundle(pem).map((der) => Buffer.from(der))).toEqual([one.der, other.der]);
  });

  it('can be a message with indefinite or padded lengths, as BER allows', () => {
    const indefinite = (tag: number, ...parts: Uint8Array[]) =>
      Buffer.concat([Buffer.of(tag, 0x80), ...parts, Buffer.alloc(2)]);
    const padded = (tag: number, ...parts: Uint8Array[]) => {
      const content = Buffer.concat(parts);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(content.length);
      return Buffer.concat([Buffer.of(tag, 0x84), length, content]);
    };
    for (const element of [indefinite, padded]) {
      const content = [integer(1n), set(), element(0x30, objectIdentifier('1.2.840.113549.1.7.1'))];
      const data = element(0x30, ...content, element(0xa0, one.der, other.der), set());
      const bytes = element(0x30, objectIdentifier('1.2.840.113549.1.7.2'), element(0xa0, data));
      expect(parseCertificateBundle(bytes).map((der) => Buffer.from(der))).toEqual([one.der, other.der]);
    }
  });

  it('is read without the entries that are not certificates', () => {
    expect(parseCertificateBundle(message([one.der, tagged(1, true, one.der)]))).toHaveLength(1);
  });

  it.each([
    ['an empty body', Buffer.alloc(0)],
    ['an HTML page', Buffer.from('<!doctype html>')],
    ['a message without certificates', message([])],
    ['another kind of message', message([one.der], '1.2.840.113549.1.7.1')],
    ['a message with 33 certificates', message(Array.from({ length: 33 }, () => one.der))],
    ['a message of nested indefinite lengths', Buffer.from(`3080060100${'3080'.repeat(5_000)}`, 'hex')],
    ['a message with too many elements', message([Buffer.alloc(40_000)])],
    ['a message that is cut off', message([one.der]).subarray(0, 200)],
    ['a message with bytes after its end', Buffer.concat([message([one.der]), Buffer.of(0)])],
    ['content of another type', sequence(objectIdentifier('1.2.840.113549.1.7.2'), octetString(one.der))],
  ])('is refused if it is %s', (_name, bytes) => {
    expect(() => parseCertificateBundle(bytes)).toThrow(PkiError);
  });
});
