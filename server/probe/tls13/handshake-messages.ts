import { EXTENSION_TYPE, GROUP } from '../hello/client-hello.ts';
import { CIPHER_SUITES, type CipherSuite } from './key-schedule.ts';
import { Surprise, WireReader } from './wire.ts';

/** Types of the handshake messages that a TLS 1.3 server may send (RFC 8446 §4). */
export const MESSAGE = {
  serverHello: 2,
  newSessionTicket: 4,
  encryptedExtensions: 8,
  certificate: 11,
  certificateRequest: 13,
  certificateVerify: 15,
  finished: 20,
  keyUpdate: 24,
};

/** What our ClientHello offered. The server may only choose from it. */
export interface Offer {
  sessionId: Buffer;
  /** Numbers of the cipher suites, signature schemes and extensions in the registries of IANA. */
  ciphers: readonly number[];
  signatures: readonly number[];
  extensions: readonly number[];
  alpn: readonly string[];
}

/** A complete handshake message. */
export interface Message {
  type: number;
  /** The message without its header. */
  body: Buffer;
  /** The message with its header, as the transcript hash needs it. */
  bytes: Buffer;
}

const MESSAGE_HEADER_BYTES = 4;

/** Assembles handshake messages from the records that carry their fragments (RFC 8446 §5.1). */
export class MessageJoiner {
  #rest: Buffer = Buffer.alloc(0);

  /** Whether the bytes so far end in the middle of a message. */
  get hasPartialMessage(): boolean {
    return this.#rest.length > 0;
  }

  push(content: Buffer): void {
    this.#rest = this.#rest.length === 0 ? content : Buffer.concat([this.#rest, content]);
  }

  /**
   * Returns the next message, or null if more bytes are needed. `limitOf` returns the maximum body length for a type in bytes, and throws if the
   * type is not expected. It is called once the header is there, so that a peer cannot make us buffer a large message.
   */
  next(limitOf: (type: number) => number): Message | null {
    if (this.#rest.length < MESSAGE_HEADER_BYTES) return null;
    const [type = 0] = this.#rest;
    const length = this.#rest.readUIntBE(1, 3);
    if (length > limitOf(type)) throw new Surprise('too_large', 'handshake message');
    const end = MESSAGE_HEADER_BYTES + length;
    if (this.#rest.length < end) return null;
    const bytes = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end);
    return { type, body: bytes.subarray(MESSAGE_HEADER_BYTES), bytes };
  }
}

/** The random value that marks a ServerHello as HelloRetryRequest (RFC 8446 §4.1.3). */
const RETRY_RANDOM = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex');
const TLS_1_2 = 0x0303;
const TLS_1_3 = 0x0304;
const X25519_BYTES = 32;

/**
 * Reads a ServerHello (RFC 8446 §4.1.3). It must choose TLS 1.3, X25519 and a cipher suite that we offered. The downgrade marker in its random is
 * not checked: it matters only to clients that accept older versions.
 */
export function readServerHello(body: Buffer, offer: Offer): { suite: CipherSuite; share: Buffer } {
  const reader = new WireReader(body);
  if (reader.number(2) !== TLS_1_2) throw new Surprise('older_version', 'legacy_version');
  if (reader.bytes(32).equals(RETRY_RANDOM)) throw new Surprise('hello_retry', 'HelloRetryRequest');
  const sessionId = reader.vector(1);
  const cipher = reader.number(2);
  const compression = reader.number(1);
  // A ServerHello of TLS 1.2 may have no extensions at all (RFC 5246 §7.4.1.3).
  if (reader.isDone) throw new Surprise('older_version', 'no extensions');
  const extensions = readExtensions(reader.vector(2));
  reader.end();
  const version = extensions.get(EXTENSION_TYPE.versions);
  if (version === undefined) throw new Surprise('older_version', 'no supported_versions');
  if (version.length !== 2 || version.readUInt16BE() !== TLS_1_3)
    throw new Surprise('invalid', 'supported_versions');
  if (!sessionId.equals(offer.sessionId)) throw new Surprise('invalid', 'legacy_session_id_echo');
  if (compression !== 0) throw new Surprise('invalid', 'legacy_compression_method');
  const suite = offer.ciphers.includes(cipher) ? CIPHER_SUITES.get(cipher) : undefined;
  if (suite === undefined) throw new Surprise('invalid', 'cipher suite');
  const keyShare = extensions.get(EXTENSION_TYPE.keyShares);
  if (keyShare === undefined || extensions.size !== 2) throw new Surprise('unexpected', 'extensions');
  return { suite, share: readShare(keyShare) };
}

function readShare(extension: Buffer): Buffer {
  const reader = new WireReader(extension);
  if (reader.number(2) !== GROUP.x25519) throw new Surprise('invalid', 'group of the key share');
  const share = reader.vector(2);
  reader.end();
  if (share.length !== X25519_BYTES) throw new Surprise('invalid', 'length of the key share');
  return share;
}

/** Returns the extensions by type. @throws Surprise if a type occurs twice (RFC 8446 §4.2) */
function readExtensions(bytes: Buffer): Map<number, Buffer> {
  const reader = new WireReader(bytes);
  const extensions = new Map<number, Buffer>();
  while (!reader.isDone) {
    const type = reader.number(2);
    if (extensions.has(type)) throw new Surprise('invalid', 'extension that occurs twice');
    extensions.set(type, reader.vector(2));
  }
  return extensions;
}

/** Extensions that EncryptedExtensions may contain, if we offered them (RFC 8446 §4.2, RFC 8449 §4). */
const ENCRYPTED: readonly number[] = [
  EXTENSION_TYPE.serverName,
  EXTENSION_TYPE.groups,
  EXTENSION_TYPE.alpn,
  EXTENSION_TYPE.recordSizeLimit,
];
/** Lowest record size limit that we accept, in bytes. All our records are far shorter, so we can ignore higher limits. */
const MIN_RECORD_LIMIT = 2 ** 12;

/** Reads EncryptedExtensions (RFC 8446 §4.3.1). Returns the protocol that the server chose by ALPN, or null. */
export function readEncryptedExtensions(body: Buffer, offer: Offer): string | null {
  const reader = new WireReader(body);
  const extensions = readExtensions(reader.vector(2));
  reader.end();
  for (const type of extensions.keys())
    if (!ENCRYPTED.includes(type) || !offer.extensions.includes(type))
      throw new Surprise('unexpected', 'extension');
  if ((extensions.get(EXTENSION_TYPE.serverName)?.length ?? 0) > 0)
    throw new Surprise('invalid', 'server_name');
  const limit = extensions.get(EXTENSION_TYPE.recordSizeLimit);
  if (limit !== undefined && new WireReader(limit).number(2) < MIN_RECORD_LIMIT)
    throw new Surprise('unexpected', 'record_size_limit');
  const alpn = extensions.get(EXTENSION_TYPE.alpn);
  return alpn === undefined ? null : readAlpn(alpn, offer.alpn);
}

/** Reads the protocol that the server chose: exactly one (RFC 7301 §3.1). */
function readAlpn(extension: Buffer, offered: readonly string[]): string {
  const reader = new WireReader(extension);
  const list = new WireReader(reader.vector(2));
  reader.end();
  const name = list.vector(1).toString('latin1');
  list.end();
  if (!offered.includes(name)) throw new Surprise('invalid', 'protocol that was not offered');
  return name;
}

/** Maximum number of certificates. If a server sends more, OpenSSL probes it, and the chain is cut to this number. */
const MAX_CERTIFICATES = 256;
const MAX_STAPLE_BYTES = 64 * 1024;
const OCSP = 1;

/** Reads a Certificate message (RFC 8446 §4.4.2). Returns copies: the certificates (DER) in the order sent, and the leaf's OCSPResponse. */
export function readCertificates(
  body: Buffer,
  offer: Offer,
): { chain: Uint8Array[]; staple: Uint8Array | null } {
  const reader = new WireReader(body);
  if (reader.vector(1).length > 0) throw new Surprise('invalid', 'certificate_request_context');
  const list = new WireReader(reader.vector(3));
  reader.end();
  const chain: Uint8Array[] = [];
  let staple: Uint8Array | null = null;
  while (!list.isDone) {
    const der = list.vector(3);
    if (der.length === 0) throw new Surprise('malformed', 'empty certificate');
    for (const [type, value] of readExtensions(list.vector(2))) {
      if (type !== EXTENSION_TYPE.statusRequest || !offer.extensions.includes(type))
        throw new Surprise('unexpected', 'extension of a certificate');
      const response = readStaple(value);
      if (chain.length === 0) staple = response;
    }
    chain.push(Uint8Array.from(der));
    if (chain.length > MAX_CERTIFICATES) throw new Surprise('too_large', 'number of certificates');
  }
  if (chain.length === 0) throw new Surprise('invalid', 'no certificate');
  return { chain, staple };
}

/** Reads a CertificateStatus (RFC 6066 §8). */
function readStaple(extension: Buffer): Uint8Array {
  const reader = new WireReader(extension);
  if (reader.number(1) !== OCSP) throw new Surprise('invalid', 'status_type');
  const response = reader.vector(3);
  reader.end();
  if (response.length === 0) throw new Surprise('malformed', 'empty OCSP response');
  if (response.length > MAX_STAPLE_BYTES) throw new Surprise('too_large', 'OCSP response');
  return Uint8Array.from(response);
}

/** Reads a CertificateVerify (RFC 8446 §4.4.3). @throws Surprise if we did not offer its signature scheme */
export function readCertificateVerify(body: Buffer, offer: Offer): { scheme: number; signature: Buffer } {
  const reader = new WireReader(body);
  const scheme = reader.number(2);
  const signature = reader.vector(2);
  reader.end();
  if (!offer.signatures.includes(scheme)) throw new Surprise('invalid', 'signature scheme');
  return { scheme, signature };
}

const EARLY_DATA = 42;
const isGrease = (type: number): boolean => (type & 0x0f0f) === 0x0a0a && type >> 8 === (type & 0xff);

/** Checks a NewSessionTicket as strictly as OpenSSL (RFC 8446 §4.6.1), which aborts the connection otherwise. @throws Surprise if it fails */
export function requireTicket(body: Buffer): void {
  const reader = new WireReader(body);
  // ticket_lifetime and ticket_age_add, then ticket_nonce.
  reader.bytes(4 + 4);
  reader.vector(1);
  if (reader.vector(2).length === 0) throw new Surprise('malformed', 'empty ticket');
  for (const [type, { length }] of readExtensions(reader.vector(2)))
    if (type === EARLY_DATA ? length !== 4 : !isGrease(type))
      throw new Surprise('unexpected', 'extension of a ticket');
  reader.end();
}
