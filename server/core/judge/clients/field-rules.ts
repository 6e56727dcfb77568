import { type Client, KEY_TYPE_NAMES, KEY_TYPES, type KeyType } from '../../../../contract/check-words.ts';
import { HASH_BYTES, type PssParameters } from '../../../pki/pss-parameters.ts';
import {
  isWeakKey,
  KEY_ALGORITHMS,
  type PublicKey,
  publicKeyName,
  RSA_PSS,
} from '../../../pki/public-key.ts';
import { type ClientRule, FIX_AUTHORITY, type PathLink } from './client-rule.ts';

/** Clients that refuse ML-DSA, in all or only in older versions. Apple’s documents do not name it. */
const WITHOUT_ML_DSA: readonly Client[] = ['firefox', 'apple', 'openssl', 'go', 'java', 'gnutls'];

/** Clients that refuse SLH-DSA, in all or only in older versions. */
const WITHOUT_SLH_DSA: readonly Client[] = ['chromium', ...WITHOUT_ML_DSA];

/** Clients whose complete list of signature algorithms we know; they refuse any other. */
const WITHOUT_OTHERS: readonly Client[] = ['chromium', 'firefox', 'apple', 'go', 'java'];

/**
 * Returns who is known to refuse the algorithm of a key or signature that we cannot verify. `name`: equal to `identifier`
 * (OID) if we do not know the algorithm.
 */
export function clientsRefusingAlgorithm(identifier: string, name: string): readonly Client[] {
  const type = KEY_ALGORITHMS.get(identifier)?.type;
  if (type === 'ml-dsa') return WITHOUT_ML_DSA;
  if (type === 'slh-dsa') return WITHOUT_SLH_DSA;
  return name === identifier ? WITHOUT_OTHERS : [];
}

/** Returns the type of a key as TLS signatures distinguish it; null if TLS has none for it. */
export function keyTypeOf(key: PublicKey): KeyType | null {
  switch (key.type) {
    case 'rsa':
      return key.algorithm === RSA_PSS ? 'rsa-pss' : 'rsa';
    case 'ec':
      return 'ecdsa';
    default: {
      const name = publicKeyName(key);
      return KEY_TYPES.find((keyType) => KEY_TYPE_NAMES[keyType] === name) ?? null;
    }
  }
}

/** Returns the rule about clients that refuse a key type, or one of its curves; null for a type that all clients accept. */
export function keyTypeRule(keyType: KeyType): (typeof FIELD_RULES)[number]['code'] | null {
  switch (keyType) {
    case 'rsa':
      return null;
    case 'ecdsa':
      return 'p521_key';
    case 'rsa-pss':
      return 'rsa_pss_key';
    case 'ed25519':
      return 'ed25519_key';
    case 'ed448':
      return 'ed448_key';
    default:
      return 'ml_dsa_key';
  }
}

/** Returns the key of the certificate. For the last one below the root, also returns the key of the root: one finding for both is enough. */
const ownKeys = ({ certificate, issuer }: PathLink): PublicKey[] =>
  issuer.selfIssued ? [certificate.key, issuer.key] : [certificate.key];

const hasOtherSalt = (pss: PssParameters | null): boolean =>
  pss !== null && pss.saltBytes !== HASH_BYTES[pss.hash];

const hasOtherMask = (pss: PssParameters | null): boolean => pss !== null && pss.maskHash !== pss.hash;

const NEW_KEY =
  'Create a new key (ECDSA P-256, or RSA with 2048 to 4096 bits) and have a certificate issued for it.';
const CLASSIC_KEY =
  'Serve a certificate with an ECDSA or RSA key, from an authority with such a key, to these clients. Most servers can serve one beside this one.';
const OTHER_SIGNATURE =
  'Ask your authority to sign with RSA-PSS in its usual form or with another algorithm, and to reissue the certificate.';

/** Rules about the key and the encoding of a certificate. */
export const FIELD_RULES = [
  {
    code: 'p521_key',
    why: 'its key is on the curve P-521',
    fix: NEW_KEY,
    clients: ['chromium'],
    source: 'measured: Chrome offers no signature algorithm for it',
    applies: ({ certificate: { key }, isLeaf }) => isLeaf && key.curve === 'P-521',
  },
  {
    code: 'ed25519_key',
    why: 'it or its root has an Ed25519 key',
    fix: NEW_KEY,
    clients: ['chromium', 'firefox'],
    source: 'measured',
    applies: (link) => ownKeys(link).some(({ type }) => type === 'ed25519'),
    ofAnchor: 'never',
  },
  {
    code: 'ed448_key',
    why: 'it or its root has an Ed448 key',
    fix: NEW_KEY,
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: (link) => ownKeys(link).some(({ type }) => type === 'ed448'),
    ofAnchor: 'never',
  },
  {
    code: 'ml_dsa_key',
    why: 'it or its root has an ML-DSA key',
    fix: CLASSIC_KEY,
    clients: WITHOUT_ML_DSA,
    acceptingSince: { openssl: '3.5', go: '1.27' },
    source:
      'measured; OpenSSL 3.5 and Go 1.27 read it; Chrome since 150; Firefox 157 has it behind security.tls.enable_mldsa; JDK-8381641',
    applies: (link) => ownKeys(link).some(({ type }) => type === 'ml-dsa'),
    ofAnchor: 'never',
  },
  {
    code: 'slh_dsa_key',
    why: 'it or its root has an SLH-DSA key',
    fix: CLASSIC_KEY,
    clients: WITHOUT_SLH_DSA,
    acceptingSince: { openssl: '3.5' },
    source: 'measured; OpenSSL 3.5 reads it',
    applies: (link) => ownKeys(link).some(({ type }) => type === 'slh-dsa'),
    ofAnchor: 'never',
  },
  {
    code: 'rsa_pss_key',
    why: 'its RSA key, or that of its root, is restricted to PSS signatures',
    fix: NEW_KEY,
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured',
    applies: (link) => ownKeys(link).some(({ algorithm }) => algorithm === RSA_PSS),
    ofAnchor: 'never',
  },
  {
    code: 'pss_key_parameters',
    why: 'its RSA key is restricted to unusual PSS signatures',
    fix: NEW_KEY,
    clients: ['gnutls'],
    source: 'measured',
    applies: ({ certificate: { key }, isLeaf }) => isLeaf && hasOtherSalt(key.pss),
    ofAnchor: 'never',
  },
  {
    code: 'pss_key_parameters',
    clients: ['java', 'gnutls'],
    source: 'measured; RFC 4055 §3.1',
    applies: (link) => ownKeys(link).some(({ pss }) => pss !== null && pss.trailer !== 1),
    ofAnchor: 'never',
  },
  {
    code: 'pss_key_parameters',
    clients: ['java', 'gnutls'],
    source: 'measured: TLS signs with equal hashes (RFC 8446 §4.2.3)',
    applies: ({ certificate: { key }, isLeaf }) => isLeaf && hasOtherMask(key.pss),
    ofAnchor: 'never',
  },
  {
    code: 'pss_salt',
    why: 'the salt of its RSA-PSS signature is not as long as the hash',
    fix: OTHER_SIGNATURE,
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured; ParseRsaPss in BoringSSL, getSignatureAlgorithmFromAI in x509.go',
    applies: ({ certificate: { signature } }) => hasOtherSalt(signature.algorithm.pss),
    ofAnchor: 'never',
  },
  {
    code: 'pss_salt',
    clients: ['gnutls'],
    source: 'measured; fixup_spki_params in pubkey.c takes the salt of the signature for RSA-PSS keys alone',
    applies: ({ certificate: { signature }, issuer }) =>
      issuer.key.algorithm !== RSA_PSS && hasOtherSalt(signature.algorithm.pss),
    ofAnchor: 'never',
  },
  {
    code: 'pss_mask',
    why: 'its RSA-PSS signature uses two different hashes',
    fix: OTHER_SIGNATURE,
    clients: ['chromium', 'firefox', 'go', 'gnutls'],
    source: 'measured; ParseRsaPss in BoringSSL, getSignatureAlgorithmFromAI in x509.go',
    applies: ({ certificate: { signature } }) => hasOtherMask(signature.algorithm.pss),
    ofAnchor: 'never',
  },
  {
    code: 'pss_encoding',
    why: 'the parameters of its RSA-PSS signature are written in a rare form',
    fix: OTHER_SIGNATURE,
    clients: ['chromium', 'firefox'],
    source: 'measured; X.690 §11.5',
    applies: ({ certificate: { signature } }) => signature.algorithm.pss?.writesTrailer === true,
    ofAnchor: 'never',
  },
  {
    code: 'pss_encoding',
    clients: ['firefox'],
    source: 'measured; RFC 4055 §2.1 allows it',
    applies: ({ certificate: { signature } }) => signature.algorithm.pss?.lacksNull === true,
    ofAnchor: 'never',
  },
  {
    code: 'long_exponent',
    why: 'the exponent of its RSA key has more than 31 bits; Chrome accepts 33, and Firefox 64',
    fix: NEW_KEY,
    clients: ['chromium'],
    source: 'measured; kMaxExponentBits in rsa_impl.cc.inc of BoringSSL',
    applies: ({ certificate: { key } }) => key.exponentIsSound && key.exponentBits > 33,
  },
  {
    code: 'long_exponent',
    clients: ['firefox'],
    source: 'measured; RSA_MAX_EXPONENT_BITS in blapit.h of NSS',
    applies: ({ certificate: { key } }) => key.exponentIsSound && key.exponentBits > 64,
  },
  {
    code: 'long_exponent',
    clients: ['go'],
    source: 'checkPublicKey in crypto/internal/fips140/rsa of Go 1.24; Go 1.19 accepts 63 bits (measured)',
    applies: ({ certificate: { key } }) => key.exponentIsSound && key.exponentBits > 31,
  },
  {
    code: 'no_key_null',
    why: 'the algorithm of its RSA key lacks the NULL parameter',
    clients: ['chromium', 'firefox', 'go'],
    source: 'measured; RFC 3279 §2.3.1',
    applies: ({ certificate: { key } }) => !key.hasNull,
  },
  {
    code: 'compressed_key',
    why: 'the point of its ECDSA key is compressed',
    fix: NEW_KEY,
    clients: ['firefox', 'go', 'java', 'gnutls'],
    source: 'measured; RFC 5480 §2.2 allows it',
    applies: ({ certificate: { key } }) => key.isCompressed,
  },
  {
    code: 'weak_root_key',
    why: 'the RSA key of this root is shorter than 2048 bits',
    fix: NEW_KEY,
    clients: ['openssl'],
    source: 'measured; ssl_security_cert in OpenSSL',
    applies: ({ certificate: { key } }) => key.type === 'rsa' && key.bits < 2048 && isWeakKey(key),
    ofAnchor: 'only',
  },
  {
    code: 'negative_serial_number',
    why: 'its serial number is negative',
    clients: ['go'],
    source: 'release notes of Go 1.23',
    applies: ({ certificate: { serialNumber } }) => Number.parseInt(serialNumber.slice(0, 2), 16) >= 0x80,
  },
  {
    code: 'early_date',
    why: 'it is valid from a date before 1970',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { notBefore } }) => notBefore < 0,
  },
  {
    code: 'explicit_default',
    why: 'an extension states that it is not critical, which DER forbids',
    clients: ['chromium'],
    source: 'measured; X.690 §11.5',
    applies: ({ certificate: { extensions } }) =>
      [...extensions.values()].some(({ writesDefault }) => writesDefault),
  },
  {
    code: 'long_path_length',
    why: 'its path length is above 127',
    fix: FIX_AUTHORITY,
    clients: ['chromium', 'firefox'],
    source: 'measured: both read one byte',
    applies: ({ certificate: { basicConstraints } }) => (basicConstraints?.pathLength ?? 0) > 255,
  },
  {
    code: 'long_path_length',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { basicConstraints } }) =>
      (basicConstraints?.pathLength ?? 0) > 127 && (basicConstraints?.pathLength ?? 0) <= 255,
  },
] as const satisfies readonly ClientRule<PathLink>[];
