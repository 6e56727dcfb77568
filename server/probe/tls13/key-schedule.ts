import { hash, timingSafeEqual } from 'node:crypto';

/** A cipher suite of TLS 1.3 (RFC 8446 §B.4). Lengths in bytes. */
export interface CipherSuite {
  /** OpenSSL's name, which is that of the standard. */
  name: string;
  hash: 'sha256' | 'sha384';
  hashBytes: number;
  aead: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  keyBytes: number;
}

/** The cipher suites that we support, by IANA's numbers. */
export const CIPHER_SUITES: ReadonlyMap<number, CipherSuite> = new Map<number, CipherSuite>([
  [
    0x1301,
    { name: 'TLS_AES_128_GCM_SHA256', hash: 'sha256', hashBytes: 32, aead: 'aes-128-gcm', keyBytes: 16 },
  ],
  [
    0x1302,
    { name: 'TLS_AES_256_GCM_SHA384', hash: 'sha384', hashBytes: 48, aead: 'aes-256-gcm', keyBytes: 32 },
  ],
  [
    0x1303,
    {
      name: 'TLS_CHACHA20_POLY1305_SHA256',
      hash: 'sha256',
      hashBytes: 32,
      aead: 'chacha20-poly1305',
      keyBytes: 32,
    },
  ],
]);

const IV_BYTES = 12;
const EMPTY = Buffer.alloc(0);
const ZEROS = Buffer.alloc(48);
/** Block length of the hashes in bytes (FIPS 180-4 §1). */
const BLOCK_BYTES = { sha256: 64, sha384: 128 };
/** Hashes of a transcript without messages. */
const NO_MESSAGES = { sha256: hash('sha256', EMPTY, 'buffer'), sha384: hash('sha384', EMPTY, 'buffer') };

/** The keys for one direction. */
export interface TrafficKeys {
  key: Buffer;
  iv: Buffer;
}

/** The traffic secrets of both sides. */
export interface TrafficSecrets {
  client: Buffer;
  server: Buffer;
}

/**
 * The key schedule of a full handshake without PSK (RFC 8446 §7.1). Derives only the secrets of handshake and application data, not those of
 * resumption, exporters and early data.
 */
export class KeySchedule {
  readonly #suite: CipherSuite;
  /** The current secret, from Early Secret to Master Secret. */
  #secret: Buffer;

  constructor(suite: CipherSuite) {
    this.#suite = suite;
    this.#secret = this.#extract(ZEROS.subarray(0, suite.hashBytes), ZEROS.subarray(0, suite.hashBytes));
  }

  /** Returns the secrets of the handshake. `shared`: result of the key exchange. `transcript`: hash of the messages up to the ServerHello. */
  handshakeSecrets(shared: Buffer, transcript: Buffer): TrafficSecrets {
    this.#advance(shared);
    return {
      client: this.#derive('c hs traffic', transcript),
      server: this.#derive('s hs traffic', transcript),
    };
  }

  /** Returns the secrets of the application data. `transcript`: hash of the messages up to the server's Finished. */
  applicationSecrets(transcript: Buffer): TrafficSecrets {
    this.#advance(ZEROS.subarray(0, this.#suite.hashBytes));
    return {
      client: this.#derive('c ap traffic', transcript),
      server: this.#derive('s ap traffic', transcript),
    };
  }

  /** Derives the key and IV from a traffic secret (RFC 8446 §7.3). */
  keysOf(secret: Buffer): TrafficKeys {
    return {
      key: this.#expandLabel(secret, 'key', EMPTY, this.#suite.keyBytes),
      iv: this.#expandLabel(secret, 'iv', EMPTY, IV_BYTES),
    };
  }

  /** Returns the `verify_data` of a Finished message (RFC 8446 §4.4.4). `secret`: handshake traffic secret of the sender. */
  verifyData(secret: Buffer, transcript: Buffer): Buffer {
    const key = this.#expandLabel(secret, 'finished', EMPTY, this.#suite.hashBytes);
    return this.#hmac(key, transcript);
  }

  /** Returns the transcript hash of handshake messages (RFC 8446 §4.4.1). */
  transcriptHash(messages: readonly Buffer[]): Buffer {
    return digest(this.#suite.hash, Buffer.concat(messages));
  }

  #advance(input: Buffer): void {
    const salt = this.#derive('derived', NO_MESSAGES[this.#suite.hash]);
    this.#secret = this.#extract(salt, input);
  }

  /** HKDF-Extract (RFC 5869 §2.2). */
  #extract(salt: Buffer, input: Buffer): Buffer {
    return this.#hmac(salt, input);
  }

  /** Derive-Secret (RFC 8446 §7.1). `transcript`: hash of the messages. */
  #derive(label: string, transcript: Buffer): Buffer {
    return this.#expandLabel(this.#secret, label, transcript, this.#suite.hashBytes);
  }

  /** HKDF-Expand-Label. One block suffices, because nothing that TLS 1.3 derives is longer than a hash (RFC 5869 §2.3). */
  #expandLabel(secret: Buffer, label: string, context: Buffer, length: number): Buffer {
    const name = `tls13 ${label}`;
    const info = Buffer.alloc(2 + 1 + name.length + 1 + context.length + 1);
    info.writeUInt16BE(length, 0);
    info[2] = name.length;
    info.write(name, 3, 'latin1');
    info[3 + name.length] = context.length;
    context.copy(info, 4 + name.length);
    info[info.length - 1] = 1;
    return this.#hmac(secret, info).subarray(0, length);
  }

  #hmac(key: Buffer, data: Buffer): Buffer {
    return hmac(this.#suite.hash, key, data);
  }
}

/**
 * Returns an HMAC (RFC 2104 §2). `key`: at most one block. Two plain hashes take half the time of `createHmac`, which creates an object in native
 * code, and a handshake needs 21 HMACs.
 */
export function hmac(name: CipherSuite['hash'], key: Buffer, data: Buffer): Buffer {
  const block = BLOCK_BYTES[name];
  const inner = Buffer.allocUnsafe(block + data.length).fill(0x36, 0, block);
  const outer = Buffer.allocUnsafe(block + NO_MESSAGES[name].length).fill(0x5c, 0, block);
  for (let index = 0; index < key.length; index++) {
    const byte = key[index] ?? 0;
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  inner.set(data, block);
  outer.write(hash(name, inner, 'latin1'), block, 'latin1');
  return digest(name, outer);
}

/** Returns the hash of the data. Node returns a string in a third of the time of a Buffer. */
const digest = (name: CipherSuite['hash'], data: Buffer): Buffer =>
  Buffer.from(hash(name, data, 'latin1'), 'latin1');

/** Compares two secrets in constant time. */
export function isSameSecret(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
