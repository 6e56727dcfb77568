import { constants } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { SecureContext, SecureContextOptions } from 'node:tls';

import type { KeyType } from '../../contract/check-words.ts';
import type { TlsVersion } from '../core/index.ts';

const CLASSIC_GROUPS = 'X25519:P-256:P-384:P-521:X448:ffdhe2048:ffdhe3072';
const POST_QUANTUM_GROUP = 'X25519MLKEM768';

/** The groups that all current clients offer. */
const COMMON_GROUPS = 'X25519:P-256:P-384';

const SHARED: SecureContextOptions = {
  ecdhCurve: `${CLASSIC_GROUPS}:${POST_QUANTUM_GROUP}`,
  // Without trust anchors OpenSSL's verification ends at once and Node skips getPeerCertificate(true), which saves a
  // third of a handshake's CPU time. `judge` verifies chains; we never use OpenSSL's result.
  ca: [],
};

/** All TLS 1.3 ciphers that Node enables by default. Node disables TLS 1.3 if a cipher list contains none of them. */
const TLS13_CIPHERS = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';

/** The ciphers of TLS 1.2 that Chrome offers. A server that accepts only others is one that browsers refuse. */
const BROWSER_CIPHERS = [
  ...['ECDSA', 'RSA'].flatMap((key) =>
    ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map((cipher) => `ECDHE-${key}-${cipher}`),
  ),
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-RSA-AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA',
  'AES256-SHA',
].join(':');

/** The signature algorithms that Chrome offers, and those of keys on P-521, Ed25519, Ed448 and RSA-PSS, which have rules of their own. */
const COMMON_SIGNATURES = [
  'ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:ed448',
  ...['sha256', 'sha384', 'sha512'].flatMap((hash) => [`rsa_pss_rsae_${hash}`, `rsa_pss_pss_${hash}`]),
  'RSA+SHA256:RSA+SHA384:RSA+SHA512',
].join(':');

const MODERN: SecureContextOptions = {
  ...SHARED,
  minVersion: 'TLSv1.2',
  ciphers: `${TLS13_CIPHERS}:${BROWSER_CIPHERS}`,
  ecdhCurve: COMMON_GROUPS,
};

/**
 * TLS settings of current clients, but without ML-KEM. Only the first group gets a key share, so servers that prefer ML-KEM
 * would send a HelloRetryRequest, which costs an eighth of a check's CPU time. Shared, because creation is slow.
 */
export const modernContext = createSecureContext({ ...MODERN, sigalgs: COMMON_SIGNATURES });

/**
 * Returns the same settings with the signatures of ML-DSA, for servers that have no other certificate; null if OpenSSL does not
 * know them. `modernContext` has none, because most clients do not know them and get the other certificate of such servers.
 */
export function mlDsaContext(): SecureContext | null {
  return contextOfSignatures(`${COMMON_SIGNATURES}:mldsa44:mldsa65:mldsa87`);
}
const contextOfSignatures = memoize((sigalgs: string) => contextOrNull({ ...MODERN, sigalgs }));

/**
 * TLS settings for a second attempt at servers that reject `modernContext`: TLS 1.0, other ciphers, groups and signatures, small
 * keys, missing secure renegotiation.
 */
export const legacyContext = createSecureContext({
  ...SHARED,
  minVersion: 'TLSv1',
  ciphers: `DEFAULT:@SECLEVEL=0:${TLS13_CIPHERS}`,
  secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
});

/** Returns a context that offers the versions from `oldest` to `newest`, all before TLS 1.3, with weak keys and ciphers, too. */
export const versionsContext = memoize(
  ({ oldest, newest }: { oldest: TlsVersion; newest: TlsVersion }) =>
    createSecureContext({
      ...SHARED,
      minVersion: oldest,
      maxVersion: newest,
      ciphers: 'DEFAULT:@SECLEVEL=0',
      secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
    }),
  ({ oldest, newest }) => `${oldest} ${newest}`,
);

/** Returns a context for key exchange groups: `post-quantum` offers ML-KEM first, `classic` does not offer it. */
export const groupsContext = memoize((groups: 'classic' | 'post-quantum') =>
  createSecureContext({
    ...SHARED,
    minVersion: 'TLSv1.2',
    // Only the first group gets a key share.
    ecdhCurve: groups === 'classic' ? CLASSIC_GROUPS : `${POST_QUANTUM_GROUP}:${CLASSIC_GROUPS}`,
  }),
);

const RSA_HASHES = ['sha256', 'sha384', 'sha512'];

const SIGNATURES: Record<KeyType, readonly string[]> = {
  ecdsa: ['ECDSA+SHA256', 'ECDSA+SHA384', 'ECDSA+SHA512', 'ECDSA+SHA1'],
  rsa: [
    ...RSA_HASHES.map((hash) => `rsa_pss_rsae_${hash}`),
    'RSA+SHA256',
    'RSA+SHA384',
    'RSA+SHA512',
    'RSA+SHA1',
  ],
  'rsa-pss': RSA_HASHES.map((hash) => `rsa_pss_pss_${hash}`),
  ed25519: ['ed25519'],
  ed448: ['ed448'],
  'ml-dsa-44': ['mldsa44'],
  'ml-dsa-65': ['mldsa65'],
  'ml-dsa-87': ['mldsa87'],
};

/** Signature types that TLS 1.2 uses with its ciphers for ECDSA and for RSA. */
const WITH_ECDSA_CIPHERS: readonly KeyType[] = ['ecdsa', 'ed25519', 'ed448'];
const WITH_RSA_CIPHERS: readonly KeyType[] = ['rsa', 'rsa-pss'];

interface SignatureSettings {
  keyTypes: readonly KeyType[];
  /**
   * Whether to offer ML-KEM, too. Only for servers that accept nothing else: others may send a HelloRetryRequest, after which
   * Node.js staples no OCSP response.
   */
  withMlKem: boolean;
}

/**
 * Returns a context that accepts signatures of these key types only, so that a server with several leaves must send one of
 * theirs; null if OpenSSL does not know one of the types. ML-DSA needs OpenSSL 3.5.
 */
export const signatureContext = memoize(
  ({ keyTypes, withMlKem }: SignatureSettings) => {
    const excluded = [
      ...(keyTypes.some((one) => WITH_ECDSA_CIPHERS.includes(one)) ? [] : ['aECDSA']),
      ...(keyTypes.some((one) => WITH_RSA_CIPHERS.includes(one)) ? [] : ['aRSA']),
      // RSA key exchange has no signature, so a server may choose it with a key of any RSA type.
      ...(keyTypes.includes('rsa') ? [] : ['kRSA']),
    ];
    return contextOrNull({
      ...SHARED,
      minVersion: 'TLSv1.2',
      ...(!withMlKem && { ecdhCurve: CLASSIC_GROUPS }),
      ciphers: ['DEFAULT', ...excluded.map((name) => `!${name}`), TLS13_CIPHERS].join(':'),
      sigalgs: keyTypes.flatMap((keyType) => SIGNATURES[keyType]).join(':'),
    });
  },
  ({ keyTypes, withMlKem }) => `${keyTypes.join()} ${withMlKem}`,
);

/** Returns null if OpenSSL does not know one of the signatures. */
function contextOrNull(options: SecureContextOptions): SecureContext | null {
  try {
    return createSecureContext(options);
  } catch {
    return null;
  }
}

/** Memoizes by `keyOf` the argument; by default, by the argument itself. */
function memoize<K, Context>(
  create: (key: K) => Context,
  keyOf: (key: K) => unknown = (key) => key,
): (key: K) => Context {
  const contexts = new Map<unknown, Context>();
  return (key) => {
    const known = contexts.get(keyOf(key));
    if (known !== undefined) return known;
    const context = create(key);
    contexts.set(keyOf(key), context);
    return context;
  };
}
