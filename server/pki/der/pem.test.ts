import { describe, expect, it } from 'vitest';
import { mintAuthority } from '../../../tests/kit/certificates/mint.ts';
import { splitPem, toPem } from './pem.ts';

const [one, two] = [mintAuthority({ commonName: 'One' }), mintAuthority({ commonName: 'Two' })];

describe('PEM text', () => {
  it('gives its certificates in order, whatever text surrounds them', () => {
    const text = `# roots\n${one.certificatePem.replaceAll('\n', '\r\n')}some text\n${two.certificatePem}`;
    expect(splitPem(text).map((der) => Buffer.from(der))).toEqual([one.der, two.der]);
    expect(splitPem('nothing here')).toEqual([]);
  });

  it('is written as OpenSSL writes it', () => {
    expect(toPem(one.der)).toBe(one.certificatePem);
    expect(splitPem(toPem(one.der) + toPem(two.der)).map((der) => Buffer.from(der))).toEqual([
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
    expect(() => splitPem(text)).toThrow(expect.objectContaining({ code: 'pem' }));
  });

  it('is refused if it has 9 MB', () => {
    expect(() => splitPem(' '.repeat(9_000_000))).toThrow(expect.objectContaining({ code: 'too_large' }));
  });
});
