import { createECDH, randomBytes, randomInt } from 'node:crypto';
import { isIP } from 'node:net';

/** Placeholder for a reserved value, which servers must ignore (RFC 8701). `writeHello` replaces it by a random one. */
export const GREASE = -1;

export const GROUP = { x25519: 0x001d, p256: 0x0017, p384: 0x0018, p521: 0x0019, x25519MlKem768: 0x11ec };

/** Numbers of TLS extensions (IANA registry “TLS ExtensionType Values”). */
export const EXTENSION_TYPE = {
  serverName: 0,
  statusRequest: 5,
  groups: 10,
  pointFormats: 11,
  signatures: 13,
  alpn: 16,
  timestamps: 18,
  padding: 21,
  extendedMasterSecret: 23,
  compressCertificate: 27,
  recordSizeLimit: 28,
  delegatedCredentials: 34,
  sessionTicket: 35,
  versions: 43,
  pskModes: 45,
  keyShares: 51,
  /** Application settings (draft-vvv-tls-alps). */
  applicationSettings: 0x44cd,
  /** Trust anchor identifiers (draft-ietf-tls-trust-anchor-ids). */
  trustAnchors: 0xca34,
  encryptedClientHello: 0xfe0d,
  renegotiationInfo: 0xff01,
} as const;

/** What a ClientHello offers, as IANA's numbers in the order in which they are sent. `GREASE` may be among them. */
export interface HelloShape {
  ciphers: readonly number[];
  groups: readonly number[];
  /** Groups with a key share. */
  shares: readonly number[];
  signatures: readonly number[];
  versions: readonly number[];
  extensions: readonly number[];
  /** Algorithms of certificate compression (RFC 8879 §7.3). */
  compression: readonly number[];
  /** Length in bytes of the random payload of the extension encrypted_client_hello. */
  echBytes: number;
}

export interface HelloTarget {
  /** Name to send as SNI; an IP address or null to send none (RFC 6066 §3). */
  serverName: string | null;
  alpn: readonly string[];
  /** Public key of X25519. Default: a random one without a private key, so that the handshake cannot be completed. */
  x25519Share?: Buffer;
}

/**
 * Writes a ClientHello in one TLS record (RFC 8446 §4.1.2, §5.1). `paddedTo`: minimum length of the record in bytes, reached with the
 * padding extension (RFC 7685).
 */
export function writeHello(shape: HelloShape, target: HelloTarget, paddedTo = 0): Buffer {
  const grease = shuffledGrease();
  const group = grease(0);
  const replaced = (values: readonly number[], by: number): number[] =>
    values.map((value) => (value === GREASE ? by : value));
  const filled: HelloShape = {
    ...shape,
    ciphers: replaced(shape.ciphers, grease(1)),
    groups: replaced(shape.groups, group),
    shares: replaced(shape.shares, group),
    signatures: replaced(shape.signatures, grease(2)),
    versions: replaced(shape.versions, grease(3)),
  };
  const types = sentExtensions(shape, target);
  // BoringSSL sends two reserved extensions: an empty one and one of a single byte.
  const reserved = [extension(grease(4), Buffer.alloc(0)), extension(grease(5), Buffer.alloc(1))];
  const extensions = types.map((type) =>
    type === GREASE ? (reserved.shift() ?? Buffer.alloc(0)) : extension(type, content(type, filled, target)),
  );
  const record = recordWith(filled.ciphers, extensions);
  const missing = paddedTo - record.length;
  if (missing <= 0) return record;
  const padding = extension(EXTENSION_TYPE.padding, Buffer.alloc(Math.max(0, missing - 4)));
  return recordWith(filled.ciphers, [...extensions, padding]);
}

/**
 * Returns a function that writes ClientHellos of one shape to many servers, in a tenth of the time that `writeHello` takes. The shape must
 * begin with the server name and have no GREASE.
 */
export function helloWriter(
  shape: HelloShape,
  target: Omit<HelloTarget, 'serverName'>,
): (serverName: string | null) => Buffer {
  const template = writeHello(shape, { ...target, serverName: null });
  const extensionsAt = SESSION_ID_AT + 32 + 2 + 2 * shape.ciphers.length + 2;
  return (serverName) => {
    const hasName = serverName !== null && isIP(serverName) === 0;
    const named = { ...target, serverName };
    const name = hasName
      ? extension(EXTENSION_TYPE.serverName, content(EXTENSION_TYPE.serverName, shape, named))
      : Buffer.alloc(0);
    const start = extensionsAt + 2;
    const record = Buffer.concat([template.subarray(0, start), name, template.subarray(start)]);
    const added = name.length;
    record.writeUInt16BE(record.readUInt16BE(3) + added, 3);
    record.writeUIntBE(record.readUIntBE(6, 3) + added, 6, 3);
    record.writeUInt16BE(record.readUInt16BE(extensionsAt) + added, extensionsAt);
    const random = publicRandom(64);
    random.copy(record, RANDOM_AT, 0, 32);
    random.copy(record, SESSION_ID_AT, 32, 64);
    return record;
  };
}

let unused = Buffer.alloc(0);

/** Returns random bytes that may become public. Generates them in batches, because a single call of `randomBytes` takes 7 µs. */
function publicRandom(count: number): Buffer {
  if (unused.length < count) unused = randomBytes(64 * count);
  const part = unused.subarray(0, count);
  unused = unused.subarray(count);
  return part;
}

/** Offsets in bytes in a record with a ClientHello: of its random, and of its session id, which has 32 bytes (RFC 8446 §4.1.2). */
const RANDOM_AT = 5 + 4 + 2;
export const SESSION_ID_AT = RANDOM_AT + 32 + 1;

/** Returns the types of the extensions of a shape that a ClientHello to this target has. */
export function sentExtensions(shape: HelloShape, { serverName, alpn }: HelloTarget): number[] {
  const hasName = serverName !== null && isIP(serverName) === 0;
  return shape.extensions.filter(
    (type) =>
      (type !== EXTENSION_TYPE.serverName || hasName) &&
      (type !== EXTENSION_TYPE.alpn || alpn.length > 0) &&
      (type !== EXTENSION_TYPE.applicationSettings || alpn.includes('h2')),
  );
}

/** Returns a function that returns a different reserved value for each index below 16. */
function shuffledGrease(): (index: number) => number {
  const first = randomInt(16);
  return (index) => 0x0a0a + 0x1010 * ((first + index) % 16);
}

function recordWith(ciphers: readonly number[], extensions: readonly Buffer[]): Buffer {
  const body = Buffer.concat([
    Buffer.from('0303', 'hex'),
    randomBytes(32),
    prefixed(1, randomBytes(32)),
    prefixed(2, numbers(ciphers)),
    prefixed(1, Buffer.alloc(1)),
    prefixed(2, Buffer.concat(extensions)),
  ]);
  const message = Buffer.concat([Buffer.from([1]), prefixed(3, body)]);
  return Buffer.concat([Buffer.from('160301', 'hex'), prefixed(2, message)]);
}

function extension(type: number, value: Buffer): Buffer {
  return Buffer.concat([numbers([type]), prefixed(2, value)]);
}

function content(type: number, shape: HelloShape, target: HelloTarget): Buffer {
  const { serverName, alpn } = target;
  switch (type) {
    case EXTENSION_TYPE.serverName:
      return prefixed(2, Buffer.concat([Buffer.alloc(1), prefixed(2, Buffer.from(serverName ?? ''))]));
    case EXTENSION_TYPE.statusRequest:
      return Buffer.from('0100000000', 'hex');
    case EXTENSION_TYPE.groups:
      return prefixed(2, numbers(shape.groups));
    case EXTENSION_TYPE.pointFormats:
      return Buffer.from('0100', 'hex');
    case EXTENSION_TYPE.signatures:
      return prefixed(2, numbers(shape.signatures));
    case EXTENSION_TYPE.alpn:
      return protocolNames(alpn);
    case EXTENSION_TYPE.applicationSettings:
      return protocolNames(['h2']);
    case EXTENSION_TYPE.compressCertificate:
      return prefixed(1, numbers(shape.compression));
    case EXTENSION_TYPE.recordSizeLimit:
      return numbers([0x4001]);
    case EXTENSION_TYPE.delegatedCredentials:
      return prefixed(2, numbers([0x0403, 0x0503, 0x0603, 0x0203]));
    case EXTENSION_TYPE.versions:
      return prefixed(1, numbers(shape.versions));
    case EXTENSION_TYPE.pskModes:
      return Buffer.from('0101', 'hex');
    case EXTENSION_TYPE.keyShares:
      return prefixed(
        2,
        Buffer.concat(
          shape.shares.map((group) => Buffer.concat([numbers([group]), prefixed(2, share(group, target))])),
        ),
      );
    case EXTENSION_TYPE.trustAnchors:
      return prefixed(2, Buffer.concat(TRUST_ANCHORS.map((id) => prefixed(1, Buffer.from(id, 'hex')))));
    case EXTENSION_TYPE.encryptedClientHello:
      return encryptedHello(shape.echBytes);
    case EXTENSION_TYPE.renegotiationInfo:
      return Buffer.alloc(1);
    default:
      return Buffer.alloc(0);
  }
}

const protocolNames = (names: readonly string[]): Buffer =>
  prefixed(2, Buffer.concat(names.map((name) => prefixed(1, Buffer.from(name)))));

/** Returns a public key that servers accept. Any 32 bytes are a public key of X25519 (RFC 7748 §5). */
function share(group: number, { x25519Share }: HelloTarget): Buffer {
  switch (group) {
    case GROUP.x25519:
      return x25519Share ?? randomBytes(32);
    case GROUP.p256:
      return createECDH('prime256v1').generateKeys();
    case GROUP.x25519MlKem768:
      return Buffer.concat([mlKem768Key(), randomBytes(32)]);
    default:
      return Buffer.alloc(1);
  }
}

const ML_KEM_MODULUS = 3329;

/** Returns a random encapsulation key that passes the checks of FIPS 203 §7.2: 768 numbers of 12 bits below the modulus, and a seed. */
function mlKem768Key(): Buffer {
  const random = randomBytes(4 * 384);
  const packed = Buffer.alloc(1152);
  for (let pair = 0; pair < 384; pair++) {
    const low = random.readUInt16LE(4 * pair) % ML_KEM_MODULUS;
    const high = random.readUInt16LE(4 * pair + 2) % ML_KEM_MODULUS;
    packed.writeUIntLE(low + high * 4096, 3 * pair, 3);
  }
  return Buffer.concat([packed, randomBytes(32)]);
}

/** The identifiers that Chromium 156 sends, as captured. */
const TRUST_ANCHORS = [
  ...['01', '06', '0d', '0e', '0f', '12', '13', '14'].map((last) => `82df1302${last}`),
  ...['07', '08', '09', '0a', '0b', '0c', '0d', '12', '13'].map((last) => `839a648c9b2d01${last}`),
  ...['01', '04', '05', '06', '07', '08', '0a', '0b', '0c', '0d', '0f'].map((last) => `d67909${last}`),
];

/** Returns the extension that clients send if they know no ECH key of the server (draft-ietf-tls-esni §6.2): random bytes. */
function encryptedHello(payloadBytes: number): Buffer {
  const hkdfSha256WithAes128Gcm = Buffer.from('0000010001', 'hex');
  return Buffer.concat([
    hkdfSha256WithAes128Gcm,
    randomBytes(1),
    prefixed(2, randomBytes(32)),
    prefixed(2, randomBytes(payloadBytes)),
  ]);
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}

/** Returns the value, preceded by its length as a number of `size` bytes. */
function prefixed(size: number, value: Buffer): Buffer {
  const length = Buffer.alloc(size);
  length.writeUIntBE(value.length, 0, size);
  return Buffer.concat([length, value]);
}
