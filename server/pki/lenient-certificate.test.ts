import { expect, it } from 'vitest';
import { boolean, sequence, tlv, utf8String } from '../../tests/kit/certificates/der-writer.ts';
import { type CertificateOptions, mintAuthority, nameDer } from '../../tests/kit/certificates/mint.ts';
import { tryParseCertificate } from './certificate.ts';
import { readLeniently } from './lenient-certificate.ts';

const root = mintAuthority({ commonName: 'Odd Root', organization: null });
const utc = (text: string) => tlv(0x17, Buffer.from(text));
const generalized = (text: string) => tlv(0x18, Buffer.from(text));
const unknown = { oid: '1.3.6.1.4.1.99999.1', value: boolean(true) };

function issue(options: CertificateOptions): Uint8Array {
  return root.issue({
    dnsNames: ['a.example', 'b.example'],
    notBefore: Date.UTC(2026, 0, 1),
    notAfter: Date.UTC(2026, 6, 1),
    ...options,
  }).der;
}

const valid = (...times: Uint8Array[]): CertificateOptions => ({
  editFields: (fields) => fields.with(4, sequence(...times)),
});

it.each<[string, CertificateOptions]>([
  ['an extension twice', { extraExtensions: [unknown, unknown] }],
  ['a time without seconds', valid(utc('2601010000Z'), utc('260701000000Z'))],
  ['a time with an offset', valid(utc('260101013000+0130'), utc('260701000000Z'))],
  ['a time with fractions of a second', valid(utc('260101000000Z'), generalized('20260701000000.5Z'))],
  ['version 1 although it has extensions', { editFields: (fields) => fields.slice(1) }],
])('A certificate with %s is read in part', (_oddity, options) => {
  const der = issue(options);
  expect(tryParseCertificate(der)).toBeNull();
  expect(readLeniently(der)).toEqual({
    subject: 'CN=a.example',
    issuer: 'CN=Odd Root',
    notBefore: Date.UTC(2026, 0, 1),
    notAfter: Date.UTC(2026, 6, 1),
    dnsNames: ['a.example', 'b.example'],
  });
});

it('A malformed field of a certificate does not hide its other fields', () => {
  const emptyName = sequence(tlv(0x31));
  const der = issue({ subjectDer: emptyName, ...valid(utf8String('today'), utc('260701000000Z')) });
  expect(readLeniently(der)).toEqual({
    subject: null,
    issuer: 'CN=Odd Root',
    notBefore: null,
    notAfter: Date.UTC(2026, 6, 1),
    dnsNames: ['a.example', 'b.example'],
  });
});

it.each([
  ['no bytes', Buffer.alloc(0)],
  ['no sequence', Buffer.from('0500', 'hex')],
  ['a name alone', nameDer({ commonName: 'A' })],
  ['the first half of a certificate', issue({}).subarray(0, 200)],
])('readLeniently returns null for %s', (_name, der) => {
  expect(readLeniently(der)).toBeNull();
});
