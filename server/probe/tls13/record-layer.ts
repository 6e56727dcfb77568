import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { CipherSuite, TrafficKeys } from './key-schedule.ts';
import { Surprise } from './wire.ts';

/** Content types (RFC 8446 §5.1). */
export const CONTENT = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 };

const HEADER_BYTES = 5;
const TAG_BYTES = 16;
/** Maximum length of a record's content, and of an encrypted record, in bytes (RFC 8446 §5.1, §5.2). */
const MAX_PLAIN_BYTES = 2 ** 14;
const MAX_CIPHER_BYTES = 2 ** 14 + 256;
/**
 * Maximum number of records per connection, because each costs CPU time, even if it is empty. At most we read 100 kB of certificates and 128 kB of
 * an HTTP response: 180 records from a server that sends small ones.
 */
const MAX_RECORDS = 512;

/** A record as it was received. */
export interface WireRecord {
  type: number;
  header: Buffer;
  body: Buffer;
}

/** Splits received bytes into records (RFC 8446 §5.1). Buffers at most one incomplete record and the last chunk. */
export class RecordSplitter {
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** Number of bytes to wait for before chunks are joined, so that joining many small chunks takes linear time. */
  #needed = HEADER_BYTES;
  #records = 0;

  /** Adds a chunk of any size, and keeps it without a copy. */
  push(chunk: Buffer): void {
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
  }

  /** Returns the next record, or null if more bytes are needed. @throws Surprise for an invalid header or too many records */
  next(): WireRecord | null {
    if (this.#unreadBytes < this.#needed) return null;
    const bytes = this.#joined();
    const header = bytes.subarray(0, HEADER_BYTES);
    const [type = 0, major, minor] = header;
    const length = header.readUInt16BE(3);
    const limit = type === CONTENT.applicationData ? MAX_CIPHER_BYTES : MAX_PLAIN_BYTES;
    if (type < CONTENT.changeCipherSpec || type > CONTENT.applicationData || major !== 3)
      throw new Surprise('malformed', 'not a TLS record');
    // RFC 8446 §5.1 says to ignore the version, but OpenSSL refuses any other.
    if (minor !== 3) throw new Surprise('malformed', 'version of a record');
    if (length > limit) throw new Surprise('too_large', 'record');
    this.#needed = HEADER_BYTES + length;
    if (bytes.length < this.#needed) return null;
    this.#records += 1;
    if (this.#records > MAX_RECORDS) throw new Surprise('too_large', 'number of records');
    const body = bytes.subarray(HEADER_BYTES, this.#needed);
    this.#unread = [bytes.subarray(this.#needed)];
    this.#unreadBytes -= this.#needed;
    this.#needed = HEADER_BYTES;
    return { type, header, body };
  }

  #joined(): Buffer {
    const [first] = this.#unread;
    const bytes = this.#unread.length === 1 && first !== undefined ? first : Buffer.concat(this.#unread);
    this.#unread = [bytes];
    return bytes;
  }
}

/** Encrypts or decrypts the records of one direction (RFC 8446 §5.2, §5.3). Each change of keys needs a new one. */
export class RecordCipher {
  readonly #suite: CipherSuite;
  readonly #key: Buffer;
  readonly #iv: Buffer;
  #sequence = 0;

  constructor(suite: CipherSuite, { key, iv }: TrafficKeys) {
    this.#suite = suite;
    this.#key = key;
    this.#iv = iv;
  }

  /**
   * Decrypts a record. Returns its inner content type and its content without padding. @throws Surprise if the tag is wrong, or if the content
   * is too long or has no type
   */
  open({ header, body }: WireRecord): { type: number; content: Buffer } {
    const end = body.length - TAG_BYTES;
    if (end < 1) throw new Surprise('malformed', 'encrypted record without content');
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(this.#suite.aead as 'aes-128-gcm', this.#key, this.#nonce(), options);
    decipher.setAAD(header);
    decipher.setAuthTag(body.subarray(end));
    const inner = decipher.update(body.subarray(0, end));
    try {
      decipher.final();
    } catch {
      throw new Surprise('invalid', 'tag of a record');
    }
    let last = inner.length - 1;
    while (last >= 0 && inner[last] === 0) last--;
    const type = inner[last];
    if (type === undefined) throw new Surprise('malformed', 'record that is only padding');
    // The limit is for content and padding; the type adds one byte.
    if (inner.length > MAX_PLAIN_BYTES + 1) throw new Surprise('too_large', 'content of a record');
    return { type, content: inner.subarray(0, last) };
  }

  /** Encrypts content of less than 16 kB, and returns the record. */
  seal(type: number, content: Buffer): Buffer {
    const header = Buffer.from([CONTENT.applicationData, 3, 3, 0, 0]);
    header.writeUInt16BE(content.length + 1 + TAG_BYTES, 3);
    const options = { authTagLength: TAG_BYTES };
    const cipher = createCipheriv(this.#suite.aead as 'aes-128-gcm', this.#key, this.#nonce(), options);
    cipher.setAAD(header);
    const encrypted = cipher.update(Buffer.concat([content, Buffer.of(type)]));
    cipher.final();
    return Buffer.concat([header, encrypted, cipher.getAuthTag()]);
  }

  /** Returns the nonce of the next record: the IV XOR the sequence number. That has at most 32 bits, so it changes the last four bytes only. */
  #nonce(): Buffer {
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((this.#iv.readUInt32BE(8) ^ this.#sequence) >>> 0, 8);
    this.#sequence += 1;
    return nonce;
  }
}
