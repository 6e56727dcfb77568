import { constants } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { SecureContextOptions } from 'node:tls';

// The first group alone gets a key share, the others are reached by a HelloRetryRequest. A key share for ML-KEM costs
// an eighth of a check's CPU; the group stays on offer for servers that insist on it.
const GROUPS = 'X25519:P-256:P-384:P-521:X448:ffdhe2048:ffdhe3072:X25519MLKEM768';

const SHARED: SecureContextOptions = {
  ecdhCurve: GROUPS,
  // Without any anchor OpenSSL's own verification ends at once and Node skips its getPeerCertificate(true), a third of
  // a handshake's CPU. Nothing is lost: the verdict comes from the judge, never from OpenSSL.
  ca: [],
};

/** What today's clients accept. Contexts are made once: each costs more than a whole handshake. */
export const modernContext = createSecureContext({ ...SHARED, minVersion: 'TLSv1.2' });

/** For a second look at servers that refuse the first: TLS 1.0, small keys, SHA-1, no secure renegotiation. */
export const legacyContext = createSecureContext({
  ...SHARED,
  minVersion: 'TLSv1',
  ciphers: 'DEFAULT:@SECLEVEL=0',
  secureOptions: constants.SSL_OP_LEGACY_SERVER_CONNECT,
});
