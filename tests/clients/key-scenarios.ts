import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { bitString, derNull, objectIdentifier, sequence } from '../kit/certificates/der-writer.ts';
import type { KeyUsage } from '../kit/certificates/certificate-extensions.ts';
import type { CertificateOptions, KeyChoice, KeyPair } from '../kit/certificates/mint.ts';
import { HOST, intermediateScenario, leafScenario, type Scenario, withChain } from './scenario.ts';

const HANDSHAKES = {
  'TLS 1.3': { minVersion: 'TLSv1.3' },
  'TLS 1.2, ECDHE': { maxVersion: 'TLSv1.2', ciphers: 'ECDHE@SECLEVEL=0' },
  'TLS 1.2, RSA key exchange': { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256@SECLEVEL=0' },
} as const;

const USAGES: Record<string, readonly KeyUsage[] | null> = {
  'keyEncipherment only': ['keyEncipherment'],
  'keyAgreement only': ['keyAgreement'],
  'keyEncipherment and keyAgreement': ['keyEncipherment', 'keyAgreement'],
  'nonRepudiation only': ['nonRepudiation'],
  'dataEncipherment only': ['dataEncipherment'],
  'keyCertSign only': ['keyCertSign'],
  'digitalSignature and keyCertSign': ['digitalSignature', 'keyCertSign'],
  'no usage': [],
  'no keyUsage extension': null,
  'digitalSignature and keyEncipherment': ['digitalSignature', 'keyEncipherment'],
};

/** Key usage by kind of key and handshake. */
const keyUsages = Object.entries(USAGES).flatMap(([usage, keyUsage]) =>
  (['P-256', 'RSA-2048'] as const).flatMap((key) =>
    Object.entries(HANDSHAKES)
      .filter(([handshake]) => key === 'RSA-2048' || !handshake.includes('RSA'))
      .map(([handshake, tls]) => leafScenario(`${key}: ${usage} (${handshake})`, { key, keyUsage }, { tls })),
  ),
);

const LEAF_KEYS: readonly KeyChoice[] = [
  'P-384',
  'P-521',
  'secp256k1',
  'Ed25519',
  'Ed448',
  'RSA-512',
  'RSA-1024',
  'RSA-1536',
  'RSA-1960',
  'RSA-2040',
  'RSA-2047',
  'RSA-2048',
  'RSA-3072',
  'RSA-4096',
  'RSA-8192',
  'RSA-PSS-2048',
  'ML-DSA-44',
  'ML-DSA-65',
  'ML-DSA-87',
];

/** Makes the key only when the certificate is minted, because finding such RSA keys takes seconds and few programs mint all scenarios. */
function withKey(make: () => KeyPair): CertificateOptions {
  let made: KeyPair | undefined;
  return {
    get key() {
      return (made ??= make());
    },
  };
}

const rsaWithExponent = (publicExponent: number): CertificateOptions =>
  withKey(() => generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent }));

const rsaWithLongExponent = (exponentBits: number, modulusLength = 2048): CertificateOptions =>
  withKey(() => makeLongExponentKey(exponentBits, modulusLength));

/** Returns an RSA key with an exponent of any size, which Node.js does not generate itself. */
function makeLongExponentKey(exponentBits: number, modulusLength: number): KeyPair {
  const exponent = (1n << BigInt(exponentBits - 1)) + 13n;
  for (;;) {
    const { n, p, q } = generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'jwk' });
    const [first, second] = [toNumber(p), toNumber(q)];
    const inverse = inverted(exponent, (first - 1n) * (second - 1n));
    if (inverse === null) continue;
    const key = {
      kty: 'RSA',
      n,
      p,
      q,
      e: toText(exponent),
      d: toText(inverse),
      dp: toText(inverse % (first - 1n)),
      dq: toText(inverse % (second - 1n)),
      qi: toText(inverted(second, first) ?? 0n),
    };
    const privateKey = createPrivateKey({ key, format: 'jwk' });
    return { privateKey, publicKey: createPublicKey(privateKey) };
  }
}

const toNumber = (text = ''): bigint => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);

function toText(value: bigint): string {
  const digits = value.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url');
}

/** Returns the inverse of `value` modulo `modulus`, by Euclid's algorithm; null if there is none. */
function inverted(value: bigint, modulus: bigint): bigint | null {
  let [rest, next, factor, other] = [modulus, value % modulus, 0n, 1n];
  while (next > 0n) {
    const quotient = rest / next;
    [rest, next, factor, other] = [next, rest - quotient * next, other, factor - quotient * other];
  }
  return rest === 1n ? ((factor % modulus) + modulus) % modulus : null;
}

/** The NULL beside rsaEncryption (RFC 3279 §2.3.1), which follows its object identifier. */
const RSA_WITH_NULL = Buffer.from('300d06092a864886f70d0101010500', 'hex');
const RSA_WITHOUT_NULL = Buffer.from('300b06092a864886f70d010101', 'hex');

/** Leaves the NULL out of SubjectPublicKeyInfo. */
function withoutKeyNull(fields: Buffer[]): Uint8Array[] {
  return fields.map((field) => {
    const start = field.indexOf(RSA_WITH_NULL);
    if (start < 0 || field[0] !== 0x30) return field;
    return sequence(RSA_WITHOUT_NULL, field.subarray(start + RSA_WITH_NULL.length));
  });
}

/** Writes the point of a P-256 key as its x coordinate and one bit of y (SEC 1 §2.3.3). */
function withCompressedPoint(fields: Buffer[]): Uint8Array[] {
  const key = fields[6] ?? Buffer.alloc(0);
  const point = key.subarray(-65);
  const short = Buffer.concat([Buffer.from([2 + ((point[64] ?? 0) & 1)]), point.subarray(1, 33)]);
  const algorithm = sequence(objectIdentifier('1.2.840.10045.2.1'), objectIdentifier('1.2.840.10045.3.1.7'));
  return fields.with(6, sequence(algorithm, bitString(short)));
}

const SEVEN_DAYS = 7 * 86_400_000;

const HASHES = ['sha1', 'sha384', 'sha512'] as const;

/** Servers with odd keys, signatures and key usages. */
export const KEY_SCENARIOS: readonly Scenario[] = [
  ...keyUsages,
  ...LEAF_KEYS.map((key) => leafScenario(`leaf with ${key}`, { key })),
  leafScenario('leaf with RSA and exponent 3', rsaWithExponent(3)),
  leafScenario('leaf with RSA and an exponent of 31 bits', rsaWithExponent(2_147_483_647)),
  ...[32, 33, 34, 64, 65, 200].map((bits) =>
    leafScenario(`leaf with RSA and an exponent of ${bits} bits`, rsaWithLongExponent(bits)),
  ),
  ...[64, 65].map((bits) =>
    leafScenario(`leaf with RSA-3080 and an exponent of ${bits} bits`, rsaWithLongExponent(bits, 3080)),
  ),
  ...[33, 34, 65].map((bits) =>
    intermediateScenario(`intermediate with RSA and an exponent of ${bits} bits`, rsaWithLongExponent(bits)),
  ),
  intermediateScenario(
    'intermediate with RSA-3080 and an exponent of 65 bits',
    rsaWithLongExponent(65, 3080),
  ),
  leafScenario('leaf whose RSA key has no NULL', { key: 'RSA-2048', editFields: withoutKeyNull }),
  ...(['P-521', 'RSA-1024', 'RSA-2047', 'Ed25519', 'Ed448', 'ML-DSA-65', 'SLH-DSA-SHA2-128s'] as const).map(
    (key) => intermediateScenario(`intermediate with ${key}`, { key }),
  ),
  ...(['ML-DSA-44', 'ML-DSA-87'] as const).map((key) =>
    intermediateScenario(`leaf and intermediate with ${key}`, { key }, { key }),
  ),
  leafScenario('leaf signed with an algorithm that nobody knows', { signatureOid: '1.3.6.1.4.1.99999.2' }),
  ...HASHES.map((hash) => leafScenario(`leaf signed with ${hash}`, { hash })),
  ...HASHES.map((hash) => intermediateScenario(`intermediate signed with ${hash}`, { hash })),
  {
    name: 'leaf signed by RSA with MD5',
    mint: ({ rsa }) =>
      withChain(rsa.intermediate({ key: 'RSA-2048' }).issue({ dnsNames: [HOST], hash: 'md5' })),
  },
  {
    name: 'leaf signed by RSA with SHA-1',
    mint: ({ rsa }) =>
      withChain(rsa.intermediate({ key: 'RSA-2048' }).issue({ dnsNames: [HOST], hash: 'sha1' })),
  },
  {
    name: 'leaf signed by RSA without NULL',
    mint: ({ rsa }) =>
      withChain(rsa.intermediate({ key: 'RSA-2048' }).issue({ dnsNames: [HOST], withNull: false })),
  },
  {
    name: 'intermediate signed by RSA without NULL',
    mint: ({ rsa }) => withChain(rsa.intermediate({ withNull: false }).issue({ dnsNames: [HOST] })),
  },
  leafScenario('leaf with a compressed point', { editFields: withCompressedPoint }),
  intermediateScenario('intermediate with a compressed point', { editFields: withCompressedPoint }),
  leafScenario('leaf with a curve as explicit parameters', {
    key: generateKeyPairSync('ec', { namedCurve: 'prime256v1', paramEncoding: 'explicit' }),
  }),
  leafScenario('two signature algorithms that differ', {
    editFields: (fields) => fields.with(2, sequence(objectIdentifier('1.2.840.10045.4.3.3'))),
  }),
  leafScenario('signature algorithm with a NULL inside only', {
    editFields: (fields) => fields.with(2, sequence(objectIdentifier('1.2.840.10045.4.3.2'), derNull())),
  }),
  intermediateScenario('intermediate with P-384', { key: 'P-384' }),
  intermediateScenario('intermediate with secp256k1', { key: 'secp256k1' }),
  intermediateScenario('intermediate with RSA-1960', { key: 'RSA-1960' }),
  intermediateScenario('intermediate with RSA-8192', { key: 'RSA-8192' }),
  intermediateScenario('intermediate with RSA and exponent 3', rsaWithExponent(3)),
  intermediateScenario('intermediate whose RSA key has no NULL', {
    key: 'RSA-2048',
    editFields: withoutKeyNull,
  }),
  intermediateScenario('intermediate with a corrupt signature', { corruptSignature: true }),
  leafScenario('leaf with a corrupt signature', { corruptSignature: true }),
  leafScenario('leaf valid for a week', { notBefore: Date.now() - 1000, notAfter: Date.now() + SEVEN_DAYS }),
];
