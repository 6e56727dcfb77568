import { derNull, sequence } from '../kit/certificates/der-writer.ts';
import { pssFields, pssKey, type PssOptions, pssParameters, pssServerKey } from '../kit/certificates/pss.ts';
import { HOST, type Roots, type Scenario, withChain } from './scenario.ts';

const usual = pssFields();
const withoutNull = pssFields({ withNull: false });

const SIGNATURES: Readonly<Record<string, PssOptions>> = {
  'as usual': {},
  'with SHA-384': { hash: 'sha384' },
  'with SHA-512': { hash: 'sha512' },
  'with SHA-1': { hash: 'sha1' },
  'with SHA-1, the default of all fields': { hash: 'sha1', parameters: sequence() },
  'with a salt of 0 bytes': { saltBytes: 0 },
  'with a salt of 20 bytes': { saltBytes: 20 },
  'with a salt of 20 bytes, the default': { saltBytes: 20, parameters: sequence(usual.hash, usual.mask) },
  'with a salt of 33 bytes': { saltBytes: 33 },
  'with a salt of 64 bytes': { saltBytes: 64 },
  'with the longest salt': { saltBytes: 222 },
  'with SHA-384 and a salt of 32 bytes': { hash: 'sha384', saltBytes: 32 },
  'with SHA-512 and a salt of 20 bytes': { hash: 'sha512', saltBytes: 20 },
  'with another salt than it states': { saltBytes: 20, parameters: pssParameters() },
  'with a trailer field of 1': { trailer: 1 },
  'with SHA-384 and a trailer field of 1': { hash: 'sha384', trailer: 1 },
  'with a trailer field of 2': { trailer: 2 },
  'without NULL': { withNull: false },
  'with SHA-512 and without NULL': { hash: 'sha512', withNull: false },
  'without NULL in the hash': { parameters: sequence(withoutNull.hash, usual.mask, usual.saltBytes) },
  'without NULL in the mask': { parameters: sequence(usual.hash, withoutNull.mask, usual.saltBytes) },
  'with a mask by SHA-1': { maskHash: 'sha1' },
  'with a mask by SHA-1, the default': {
    maskHash: 'sha1',
    parameters: sequence(usual.hash, usual.saltBytes),
  },
  'with a mask by SHA-512': { maskHash: 'sha512' },
  'with SHA-384 and a mask by SHA-256': { hash: 'sha384', maskHash: 'sha256' },
  'without parameters': { parameters: null },
  'with NULL as parameters': { parameters: derNull() },
  'without NULL, with a salt of 20 bytes and a trailer field of 1': {
    withNull: false,
    saltBytes: 20,
    trailer: 1,
  },
};

/** DER of the restrictions of an intermediate's key (null: none), and how this key signs the leaf. */
const KEYS: Readonly<Record<string, [restriction: Uint8Array | null, signature: PssOptions]>> = {
  'without restriction': [null, {}],
  'without restriction that signs with a salt of 20 bytes': [null, { saltBytes: 20 }],
  'without restriction that signs with SHA-512': [null, { hash: 'sha512' }],
  'with an empty restriction that signs with SHA-256': [sequence(), {}],
  'with NULL as restriction': [derNull(), {}],
  'for SHA-256': [pssParameters(), {}],
  'for SHA-256 that signs with a salt of 48 bytes': [pssParameters(), { saltBytes: 48 }],
  'for SHA-256 that signs with a salt of 20 bytes': [pssParameters(), { saltBytes: 20 }],
  'for SHA-256 that signs with SHA-384': [pssParameters(), { hash: 'sha384' }],
  'for SHA-256 that signs with a mask by SHA-1': [pssParameters(), { maskHash: 'sha1' }],
  'for SHA-256, written without NULL': [pssParameters({ withNull: false }), {}],
  'for SHA-256, written with a trailer field of 1': [pssParameters({ trailer: 1 }), {}],
  'for SHA-256 with a trailer field of 2': [pssParameters({ trailer: 2 }), {}],
  'for salts of 20 bytes': [pssParameters({ saltBytes: 20 }), {}],
  'for salts of 20 bytes that signs with them': [pssParameters({ saltBytes: 20 }), { saltBytes: 20 }],
  'for salts of 48 bytes': [pssParameters({ saltBytes: 48 }), {}],
  'for a mask by SHA-1': [pssParameters({ maskHash: 'sha1' }), {}],
  'for a mask by SHA-1 that signs with it': [pssParameters({ maskHash: 'sha1' }), { maskHash: 'sha1' }],
};

const SERVER_KEYS: Readonly<Record<string, PssOptions>> = {
  'for SHA-256': {},
  'for SHA-384': { hash: 'sha384' },
  'for SHA-512': { hash: 'sha512' },
  'for salts of 20 bytes': { saltBytes: 20 },
  'for SHA-384 and salts of 32 bytes': { hash: 'sha384', saltBytes: 32 },
  'for SHA-512 and salts of 48 bytes': { hash: 'sha512', saltBytes: 48 },
  'for a mask by SHA-1': { maskHash: 'sha1' },
};

const signedAt = (position: 'leaf' | 'intermediate', pss: PssOptions) => (roots: Roots) => {
  const authority =
    position === 'leaf' ? roots.rsa.intermediate({ key: 'RSA-2048' }) : roots.rsa.intermediate({ pss });
  return withChain(authority.issue({ dnsNames: [HOST], ...(position === 'leaf' && { pss }) }));
};

/** Servers with certificates that are signed by RSASSA-PSS, or whose keys are restricted to it. */
export const PSS_SCENARIOS: readonly Scenario[] = [
  ...Object.entries(SIGNATURES).flatMap(([how, pss]) =>
    (['leaf', 'intermediate'] as const).map((position) => ({
      name: `${position} signed by RSA-PSS ${how}`,
      mint: signedAt(position, pss),
    })),
  ),
  ...Object.entries(KEYS).map(([how, [restriction, pss]]) => ({
    name: `intermediate with an RSA-PSS key ${how}`,
    mint: ({ ecdsa }: Roots) =>
      withChain(ecdsa.intermediate(pssKey(restriction)).issue({ dnsNames: [HOST], pss })),
  })),
  {
    name: 'intermediate with an RSA-PSS key that signs by RSA',
    mint: ({ ecdsa }) => withChain(ecdsa.intermediate(pssKey(pssParameters())).issue({ dnsNames: [HOST] })),
  },
  ...Object.entries(SERVER_KEYS).map(([how, options]) => ({
    name: `leaf with an RSA-PSS key ${how}`,
    mint: ({ ecdsa }: Roots) =>
      withChain(ecdsa.intermediate().issue({ dnsNames: [HOST], ...pssServerKey(pssParameters(options)) })),
  })),
  ...['an RSA-PSS key', 'an RSA-PSS key for salts of 20 bytes'].map((key) => ({
    name: `root with ${key}`,
    mint: ({ odd }: Roots) => {
      const root = odd.get(`with ${key}`);
      return root === undefined ? [] : withChain(root.intermediate({ pss: {} }).issue({ dnsNames: [HOST] }));
    },
  })),
];
