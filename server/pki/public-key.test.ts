import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  bitString,
  derNull,
  integer,
  objectIdentifier,
  sequence,
} from '../../tests/kit/certificates/der-writer.ts';
import { isWeakKey, keyObjectOf, parsePublicKey, publicKeyName } from './public-key.ts';

const rsa = (modulus: bigint, exponent: bigint) =>
  sequence(
    sequence(objectIdentifier('1.2.840.113549.1.1.1'), derNull()),
    bitString(sequence(integer(modulus), integer(exponent))),
  );
const ec = (...parameters: Uint8Array[]) =>
  sequence(sequence(objectIdentifier('1.2.840.10045.2.1'), ...parameters), bitString(Buffer.of(4, 1, 2)));
const mlDsa = (key: Uint8Array, ...parameters: Uint8Array[]) =>
  sequence(sequence(objectIdentifier('2.16.840.1.101.3.4.3.18'), ...parameters), bitString(key));

describe('public keys', () => {
  it.each([
    ['P-256', { bits: 256, curve: 'P-256' }, false],
    ['P-384', { bits: 384, curve: 'P-384' }, false],
    ['P-521', { bits: 521, curve: 'P-521' }, false],
    ['secp256k1', { bits: 256, curve: 'secp256k1' }, true],
    ['P-224', { bits: 224, curve: 'P-224' }, true],
    ['brainpoolP256r1', { bits: 0, curve: '1.3.36.3.3.2.8.1.1.7' }, true],
  ])('public keys on the curve %s (%j) are weak: %s', (namedCurve, facts, weak) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve });
    const key = parsePublicKey(publicKey.export({ type: 'spki', format: 'der' }));
    expect(key).toMatchObject({ type: 'ec', ...facts });
    expect(isWeakKey(key)).toBe(weak);
  });

  it.each([
    ['2,048 bits', (1n << 2047n) + 1n, 65537n, 2048, false],
    ['2,047 bits', (1n << 2046n) + 1n, 65537n, 2047, false],
    ['1,963 bits', (1n << 1962n) + 1n, 65537n, 1963, false],
    ['1,962 bits', (1n << 1961n) + 1n, 65537n, 1962, true],
    ['8,192 bits', (1n << 8191n) + 1n, 3n, 8192, false],
    ['8,193 bits', (1n << 8192n) + 1n, 3n, 8193, true],
    ['an exponent of 1', (1n << 2047n) + 1n, 1n, 2048, true],
    ['an even exponent', (1n << 2047n) + 1n, 4n, 2048, true],
    ['a huge exponent', (1n << 2047n) + 1n, (1n << 264n) + 1n, 2048, true],
  ])(
    'public keys of RSA with %s are read with their size and strength',
    (_, modulus, exponent, bits, weak) => {
      const key = parsePublicKey(rsa(modulus, exponent));
      expect(key).toMatchObject({ type: 'rsa', bits });
      expect(isWeakKey(key)).toBe(weak);
    },
  );

  it('public keys with explicit curve parameters are weak; those of an unknown type are not', () => {
    const explicit = parsePublicKey(ec(sequence(integer(1n))));
    expect(explicit).toMatchObject({ type: 'ec', bits: 0, curve: null });
    expect(isWeakKey(explicit)).toBe(true);
    const unknown = parsePublicKey(sequence(sequence(objectIdentifier('1.2.3')), bitString(Buffer.of(1))));
    expect(unknown.type).toBe('other');
    expect(isWeakKey(unknown)).toBe(false);
  });

  it.each([
    ['RSA with a negative modulus', rsa(-5n, 3n)],
    ['ML-DSA-65 that is too short', mlDsa(Buffer.alloc(1_951))],
    ['ML-DSA-65 with parameters', mlDsa(Buffer.alloc(1_952), derNull())],
  ])('public keys that are malformed are weak: %s', (_, der) => {
    const key = parsePublicKey(der);
    expect(key.type).toBe('malformed');
    expect(isWeakKey(key)).toBe(true);
  });

  it('public keys that OpenSSL cannot load have no key object', () => {
    expect(keyObjectOf(parsePublicKey(ec(objectIdentifier('1.2.840.10045.3.1.7'))))).toBeNull();
  });

  it.each([
    ['ECDSA P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ECDSA 1.3.36.3.3.2.8.1.1.7', generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' })],
    ['RSA 2048 bit', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['RSA-PSS 2048 bit', generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
    ['Ed25519', generateKeyPairSync('ed25519')],
    ['Ed448', generateKeyPairSync('ed448')],
    ['ML-DSA-44', generateKeyPairSync('ml-dsa-44')],
    ['ML-DSA-87', generateKeyPairSync('ml-dsa-87')],
    ['SLH-DSA-SHA2-128s', generateKeyPairSync('slh-dsa-sha2-128s')],
    ['1.3.101.110', generateKeyPairSync('x25519')],
  ])('have the name %s', (name, { publicKey }) => {
    expect(publicKeyName(parsePublicKey(publicKey.export({ type: 'spki', format: 'der' })))).toBe(name);
  });

  it('public keys on an unnamed curve have a name, too', () => {
    expect(publicKeyName(parsePublicKey(ec(sequence())))).toBe('ECDSA with a custom curve');
  });
});
