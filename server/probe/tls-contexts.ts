import { constants } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { KeyType } from '../../contract/check-words.ts';
import type { TlsVersion } from '../core/observation.ts';
import type { SecureSocket } from '../egress/exchange-request.ts';

const CLASSIC_GROUPS = 'X25519:P-256:P-384:P-521:X448:ffdhe2048:ffdhe3072';
export const POST_QUANTUM_GROUP = 'X25519MLKEM768';

/** The groups that all current clients offer. */
const COMMON_GROUPS = 'X25519:P-256:P-384';

const SHARED: SecureContextOptions = {
  ecdhCurve: `${CLASSIC_GROUPS}:${POST_QUANTUM_GROUP}`,
  // Without trust anchors OpenSSL's verification ends at once and Node skips getPeerCertificate(true), which saves a
  // third of a handshake's CPU time. `judge` verifies chains; we never use OpenSSL's result.
  ca: [],
};

/** All TLS 1.3 ciphers that Node enables by default. Node disables TLS 1.3 if a cipher list contains none of them. */
const TLS13_CIPHERS = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';

/** What a client offers in its ClientHello, as lists of OpenSSL's names in the client's order. */
export interface Offer {
  /** Ciphers of TLS 1.2. */
  ciphers: readonly string[];
  groups: string;
  signatures: readonly string[];
}

/** Returns the names of a cipher for ECDSA keys and for RSA keys, in this order. */
export const forBothKeys = (cipher: string): string[] =>
  ['ECDSA', 'RSA'].map((key) => `ECDHE-${key}-${cipher}`);

/** What Chromium 156 offers, without ML-DSA. No other browser offers ML-DSA, so with it we could get a leaf that only Chrome gets. */
export const BROWSER_OFFER: Offer = {
  ciphers: [
    ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].flatMap(forBothKeys),
    'ECDHE-RSA-AES128-SHA',
    'ECDHE-RSA-AES256-SHA',
    'AES128-GCM-SHA256',
    'AES256-GCM-SHA384',
    'AES128-SHA',
    'AES256-SHA',
  ],
  groups: COMMON_GROUPS,
  signatures: [
    'ECDSA+SHA256',
    'rsa_pss_rsae_sha256',
    'RSA+SHA256',
    'ECDSA+SHA384',
    'rsa_pss_rsae_sha384',
    'RSA+SHA384',
    'rsa_pss_rsae_sha512',
    'RSA+SHA512',
  ],
};

const ML_DSA = ['mldsa44', 'mldsa65', 'mldsa87'];

/** What browsers offer, and the signatures of keys on P-521, Ed25519, Ed448 and RSA-PSS, which OpenSSL offers and Chrome does not. */
const BROADER_OFFER: Offer = {
  ...BROWSER_OFFER,
  signatures: [
    'ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512:ed25519:ed448',
    ...['sha256', 'sha384', 'sha512'].flatMap((hash) => [`rsa_pss_rsae_${hash}`, `rsa_pss_pss_${hash}`]),
    'RSA+SHA256:RSA+SHA384:RSA+SHA512',
  ],
};

/**
 * TLS settings of the usual handshake with a web server: those of browsers, but without ML-KEM. Only the first group gets a key share, so
 * servers that prefer ML-KEM would send a HelloRetryRequest, which costs an eighth of a check's CPU time. Shared, because creation is slow.
 */
export const browserContext = createSecureContext(settingsOf(BROWSER_OFFER));

/** TLS settings of protocols other than HTTPS. Also for a second attempt if a web server has no certificate that browsers accept. */
export const modernContext = createSecureContext(settingsOf(BROADER_OFFER));

/** Starts TLS without verifying the certificate, for requests that send nothing secret and trust no answer. */
export const unverifiedTls: SecureSocket = (socket, host) =>
  connect({
    socket,
    secureContext: modernContext,
    rejectUnauthorized: false,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  });

/** Returns `modernContext` with the signatures of ML-DSA, for servers that have no other certificate; null if OpenSSL does not know them. */
export const mlDsaContext = (): SecureContext | null =>
  offerContext({ ...BROADER_OFFER, signatures: [...BROADER_OFFER.signatures, ...ML_DSA] });

/** Returns TLS settings that offer what a client offers; null if OpenSSL does not know one of the signatures. */
export const offerContext = memoize(
  (offer: Offer) => contextOrNull(settingsOf(offer)),
  (offer) => JSON.stringify(offer),
);

function settingsOf({ ciphers, groups, signatures }: Offer): SecureContextOptions {
  return {
    ...SHARED,
    minVersion: 'TLSv1.2',
    ciphers: [TLS13_CIPHERS, ...ciphers].join(':'),
    ecdhCurve: groups,
    sigalgs: signatures.join(':'),
  };
}

/**
 * TLS settings for a further attempt at servers that reject `modernContext`: TLS 1.0, other ciphers, groups and signatures, small
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

/** The ECDSA signature of each curve in TLS 1.3 (RFC 8446 §4.2.3). */
const OF_CURVE: Readonly<Record<string, string>> = {
  'P-256': 'ECDSA+SHA256',
  'P-384': 'ECDSA+SHA384',
  'P-521': 'ECDSA+SHA512',
};

/** Key types that TLS 1.2 uses with ECDSA ciphers. */
const WITH_ECDSA_CIPHERS: readonly KeyType[] = ['ecdsa', 'ed25519', 'ed448'];
/** Key types that TLS 1.2 uses with RSA ciphers. */
const WITH_RSA_CIPHERS: readonly KeyType[] = ['rsa', 'rsa-pss'];

interface SignatureSettings {
  keyTypes: readonly KeyType[];
  /** A curve whose ECDSA signature is not offered in TLS 1.3, so that a server with ECDSA keys on several curves sends another certificate. */
  withoutCurve?: string | null;
  /**
   * Whether to offer ML-KEM, too. Only for servers that accept nothing else: others may send a HelloRetryRequest, after which
   * Node.js staples no OCSP response.
   */
  withMlKem: boolean;
}

/**
 * Returns a context that accepts signatures of these key types only, so that a server with several leaves must send one whose key
 * has one of these types; null if OpenSSL does not know one of the types. ML-DSA needs OpenSSL 3.5.
 */
export const signatureContext = memoize(
  ({ keyTypes, withoutCurve, withMlKem }: SignatureSettings) => {
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
      sigalgs: keyTypes
        .flatMap((keyType) => SIGNATURES[keyType])
        .filter((signature) => signature !== OF_CURVE[withoutCurve ?? ''])
        .join(':'),
    });
  },
  ({ keyTypes, withoutCurve, withMlKem }) => `${keyTypes.join()} ${withoutCurve} ${withMlKem}`,
);

/** Creates a context. Returns null if OpenSSL does not know one of its signatures. */
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
