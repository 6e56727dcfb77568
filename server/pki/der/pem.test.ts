import { describe, expect, it } from 'vitest';
import {
  integer,
  objectIdentifier,
  sequence,
  set,
  tagged,
} from '../../../tests/kit/certificates/der-writer.ts';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { PkiError } from '../pki-error.ts';
import { pemCertificates } from '../certificate-bundle.ts';
import { toPem } from './pem.ts';

const [one, two] = [mintAuthority({ commonName: 'One' }), mintAuthority({ commonName: 'Two' })];

describe('PEM text', () => {
  it('gives its certificates in order, whatever text surrounds them', () => {
    const text = `# roots\n${one.certificatePem.replaceAll('\n', '\r\n')}some text\n${two.certificatePem}`;
    expect(pemCertificates(text).map((der) => Buffer.from(der))).toEqual([one.der, two.der]);
    expect(pemCertificates('nothing here')).toEqual([]);
  });

  it('may have OpenSSL trust data, PKCS#7 or CMS, from which the certificates are read', () => {
    const block = (label: string, der: Uint8Array) =>
      `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64')}\n-----END ${label}-----\n`;
    const data = sequence(integer(1n), set(), sequence(), tagged(0, true, one.der, two.der), set());
    const message = sequence(objectIdentifier('1.2.840.113549.1.7.2'), tagged(0, true, data));
    const trusted = Buffer.concat([one.der, sequence(sequence(objectIdentifier('1.3.6.1.5.5.7.3.1')))]);
    const ders = (text: string) => pemCertificates(text).map((der) => Buffer.from(der));
    expect(ders(block('TRUSTED CERTIFICATE', trusted) + two.certificatePem)).toEqual([one.der, two.der]);
    // certutil of Windows writes every file as a CERTIFICATE.
    for (const label of ['PKCS7', 'CMS', 'PKCS #7 SIGNED DATA', 'CERTIFICATE'])
      expect(ders(block(label, message))).toEqual([one.der, two.der]);
    expect(() => pemCertificates(block('PKCS7', message.subarray(0, 100)))).toThrow(PkiError);
  });

  it('is written as OpenSSL writes it', () => {
    expect(toPem(one.der)).toBe(one.certificatePem);
    expect(pemCertificates(toPem(one.der) + toPem(two.der)).map((der) => Buffer.from(der))).toEqual([
      one.der,
      two.der,
    ]);
  });

  it.each([
    ['a block that does not end', one.certificatePem.slice(0, 200)],
    ['a block inside a block', one.certificatePem.slice(0, 200) + two.certificatePem],
    ['something else than base64', one.certificatePem.replace('MII', 'M*I')],
    ['base64 cut off', one.certificatePem.replace('MII', 'MI')],
  ])('is refused with %s', (_, text) => {
    expect(() => pemCertificates(text)).toThrow(expect.objectContaining({ code: 'pem' }));
  });

  it('is refused if it has 9 MB', () => {
    expect(() => pemCertificates(' '.repeat(9_000_000))).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    );
  });
});
