import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  integer,
  nothing,
  objectIdentifier,
  sequence,
  tagged,
} from '../../tests/kit/certificates/der-writer.ts';
import { parsePublicKey } from './public-key.ts';
import { isWeakSignature, parseSignatureAlgorithm, verifySignature } from './signature.ts';

const SHA256 = '2.16.840.1.101.3.4.2.1';
const SHA384 = '2.16.840.1.101.3.4.2.2';
const algorithm = (oid: string, ...parameters: Uint8Array[]) =>
  parseSignatureAlgorithm(sequence(objectIdentifier(oid), ...parameters));
const pss = (hash: string, maskHash: string, salt: bigint) =>
  algorithm(
    '1.2.840.113549.1.1.10',
    sequence(
      tagged(0, true, sequence(objectIdentifier(hash))),
      tagged(
        1,
        true,
        sequence(objectIdentifier('1.2.840.113549.1.1.8'), sequence(objectIdentifier(maskHash), nothing())),
      ),
      tagged(2, true, integer(salt)),
    ),
  );

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaKey = parsePublicKey(rsa.publicKey.export({ type: 'spki', format: 'der' }));
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecKey = parsePublicKey(ec.publicKey.export({ type: 'spki', format: 'der' }));
const data = Buffer.from('signed');

describe('signature algorithms', () => {
  it.each([
    ['RSA-SHA256', '1.2.840.113549.1.1.11', [nothing()], false],
    ['RSA-SHA256', '1.2.840.113549.1.1.11', [], false],
    ['ECDSA-SHA384', '1.2.840.10045.4.3.3', [], false],
    ['Ed25519', '1.3.101.112', [], false],
    ['RSA-SHA1', '1.2.840.113549.1.1.5', [nothing()], true],
    ['RSA-MD5', '1.2.840.113549.1.1.4', [nothing()], true],
    ['ECDSA-SHA1', '1.2.840.10045.4.1', [], true],
    ['1.2.3.4', '1.2.3.4', [], true],
    ['1.2.840.10045.4.3.2', '1.2.840.10045.4.3.2', [nothing()], true],
    ['1.2.840.113549.1.1.11', '1.2.840.113549.1.1.11', [integer(1n)], true],
  ] as const)('have a name and a strength: %s (%s)', (name, oid, parameters, weak) => {
    const found = algorithm(oid, ...parameters);
    expect(found.name).toBe(name);
    expect(isWeakSignature(found)).toBe(weak);
  });

  it('include RSA-PSS, unless its parameters are inconsistent or too large', () => {
    expect(pss(SHA256, SHA256, 32n)).toMatchObject({ name: 'RSA-PSS-SHA256', saltBytes: 32 });
    expect(pss(SHA256, SHA384, 32n).scheme).toBe('unknown');
    expect(pss(SHA256, SHA256, 100_000n).scheme).toBe('unknown');
    expect(algorithm('1.2.840.113549.1.1.10', sequence())).toMatchObject({ hash: 'sha1', saltBytes: 20 });
  });
});

describe('verifySignature', () => {
  it('accepts what the key signed and nothing else', () => {
    const plain = algorithm('1.2.840.113549.1.1.11', nothing());
    const signature = sign('sha256', data, rsa.privateKey);
    expect(verifySignature(plain, data, signature, rsaKey)).toBe(true);
    expect(verifySignature(plain, Buffer.from('other'), signature, rsaKey)).toBe(false);
    expect(verifySignature(algorithm('1.2.840.113549.1.1.12'), data, signature, rsaKey)).toBe(false);
    expect(verifySignature(plain, data, Buffer.of(), rsaKey)).toBe(false);
  });

  it('requires a key of the type that the algorithm names', () => {
    const signature = sign('sha256', data, ec.privateKey);
    expect(verifySignature(algorithm('1.2.840.10045.4.3.2'), data, signature, ecKey)).toBe(true);
    expect(verifySignature(algorithm('1.2.840.113549.1.1.11'), data, signature, ecKey)).toBe(false);
    expect(verifySignature(algorithm('1.2.840.10045.4.3.2'), data, signature, rsaKey)).toBe(false);
  });

  it('requires the salt length that the RSA-PSS parameters name', () => {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const signature = sign('sha256', data, { key: rsa.privateKey, padding, saltLength: 32 });
    expect(verifySignature(pss(SHA256, SHA256, 32n), data, signature, rsaKey)).toBe(true);
    expect(verifySignature(pss(SHA256, SHA256, 20n), data, signature, rsaKey)).toBe(false);
    expect(verifySignature(algorithm('1.2.840.113549.1.1.11'), data, signature, rsaKey)).toBe(false);
  });
});
