import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { CipherSuite, TrafficKeys } from './key-schedule.ts';
import { Surprise } from './wire.ts';

/** Content types (RFC 8446 §5.1). */
export const CONTENT = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 };

const HEADER_BYTES = 5;
const TAG_BYTES = 16;
/** Longest content of a record, and longest encrypted record (RFC 8446 §5.1, §5.2). */
const MAX_PLAIN_BYTES = 2 ** 14;
const MAX_CIPHER_BYTES = 2 ** 14 + 256;
/**
 * Maximum number of records of a connection. The 100 kB of certificates and the 128 kB of an answer that we read are 180 records even from
 * servers that send small ones; a record without content costs us as much as a full one.
 */
const MAX_RECORDS = 512;

/** A record as it was received. */
export interface WireRecord {
  type: number;
  header: Buffer;
  body: Buffer;
}

/** Splits the bytes of a connection into records (RFC 8446 §5.1). Holds less than one record beside the last chunk. */
export class RecordSplitter {
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** Chunks are joined only once so many bytes are there, so that many small chunks cost little CPU time. */
  #needed = HEADER_BYTES;
  #records = 0;

  /** Takes a chunk of any size. @throws Surprise if what follows is not a record */
  push(chunk: Buffer): void {
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
  }

  /** Returns the next record, or null until it is complete. @throws Surprise if a header is wrong, or there are too many records */
  next(): WireRecord | null {
    if (this.#unreadBytes < this.#needed) return null;
    const bytes = this.#joined();
    const header = bytes.subarray(0, HEADER_BYTES);
    const [type = 0, major, minor] = header;
    const length = header.readUInt16BE(3);
    const limit = type === CONTENT.applicationData ? MAX_CIPHER_BYTES : MAX_PLAIN_BYTES;
    if (type < CONTENT.changeCipherSpec || type > CONTENT.applicationData || major !== 3)
      throw new Surprise('malformed', 'not a TLS record');
    // The version has no meaning (RFC 8446 §5.1), but OpenSSL refuses others.
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

/** Protects the records of one direction (RFC 8446 §5.2, §5.3). Create another one for each change of keys. */
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
   * Decrypts a record, and returns its content without padding, and its true type. @throws Surprise if the tag is wrong, or the content is
   * too long or has no type
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
    // Content, type and padding together may have one byte more than a content.
    if (inner.length > MAX_PLAIN_BYTES + 1) throw new Surprise('too_large', 'content of a record');
    return { type, content: inner.subarray(0, last) };
  }

  /** Returns a record with this content, which must be shorter than 16 kB. */
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

  /** Returns the nonce of the next record. A connection has far fewer than 2^32 records, so only the last four bytes of the IV change. */
  #nonce(): Buffer {
    const nonce = Buffer.from(this.#iv);
    nonce.writeUInt32BE((this.#iv.readUInt32BE(8) ^ this.#sequence) >>> 0, 8);
    this.#sequence += 1;
    return nonce;
  }
}
