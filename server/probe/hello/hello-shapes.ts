import type { Client } from '../../../contract/check-words.ts';
import type { HelloPart } from '../../core/observation.ts';
import { GREASE, GROUP, type HelloShape, EXTENSION_TYPE as TYPE } from './client-hello.ts';

/** Cipher suites of Chromium 156, as captured. */
const CHROME_CIPHERS = [
  0x1301, 0x1302, 0x1303, 0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0xc013, 0xc014, 0x009c, 0x009d,
  0x002f, 0x0035,
];
const SAFARI_CIPHERS = [
  0x1302, 0x1303, 0x1301, 0xc02c, 0xc02b, 0xcca9, 0xc030, 0xc02f, 0xcca8, 0xc00a, 0xc009, 0xc014, 0xc013,
  0x009d, 0x009c, 0x0035, 0x002f, 0xc008, 0xc012, 0x000a,
];
const CHROME_SIGNATURES = [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601];
const ML_DSA_SIGNATURES = [0x0904, 0x0905, 0x0906];
const COMMON_GROUPS = [GROUP.x25519, GROUP.p256, GROUP.p384];
const VERSIONS = [0x0304, 0x0303];
const BROTLI = 2;
const ECH_BYTES = 240;

/** A ClientHello that offers what all browsers offer. Has no extensions that our usual ClientHello lacks. */
const PLAIN: HelloShape = {
  ciphers: CHROME_CIPHERS,
  groups: COMMON_GROUPS,
  shares: [GROUP.x25519],
  signatures: CHROME_SIGNATURES,
  versions: VERSIONS,
  extensions: [
    TYPE.serverName,
    TYPE.extendedMasterSecret,
    TYPE.renegotiationInfo,
    TYPE.groups,
    TYPE.pointFormats,
    TYPE.sessionTicket,
    TYPE.alpn,
    TYPE.statusRequest,
    TYPE.signatures,
    TYPE.keyShares,
    TYPE.pskModes,
    TYPE.versions,
  ],
  compression: [BROTLI],
  echBytes: ECH_BYTES,
};

const withMlKem = (groups: readonly number[]): number[] => [GROUP.x25519MlKem768, ...groups];
const withExtension =
  (type: number) =>
  (shape: HelloShape): HelloShape => ({ ...shape, extensions: [...shape.extensions, type] });

/** Functions that add one part to a ClientHello. Padding adds `size`; `whole` cannot be added. */
const WITH_PART: Record<Exclude<HelloPart, 'size' | 'whole'>, (shape: HelloShape) => HelloShape> = {
  ml_kem: (shape) => ({ ...shape, groups: withMlKem(shape.groups), shares: withMlKem(shape.shares) }),
  ml_dsa: (shape) => ({ ...shape, signatures: [...ML_DSA_SIGNATURES, ...shape.signatures] }),
  grease_ciphers: (shape) => ({ ...shape, ciphers: [GREASE, ...shape.ciphers] }),
  grease_extensions: (shape) => ({ ...shape, extensions: [GREASE, ...shape.extensions, GREASE] }),
  grease_groups: (shape) => ({
    ...shape,
    groups: [GREASE, ...shape.groups],
    shares: [GREASE, ...shape.shares],
  }),
  grease_versions: (shape) => ({ ...shape, versions: [GREASE, ...shape.versions] }),
  grease_signatures: (shape) => ({ ...shape, signatures: [GREASE, ...shape.signatures] }),
  ech: withExtension(TYPE.encryptedClientHello),
  compression: withExtension(TYPE.compressCertificate),
  alps: withExtension(TYPE.applicationSettings),
  trust_anchors: withExtension(TYPE.trustAnchors),
  timestamps: withExtension(TYPE.timestamps),
  delegated_credentials: withExtension(TYPE.delegatedCredentials),
  record_size_limit: withExtension(TYPE.recordSizeLimit),
};

const isOffer = (part: HelloPart): part is keyof typeof WITH_PART => part in WITH_PART;

/** Returns the plain ClientHello, plus one part that browsers send if `added` is given. `size` and `whole` add nothing. */
export function plainHello(added: HelloPart | null = null): HelloShape {
  return added !== null && isOffer(added) ? WITH_PART[added](PLAIN) : PLAIN;
}

/** The signatures of `modernContext`, in its order. */
const BROADER_SIGNATURES = [
  0x0403, 0x0503, 0x0603, 0x0807, 0x0808, 0x0804, 0x0809, 0x0805, 0x080a, 0x0806, 0x080b, 0x0401, 0x0501,
  0x0601,
];

/** Returns a ClientHello that offers what our usual TLS settings offer: to web servers `browserContext`, to others `modernContext`. */
export function usualHello(isWeb: boolean): HelloShape {
  return isWeb ? PLAIN : { ...PLAIN, signatures: BROADER_SIGNATURES };
}

export type Browser = Extract<Client, 'chromium' | 'firefox' | 'apple'>;

/**
 * ClientHellos of browsers: Chromium 156 and Firefox 153 as captured, and Safari 26 as the public library bogdanfinn/tls-client describes it
 * (`Safari_IOS_26_0`). Chromium varies the length of its encrypted_client_hello: this is the largest.
 */
export const BROWSER_HELLOS: Record<Browser, HelloShape> = {
  chromium: {
    ciphers: [GREASE, ...CHROME_CIPHERS],
    groups: [GREASE, ...withMlKem(COMMON_GROUPS)],
    shares: [GREASE, ...withMlKem([GROUP.x25519])],
    signatures: [GREASE, ...ML_DSA_SIGNATURES, ...CHROME_SIGNATURES],
    versions: [GREASE, ...VERSIONS],
    // Chromium shuffles its extensions for each ClientHello. This is the order of one capture.
    extensions: [
      GREASE,
      TYPE.sessionTicket,
      TYPE.serverName,
      TYPE.trustAnchors,
      TYPE.signatures,
      TYPE.pskModes,
      TYPE.timestamps,
      TYPE.statusRequest,
      TYPE.alpn,
      TYPE.encryptedClientHello,
      TYPE.compressCertificate,
      TYPE.applicationSettings,
      TYPE.keyShares,
      TYPE.extendedMasterSecret,
      TYPE.groups,
      TYPE.versions,
      TYPE.renegotiationInfo,
      TYPE.pointFormats,
      GREASE,
    ],
    compression: [BROTLI],
    echBytes: ECH_BYTES,
  },
  firefox: {
    ciphers: [
      0x1301, 0x1303, 0x1302, 0xc02b, 0xc02f, 0xcca9, 0xcca8, 0xc02c, 0xc030, 0xc00a, 0xc013, 0xc014, 0x009c,
      0x009d, 0x002f, 0x0035,
    ],
    groups: [...withMlKem(COMMON_GROUPS), GROUP.p521, 0x0100, 0x0101],
    shares: withMlKem([GROUP.x25519, GROUP.p256]),
    signatures: [0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201],
    versions: VERSIONS,
    extensions: [
      TYPE.serverName,
      TYPE.extendedMasterSecret,
      TYPE.renegotiationInfo,
      TYPE.groups,
      TYPE.pointFormats,
      TYPE.sessionTicket,
      TYPE.alpn,
      TYPE.statusRequest,
      TYPE.delegatedCredentials,
      TYPE.timestamps,
      TYPE.keyShares,
      TYPE.versions,
      TYPE.signatures,
      TYPE.pskModes,
      TYPE.recordSizeLimit,
      TYPE.compressCertificate,
      TYPE.encryptedClientHello,
    ],
    compression: [1, BROTLI, 3],
    echBytes: 239,
  },
  apple: {
    ciphers: [GREASE, ...SAFARI_CIPHERS],
    groups: [GREASE, ...withMlKem(COMMON_GROUPS), GROUP.p521],
    shares: [GREASE, ...withMlKem([GROUP.x25519])],
    // Safari sends 0x0805 twice.
    signatures: [0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201],
    versions: [GREASE, ...VERSIONS],
    extensions: [
      GREASE,
      TYPE.serverName,
      TYPE.extendedMasterSecret,
      TYPE.renegotiationInfo,
      TYPE.groups,
      TYPE.pointFormats,
      TYPE.alpn,
      TYPE.statusRequest,
      TYPE.signatures,
      TYPE.timestamps,
      TYPE.keyShares,
      TYPE.pskModes,
      TYPE.versions,
      TYPE.compressCertificate,
      GREASE,
    ],
    compression: [1],
    echBytes: 0,
  },
};

/**
 * Lengths in bytes of the ClientHellos of other clients, for a server name of 11 letters. OpenSSL 3.5 and GnuTLS 3.7: captured. Go 1.26 and
 * Java 27: estimated from captures of Go 1.19 and Java 17, plus the key shares that were added since.
 */
export const OTHER_HELLO_BYTES: readonly { client: Client; bytes: number }[] = [
  { client: 'openssl', bytes: 1_588 },
  { client: 'go', bytes: 1_500 },
  { client: 'java', bytes: 1_613 },
  { client: 'gnutls', bytes: 393 },
];
export const MEASURED_NAME_LENGTH = 11;
