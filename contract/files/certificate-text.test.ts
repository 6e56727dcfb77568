import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { integer, objectIdentifier, sequence, set, tagged } from '../../tests/kit/certificates/der-writer.ts';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { certificateText } from './certificate-text.ts';

const root = mintAuthority();
const message = (type: string) =>
  sequence(objectIdentifier(type), tagged(0, true, sequence(integer(1n), set())));
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = (type: 'pkcs8' | 'sec1', cipher?: object) =>
  privateKey.export({ type, format: 'der', ...cipher } as { type: 'pkcs8'; format: 'der' });

const textOf = (bytes: Uint8Array) => {
  const read = certificateText(bytes);
  return read.ok ? read.text : read.message;
};

describe('certificateText', () => {
  it('returns the PEM text of a file in UTF-8 or UTF-16, with or without a byte order mark', () => {
    const pem = root.certificatePem;
    const big = Buffer.from(pem, 'utf16le').swap16();
    for (const bytes of [
      Buffer.from(`\uFEFF${pem}`),
      Buffer.from(`\uFEFF${pem}`, 'utf16le'),
      Buffer.from(pem, 'utf16le'),
      Buffer.concat([Buffer.of(0xfe, 0xff), big]),
      big,
    ])
      expect(textOf(bytes)).toBe(pem);
  });

  it('converts DER, and PKCS#7 in DER, to PEM', () => {
    expect(textOf(root.der)).toBe(root.certificatePem);
    expect(textOf(message('1.2.840.113549.1.7.2'))).toMatch(
      /^-----BEGIN PKCS7-----\n[^-]+\n-----END PKCS7-----\n$/,
    );
  });

  it.each([
    ['PKCS#12', sequence(integer(3n), message('1.2.840.113549.1.7.1')), 'PKCS#12'],
    ['a private key in PKCS#8', key('pkcs8'), 'private key'],
    ['a private key in SEC 1', key('sec1'), 'private key'],
    ['an encrypted private key', key('pkcs8', { cipher: 'aes-256-cbc', passphrase: 'x' }), 'a key'],
    ['a private key in PEM', Buffer.from(root.issue({}).keyPem), 'private key'],
    ['PKCS#7 of another kind', message('1.2.840.113549.1.7.3'), 'encrypted or has no certificates'],
    ['a Java keystore', Buffer.from('feedfeed00000002', 'hex'), 'Java keystore'],
    ['an image', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'neither text nor a certificate'],
  ])('refuses %s and says why', (_, bytes, reason) => {
    const read = certificateText(bytes);
    expect(read).toEqual({ ok: false, message: expect.stringContaining(reason) });
  });
});
