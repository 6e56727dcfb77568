import { constants } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { SecureContext, SecureContextOptions } from 'node:tls';

import type { TlsVersion } from '../core/index.ts';

const CLASSIC_GROUPS = 'X25519:P-256:P-384:P-521:X448:ffdhe2048:ffdhe3072';
const POST_QUANTUM_GROUP = 'X25519MLKEM768';

const SHARED: SecureContextOptions = {
  ecdhCurve: `${CLASSIC_GROUPS}:${POST_QUANTUM_GROUP}`,
  // Without any anchor OpenSSL's own verification ends at once and Node skips its getPeerCertificate(true), a third of
  // a handshake's CPU. Nothing is lost: the verdict comes from the judge, never from OpenSSL.
  ca: [],
};

/** Named, because Node switches TLS 1.3 off where a list of ciphers names none of its own. */
const TLS13_CIPHERS = 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256';

/**
 * What today's clients accept, save for ML-KEM, which costs an eighth of a check's CPU: merely named, without a key share,
 * it makes servers that prefer it ask for another hello. Only the first group gets a key share, the others are reached by
 * a HelloRetryRequest. Contexts are made once: each costs a good part of a handshake.
 */
export const modernContext = createSecureContext({
  ...SHARED,
  minVersion: 'TLSv1.2',
  ecdhCurve: CLASSIC_GROUPS,
});

/**
 * For a second look at servers that refuse the first: TLS 1.0, small keys, SHA-1, no secure renegotiation, and ML-KEM
 * where nothing else is accepted.
 */
export const widestContext = createSecureContext({
  ...SHARED,
  minVersion: 'TLSv1',
  ciphers: `DEFAULT:@SECLEVEL=0:${TLS13_CIPHERS}`,
  secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
});

/** Offers one protocol version and nothing else, with whatever ciphers it ever had. */
export const versionContext = remembered((version: TlsVersion) =>
  createSecureContext({
    ...SHARED,
    minVersion: version,
    maxVersion: version,
    ciphers: version === 'TLSv1.3' ? TLS13_CIPHERS : 'DEFAULT:@SECLEVEL=0',
    secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
  }),
);

/** `post-quantum` starts with ML-KEM, `classic` does not name it at all. */
export const groupsContext = remembered((groups: 'classic' | 'post-quantum') =>
  createSecureContext({
    ...SHARED,
    minVersion: 'TLSv1.2',
    // As browsers send it: the first group has the key share.
    ecdhCurve: groups === 'classic' ? CLASSIC_GROUPS : `${POST_QUANTUM_GROUP}:${CLASSIC_GROUPS}`,
  }),
);

const SIGNATURES = {
  rsa: [
    ...['sha256', 'sha384', 'sha512'].flatMap((hash) => [`rsa_pss_rsae_${hash}`, `rsa_pss_pss_${hash}`]),
    'RSA+SHA256',
    'RSA+SHA384',
    'RSA+SHA512',
    'RSA+SHA1',
  ],
  ecdsa: ['ECDSA+SHA256', 'ECDSA+SHA384', 'ECDSA+SHA512', 'ECDSA+SHA1'],
};

/** Accepts one kind of signature alone, so that a server with two leaves has to show the one of that kind. */
export const signatureContext = remembered((keyType: 'rsa' | 'ecdsa') =>
  createSecureContext({
    ...SHARED,
    minVersion: 'TLSv1.2',
    ciphers: `DEFAULT:!${keyType === 'rsa' ? 'aECDSA' : 'aRSA'}:${TLS13_CIPHERS}`,
    sigalgs: SIGNATURES[keyType].join(':'),
  }),
);

function remembered<K>(make: (key: K) => SecureContext): (key: K) => SecureContext {
  const made = new Map<K, SecureContext>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}
