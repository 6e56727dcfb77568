import { constants } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { Client } from '../../contract/check-words.ts';
import { BROWSER_OFFER, browserContext, forBothKeys, type Offer, offerContext } from './tls-contexts.ts';

/** What a version of a client offers, without what OpenSSL cannot offer. */
interface ClientOffer {
  client: Client;
  source: string;
  offer: Offer;
  /** Whether the client also offers ML-KEM. */
  hasMlKem: boolean;
}

/**
 * OpenSSL offers SHA-1 signatures and ciphers without forward secrecy only at this security level. The level also allows weak keys, which
 * `judge` reports.
 */
const EVERY_STRENGTH = '@SECLEVEL=0';

const [GCM_128, GCM_256, CHACHA20] = ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'] as const;
const ONLY_RSA = ['AES256-GCM-SHA384', 'AES128-GCM-SHA256', 'AES256-SHA', 'AES128-SHA'];
const withKey = (key: 'ECDSA' | 'RSA', ...ciphers: readonly string[]): string[] =>
  ciphers.map((cipher) => `ECDHE-${key}-${cipher}`);

const withDhe = (...ciphers: readonly string[]): string[] => ciphers.map((cipher) => `DHE-RSA-${cipher}`);

const ALL_GROUPS = 'X25519:P-256:P-384:P-521:X448:ffdhe2048:ffdhe3072';
const HASHES = ['256', '384', '512'];
const ECDSA = HASHES.map((hash) => `ECDSA+SHA${hash}`);
const PSS = HASHES.map((hash) => `rsa_pss_rsae_sha${hash}`);
const PSS_KEY = HASHES.map((hash) => `rsa_pss_pss_sha${hash}`);
const PKCS1 = HASHES.map((hash) => `RSA+SHA${hash}`);
const SHA_1 = ['ECDSA+SHA1', 'RSA+SHA1'];
const OF_OPENSSL = [...ECDSA, 'ed25519', 'ed448', ...PSS_KEY, ...PSS, ...PKCS1, 'ECDSA+SHA224', 'RSA+SHA224'];

const FIREFOX: Offer = {
  ciphers: [
    ...[GCM_128, CHACHA20, GCM_256].flatMap(forBothKeys),
    ...withKey('ECDSA', 'AES256-SHA'),
    ...withKey('RSA', 'AES128-SHA', 'AES256-SHA'),
    ...ONLY_RSA,
    EVERY_STRENGTH,
  ],
  groups: 'X25519:P-256:P-384:P-521:ffdhe2048:ffdhe3072',
  signatures: [...ECDSA, ...PSS, ...PKCS1, ...SHA_1],
};

/** Returns TLS settings that offer what Firefox offers. */
export const firefoxContext = (): SecureContext => offerContext(FIREFOX) ?? browserContext;

/** The parts of each client's ClientHello by which servers choose a certificate: signatures, ciphers and groups. */
export const CLIENT_OFFERS: readonly ClientOffer[] = [
  {
    client: 'chromium',
    hasMlKem: true,
    source: 'ClientHello of Chromium 156',
    offer: { ...BROWSER_OFFER, signatures: ['mldsa44', 'mldsa65', 'mldsa87', ...BROWSER_OFFER.signatures] },
  },
  {
    client: 'firefox',
    hasMlKem: true,
    source: 'ClientHello of Firefox 153',
    offer: FIREFOX,
  },
  {
    client: 'apple',
    hasMlKem: true,
    source:
      'public captures: HelloSafari_16_0 in u_parrots.go of utls, without SHA-1, which Safari 26 does not offer',
    offer: {
      ciphers: [
        ...withKey('ECDSA', GCM_256, GCM_128, CHACHA20),
        ...withKey('RSA', GCM_256, GCM_128, CHACHA20),
        ...withKey('ECDSA', 'AES256-SHA', 'AES128-SHA'),
        ...withKey('RSA', 'AES256-SHA', 'AES128-SHA'),
        ...ONLY_RSA,
      ],
      groups: 'X25519:P-256:P-384:P-521',
      signatures: BROWSER_OFFER.signatures,
    },
  },
  {
    client: 'openssl',
    hasMlKem: false,
    source: 'ClientHello of curl, Python and s_client with OpenSSL 3.0',
    offer: { ciphers: ['DEFAULT'], groups: ALL_GROUPS, signatures: OF_OPENSSL },
  },
  {
    client: 'openssl',
    hasMlKem: true,
    source: 'ClientHello of Node.js 26 with OpenSSL 3.5',
    offer: {
      ciphers: constants.defaultCipherList.split(':').filter((cipher) => !cipher.startsWith('TLS_')),
      groups: ALL_GROUPS,
      signatures: ['mldsa65', 'mldsa87', 'mldsa44', ...OF_OPENSSL],
    },
  },
  {
    client: 'go',
    hasMlKem: true,
    source:
      'defaultSupportedSignatureAlgorithms and defaultCipherSuites in crypto/tls of Go 1.26; ClientHello of Go 1.19',
    offer: {
      ciphers: [GCM_128, GCM_256, CHACHA20, 'AES128-SHA', 'AES256-SHA'].flatMap(forBothKeys),
      groups: 'X25519:P-256:P-384:P-521',
      signatures: [
        'rsa_pss_rsae_sha256',
        'ECDSA+SHA256',
        'ed25519',
        'rsa_pss_rsae_sha384',
        'rsa_pss_rsae_sha512',
        ...PKCS1,
        'ECDSA+SHA384',
        'ECDSA+SHA512',
      ],
    },
  },
  {
    client: 'java',
    hasMlKem: false,
    source: 'ClientHello of Java 17; SignatureScheme.java of OpenJDK',
    offer: {
      ciphers: [
        ...withKey('ECDSA', GCM_256, GCM_128, CHACHA20),
        ...withKey('RSA', GCM_256, CHACHA20, GCM_128),
        ...withDhe(GCM_256, CHACHA20, GCM_128),
        ...['AES256-SHA384', 'AES128-SHA256'].flatMap(forBothKeys),
        ...withDhe('AES256-SHA256', 'AES128-SHA256'),
        ...['AES256-SHA', 'AES128-SHA'].flatMap(forBothKeys),
        ...withDhe('AES256-SHA', 'AES128-SHA'),
        EVERY_STRENGTH,
      ],
      groups: ALL_GROUPS,
      signatures: [
        ...ECDSA,
        'ed25519',
        'ed448',
        ...PSS,
        ...PSS_KEY,
        ...PKCS1,
        'ECDSA+SHA224',
        'RSA+SHA224',
        ...SHA_1,
      ],
    },
  },
  {
    client: 'gnutls',
    hasMlKem: false,
    source: 'ClientHello of GnuTLS 3.7',
    offer: {
      ciphers: [
        ...withKey(
          'ECDSA',
          GCM_256,
          CHACHA20,
          'AES256-CCM',
          'AES256-SHA',
          GCM_128,
          'AES128-CCM',
          'AES128-SHA',
        ),
        ...withKey('RSA', GCM_256, CHACHA20, 'AES256-SHA', GCM_128, 'AES128-SHA'),
        ...ONLY_RSA,
        ...withDhe(GCM_256, CHACHA20, 'AES256-CCM', 'AES256-SHA', GCM_128, 'AES128-CCM', 'AES128-SHA'),
        EVERY_STRENGTH,
      ],
      groups: ALL_GROUPS,
      signatures: [
        ...HASHES.flatMap((hash) => [
          `RSA+SHA${hash}`,
          `rsa_pss_pss_sha${hash}`,
          `rsa_pss_rsae_sha${hash}`,
          `ECDSA+SHA${hash}`,
          ...(hash === '256' ? ['ed25519'] : hash === '384' ? ['ed448'] : []),
        ]),
        'RSA+SHA1',
        'ECDSA+SHA1',
      ],
    },
  },
  {
    client: 'windows',
    hasMlKem: false,
    source:
      'public captures of Schannel of Windows 11; learn.microsoft.com, TLS Cipher Suites in Windows 11 v22H2',
    offer: {
      ciphers: [
        ...[GCM_256, GCM_128].flatMap((cipher) => withKey('ECDSA', cipher)),
        ...[GCM_256, GCM_128].flatMap((cipher) => withKey('RSA', cipher)),
        ...withKey('ECDSA', 'AES256-SHA384', 'AES128-SHA256'),
        ...withKey('RSA', 'AES256-SHA384', 'AES128-SHA256'),
        ...withKey('ECDSA', 'AES256-SHA', 'AES128-SHA'),
        ...withKey('RSA', 'AES256-SHA', 'AES128-SHA'),
        ...ONLY_RSA,
        EVERY_STRENGTH,
      ],
      groups: 'X25519:P-256:P-384',
      signatures: [
        ...PSS,
        'RSA+SHA256',
        'RSA+SHA384',
        'RSA+SHA1',
        'ECDSA+SHA256',
        'ECDSA+SHA384',
        'ECDSA+SHA1',
        'RSA+SHA512',
        'ECDSA+SHA512',
      ],
    },
  },
];
