import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  bitString,
  integer,
  nothing,
  objectIdentifier,
  sequence,
  tagged,
} from '../../tests/kit/certificates/der-writer.ts';
import { parsePublicKey } from './public-key.ts';
import { checkSignature, isWeakSignature, parseSignatureAlgorithm } from './signature.ts';

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
    ['ML-DSA-44', '2.16.840.1.101.3.4.3.17', [], false],
    ['SLH-DSA-SHA2-128s', '2.16.840.1.101.3.4.3.20', [], false],
    ['SLH-DSA-SHAKE-256f', '2.16.840.1.101.3.4.3.31', [], false],
  ] as const)('have a name and a strength: %s (%s)', (name, oid, parameters, weak) => {
    const found = algorithm(oid, ...parameters);
    expect(found.name).toBe(name);
    expect(isWeakSignature(found)).toBe(weak);
  });

  it.each([
    ['an unknown OID', '1.2.3.4', []],
    ['ECDSA with parameters', '1.2.840.10045.4.3.2', [nothing()]],
    ['ML-DSA with parameters', '2.16.840.1.101.3.4.3.18', [nothing()]],
    ['RSA with a number as parameter', '1.2.840.113549.1.1.11', [integer(1n)]],
  ])('are unknown, but not weak, with %s', (_, oid, parameters) => {
    const found = algorithm(oid, ...parameters);
    expect(found).toMatchObject({ name: oid, identifier: oid, scheme: 'unknown' });
    expect(isWeakSignature(found)).toBe(false);
  });

  it('include RSA-PSS, unless its parameters are inconsistent or too large', () => {
    expect(pss(SHA256, SHA256, 32n)).toMatchObject({ name: 'RSA-PSS-SHA256', saltBytes: 32 });
    expect(pss(SHA256, SHA384, 32n).scheme).toBe('unknown');
    expect(pss(SHA256, SHA256, 100_000n).scheme).toBe('unknown');
    expect(algorithm('1.2.840.113549.1.1.10', sequence())).toMatchObject({ hash: 'sha1', saltBytes: 20 });
  });
});

describe('checkSignature', () => {
  it('accepts what the key signed and nothing else', () => {
    const plain = algorithm('1.2.840.113549.1.1.11', nothing());
    const signature = sign('sha256', data, rsa.privateKey);
    expect(checkSignature(plain, data, signature, rsaKey)).toBe('valid');
    expect(checkSignature(plain, Buffer.from('other'), signature, rsaKey)).toBe('invalid');
    expect(checkSignature(algorithm('1.2.840.113549.1.1.12'), data, signature, rsaKey)).toBe('invalid');
    expect(checkSignature(plain, data, Buffer.of(), rsaKey)).toBe('invalid');
  });

  it('requires a key of the type that the algorithm names', () => {
    const signature = sign('sha256', data, ec.privateKey);
    expect(checkSignature(algorithm('1.2.840.10045.4.3.2'), data, signature, ecKey)).toBe('valid');
    expect(checkSignature(algorithm('1.2.840.113549.1.1.11'), data, signature, ecKey)).toBe('invalid');
    expect(checkSignature(algorithm('1.2.840.10045.4.3.2'), data, signature, rsaKey)).toBe('invalid');
  });

  it('requires the salt length that the RSA-PSS parameters name', () => {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const signature = sign('sha256', data, { key: rsa.privateKey, padding, saltLength: 32 });
    expect(checkSignature(pss(SHA256, SHA256, 32n), data, signature, rsaKey)).toBe('valid');
    expect(checkSignature(pss(SHA256, SHA256, 20n), data, signature, rsaKey)).toBe('invalid');
    expect(checkSignature(algorithm('1.2.840.113549.1.1.11'), data, signature, rsaKey)).toBe('invalid');
  });

  it.each(['ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87', 'slh-dsa-sha2-128s', 'ed448'] as const)(
    'verifies %s with a key of the same parameter set only',
    (type) => {
      // The types of generateKeyPairSync have one overload for each kind of key.
      const { privateKey, publicKey } = generateKeyPairSync(type as 'ed25519');
      const key = parsePublicKey(publicKey.export({ type: 'spki', format: 'der' }));
      const signature = sign(null, data, privateKey);
      expect(checkSignature(algorithm(key.algorithm), data, signature, key)).toBe('valid');
      expect(checkSignature(algorithm(key.algorithm), Buffer.from('other'), signature, key)).toBe('invalid');
      expect(checkSignature(algorithm(key.algorithm), data, signature, ecKey)).toBe('invalid');
      expect(checkSignature(algorithm('1.3.101.112'), data, signature, key)).toBe('invalid');
    },
  );

  it.each([
    ['an unknown algorithm', algorithm('1.2.643.7.1.1.3.2'), ecKey],
    ['a key of an unknown type', algorithm('1.2.840.10045.4.3.2'), keyWith('1.2.643.7.1.1.1.1')],
    [
      'a curve that OpenSSL does not know',
      algorithm('1.2.840.10045.4.3.2'),
      keyWith('1.2.840.10045.2.1', objectIdentifier('1.2.3.4')),
    ],
    ['explicit curve parameters', algorithm('1.2.840.10045.4.3.2'), keyWith('1.2.840.10045.2.1', sequence())],
  ])('does not tell whether a signature is valid with %s', (_, unknown, key) => {
    const signature = sign('sha256', data, ec.privateKey);
    expect(checkSignature(unknown, data, signature, key)).toBe('unverifiable');
  });
});

function keyWith(oid: string, ...parameters: Uint8Array[]) {
  return parsePublicKey(
    sequence(sequence(objectIdentifier(oid), ...parameters), bitString(Buffer.of(4, 1, 2))),
  );
}
