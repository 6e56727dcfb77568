import { isWeakKey, type PublicKey, RSA_PSS } from '../../../pki/index.ts';
import type { ClientRule, Link } from './client-rule.ts';

/** Returns the key of the certificate and, for the last link, also that of the root, because no rule runs on the root itself. */
const ownKeys = ({ certificate, issuer }: Link): PublicKey[] =>
  issuer.selfIssued ? [certificate.key, issuer.key] : [certificate.key];

/** Rules about the key and the encoding of a certificate. */
export const FIELD_RULES: readonly ClientRule<Link>[] = [
  {
    code: 'p521_key',
    clients: ['chromium'],
    source: 'measured: Chrome offers no signature algorithm for it',
    applies: ({ certificate: { key }, isLeaf }) => isLeaf && key.curve === 'P-521',
  },
  {
    code: 'ed25519_key',
    clients: ['chromium', 'firefox'],
    source: 'measured',
    applies: (link) => ownKeys(link).some(({ type }) => type === 'ed25519'),
  },
  {
    code: 'ed448_key',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: (link) => ownKeys(link).some(({ type }) => type === 'ed448'),
  },
  {
    code: 'rsa_pss_key',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: ({ certificate: { key }, isLeaf }) => isLeaf && key.algorithm === RSA_PSS,
  },
  {
    code: 'long_exponent',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: ({ certificate: { key } }) => key.exponentIsSound && key.exponentBits > 33,
  },
  {
    code: 'no_key_null',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured; RFC 3279 §2.3.1',
    applies: ({ certificate: { key } }) => !key.hasNull,
  },
  {
    code: 'compressed_key',
    clients: ['firefox', 'go', 'java', 'gnutls'],
    source: 'measured; RFC 5480 §2.2 allows it',
    applies: ({ certificate: { key } }) => key.isCompressed,
  },
  {
    code: 'weak_root_key',
    clients: ['openssl'],
    source: 'measured; ssl_security_cert in OpenSSL',
    applies: ({ certificate: { key } }) => key.type === 'rsa' && key.bits < 2048 && isWeakKey(key),
    ofAnchor: 'only',
  },
  {
    code: 'negative_serial_number',
    clients: ['go'],
    source: 'release notes of Go 1.23',
    applies: ({ certificate: { serialNumber } }) => Number.parseInt(serialNumber.slice(0, 2), 16) >= 0x80,
  },
  {
    code: 'early_date',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { notBefore } }) => notBefore < 0,
  },
  {
    code: 'explicit_default',
    clients: ['chromium'],
    source: 'measured; X.690 §11.5',
    applies: ({ certificate: { extensions } }) =>
      [...extensions.values()].some(({ writesDefault }) => writesDefault),
    ofAnchor: 'too',
  },
  {
    code: 'long_path_length',
    clients: ['chromium', 'firefox'],
    source: 'measured: both read one byte',
    applies: ({ certificate: { basicConstraints } }) => (basicConstraints?.pathLength ?? 0) > 255,
    ofAnchor: 'too',
  },
  {
    code: 'long_path_length',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { basicConstraints } }) =>
      (basicConstraints?.pathLength ?? 0) > 127 && (basicConstraints?.pathLength ?? 0) <= 255,
    ofAnchor: 'too',
  },
];
