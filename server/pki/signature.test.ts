import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  bitString,
  derNull,
  integer,
  objectIdentifier,
  sequence,
  tagged,
} from '../../tests/kit/certificates/der-writer.ts';
import { pssAlgorithm, type PssOptions, pssSign } from '../../tests/kit/certificates/pss.ts';
import { parsePublicKey } from './public-key.ts';
import {
  checkSignature,
  isWeakSignature,
  parseSignatureAlgorithm,
  type SignatureCheck,
} from './signature.ts';

const algorithm = (oid: string, ...parameters: Uint8Array[]) =>
  parseSignatureAlgorithm(sequence(objectIdentifier(oid), ...parameters));

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaKey = parsePublicKey(rsa.publicKey.export({ type: 'spki', format: 'der' }));
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecKey = parsePublicKey(ec.publicKey.export({ type: 'spki', format: 'der' }));
const data = Buffer.from('signed');

describe('signature algorithms', () => {
  it.each([
    ['RSA-SHA256', '1.2.840.113549.1.1.11', [derNull()], false],
    ['RSA-SHA256', '1.2.840.113549.1.1.11', [], false],
    ['ECDSA-SHA384', '1.2.840.10045.4.3.3', [], false],
    ['Ed25519', '1.3.101.112', [], false],
    ['RSA-SHA1', '1.2.840.113549.1.1.5', [derNull()], true],
    ['RSA-MD5', '1.2.840.113549.1.1.4', [derNull()], true],
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
    ['ECDSA with parameters', '1.2.840.10045.4.3.2', [derNull()]],
    ['ML-DSA with parameters', '2.16.840.1.101.3.4.3.18', [derNull()]],
    ['RSA with a number as parameter', '1.2.840.113549.1.1.11', [integer(1n)]],
  ])('are unknown, but not weak, with %s', (_, oid, parameters) => {
    const found = algorithm(oid, ...parameters);
    expect(found).toMatchObject({ name: oid, identifier: oid, scheme: 'unknown' });
    expect(isWeakSignature(found)).toBe(false);
  });

  it('include RSA-PSS, unless its hash is unknown or its salt too long', () => {
    const parsed = (options: PssOptions) => parseSignatureAlgorithm(pssAlgorithm(options));
    expect(parsed({})).toMatchObject({ name: 'RSA-PSS-SHA256', pss: { maskHash: 'sha256', saltBytes: 32 } });
    expect(parsed({ hash: 'sha384', maskHash: 'sha256' })).toMatchObject({
      name: 'RSA-PSS-SHA384',
      pss: { maskHash: 'sha256', saltBytes: 48 },
    });
    expect(parsed({ parameters: sequence() })).toMatchObject({
      hash: 'sha1',
      pss: { maskHash: 'sha1', saltBytes: 20, trailer: 1, writesTrailer: false, lacksNull: false },
    });
    expect(parsed({ trailer: 1 }).pss).toMatchObject({ trailer: 1, writesTrailer: true });
    expect(parsed({ withNull: false }).pss).toMatchObject({ lacksNull: true });
    expect(parsed({ hash: 'md5' }).scheme).toBe('unknown');
    expect(parsed({ maskHash: 'md5' }).scheme).toBe('unknown');
    expect(parsed({ saltBytes: 100_000 }).scheme).toBe('unknown');
  });
});

describe('checkSignature', () => {
  it('accepts what the key signed and nothing else', () => {
    const plain = algorithm('1.2.840.113549.1.1.11', derNull());
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

  it.each<[what: string, made: PssOptions, stated: PssOptions, check: SignatureCheck]>([
    ['made as stated', {}, {}, 'valid'],
    ['with the stated salt length of 20 bytes', { saltBytes: 20 }, { saltBytes: 20 }, 'valid'],
    ['with another salt length than stated', {}, { saltBytes: 20 }, 'invalid'],
    ['with the stated mask hash SHA-1', { maskHash: 'sha1' }, { maskHash: 'sha1' }, 'valid'],
    ['with another mask hash than stated', {}, { maskHash: 'sha1' }, 'invalid'],
    ['with a trailer field of 1', {}, { trailer: 1 }, 'valid'],
    ['with a trailer field of 2', {}, { trailer: 2 }, 'invalid'],
    ['with parameters without NULL', {}, { withNull: false }, 'valid'],
    [
      'with parameters without NULL and the mask hash SHA-1',
      { maskHash: 'sha1' },
      { maskHash: 'sha1', withNull: false },
      'valid',
    ],
  ])(
    'checks an RSA-PSS signature against the parameters of its algorithm: one %s is %s',
    (_, made, stated, check) => {
      const signature = pssSign(data, rsa, made);
      expect(checkSignature(parseSignatureAlgorithm(pssAlgorithm(stated)), data, signature, rsaKey)).toBe(
        check,
      );
      expect(checkSignature(algorithm('1.2.840.113549.1.1.11'), data, signature, rsaKey)).toBe('invalid');
    },
  );

  it.each<[restriction: string, parameters: PssOptions, made: PssOptions, check: SignatureCheck]>([
    ['without restriction', { parameters: null }, { saltBytes: 20 }, 'valid'],
    ['for SHA-256', {}, {}, 'valid'],
    ['for SHA-256, which signs with a longer salt', {}, { saltBytes: 48 }, 'valid'],
    ['for SHA-256, which signs with a shorter salt', {}, { saltBytes: 20 }, 'invalid'],
    ['for SHA-256, which signs with SHA-384', {}, { hash: 'sha384' }, 'invalid'],
    ['for SHA-256, which signs with another mask', {}, { maskHash: 'sha1' }, 'invalid'],
    ['for a mask by SHA-1', { maskHash: 'sha1' }, { maskHash: 'sha1' }, 'valid'],
    ['for a mask by SHA-1, which signs with another', { maskHash: 'sha1' }, {}, 'invalid'],
    ['written without NULL', { withNull: false }, {}, 'valid'],
  ])(
    'checks an RSA-PSS signature against the restrictions of its key: a key %s',
    (_, parameters, made, check) => {
      const numbers = rsa.publicKey.export({ type: 'pkcs1', format: 'der' });
      const key = parsePublicKey(sequence(pssAlgorithm(parameters), bitString(numbers)));
      const signature = pssSign(data, rsa, made);
      expect(checkSignature(parseSignatureAlgorithm(pssAlgorithm(made)), data, signature, key)).toBe(check);
      const plain = sign('sha256', data, rsa.privateKey);
      expect(checkSignature(algorithm('1.2.840.113549.1.1.11'), data, plain, key)).toBe('invalid');
    },
  );

  it.each([
    ['of another type', derNull(), 'malformed'],
    ['with an unknown hash', sequence(tagged(0, true, sequence(objectIdentifier('1.2.3.4')))), 'other'],
  ])('returns unverifiable for an RSA-PSS key with parameters %s', (_, parameters, type) => {
    const numbers = rsa.publicKey.export({ type: 'pkcs1', format: 'der' });
    const key = parsePublicKey(sequence(pssAlgorithm({ parameters }), bitString(numbers)));
    expect(key.type).toBe(type);
    const signature = pssSign(data, rsa, {});
    expect(checkSignature(parseSignatureAlgorithm(pssAlgorithm()), data, signature, key)).toBe(
      'unverifiable',
    );
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
  ])('returns unverifiable for a signature with %s', (_, unknown, key) => {
    const signature = sign('sha256', data, ec.privateKey);
    expect(checkSignature(unknown, data, signature, key)).toBe('unverifiable');
  });
});

function keyWith(oid: string, ...parameters: Uint8Array[]) {
  return parsePublicKey(
    sequence(sequence(objectIdentifier(oid), ...parameters), bitString(Buffer.of(4, 1, 2))),
  );
}
