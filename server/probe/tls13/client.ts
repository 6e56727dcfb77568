import { requirePossession } from './certificate-verify.ts';
import { type EphemeralKey, sharedSecret } from './ephemeral-key.ts';
import {
  MESSAGE,
  type Message,
  MessageJoiner,
  type Offer,
  readCertificates,
  readCertificateVerify,
  readEncryptedExtensions,
  readServerHello,
  requireTicket,
} from './handshake-messages.ts';
import { type CipherSuite, isSameSecret, KeySchedule, type TrafficSecrets } from './key-schedule.ts';
import { CONTENT, RecordCipher, RecordSplitter, type WireRecord } from './record-layer.ts';
import { Surprise } from './wire.ts';

/** What the server sent in a handshake that we verified completely. */
export interface ServerProof {
  /** Certificates (DER) as the server sent them, leaf first. */
  chain: Uint8Array[];
  /** Name of the cipher suite, as in `CipherSuite`. */
  cipher: string;
  alpn: string | null;
  /** DER of the stapled OCSPResponse; null if the server sent none. */
  staple: Uint8Array | null;
}

/** The messages of a server's first flight, in their only order (RFC 8446 §2). */
const FLIGHT = [
  MESSAGE.serverHello,
  MESSAGE.encryptedExtensions,
  MESSAGE.certificate,
  MESSAGE.certificateVerify,
  MESSAGE.finished,
];

/** Maximum length of the body of each message, in bytes. The limit for Certificate is the same as in OpenSSL. */
const LIMITS: ReadonlyMap<number, number> = new Map([
  [MESSAGE.serverHello, 8_192],
  [MESSAGE.encryptedExtensions, 16_384],
  [MESSAGE.certificate, 100 * 1024],
  [MESSAGE.certificateVerify, 16_384],
  [MESSAGE.finished, 64],
  [MESSAGE.newSessionTicket, 16_384],
]);
/** Maximum number of session tickets. Servers usually send one to four. */
const MAX_TICKETS = 16;
/** Maximum number of empty records. OpenSSL refuses more of them in a row. */
const MAX_EMPTY_RECORDS = 32;

const WARNING = 1;
const CLOSE_NOTIFY = 0;
const CHANGE_CIPHER_SPEC = Buffer.from('140303000101', 'hex');

/**
 * A TLS 1.3 client (RFC 8446 §A.1) for one handshake without PSK. It does no I/O: the caller passes the bytes of the server, and sends what
 * the client returns. Throws a Surprise for resumption, early data, client certificates and key updates; then the caller must close the connection.
 */
export class Tls13Client {
  readonly #offer: Offer;
  readonly #key: EphemeralKey;
  readonly #records = new RecordSplitter();
  readonly #messages = new MessageJoiner();
  /** The handshake messages sent and received so far, for the transcript hash. Emptied when the handshake ends. */
  #transcript: Buffer[];
  /** Index in `FLIGHT` of the next expected message. */
  #next = 0;
  #suite: CipherSuite | null = null;
  #schedule: KeySchedule | null = null;
  #secrets: TrafficSecrets | null = null;
  #incoming: RecordCipher | null = null;
  #outgoing: RecordCipher | null = null;
  #chain: Uint8Array[] = [];
  #alpn: string | null = null;
  #staple: Uint8Array | null = null;
  #finish: Buffer | null = null;
  #hasChange = false;
  #tickets = 0;
  #emptyRecords = 0;
  #hasEnded = false;

  /** `hello`: the ClientHello message without the record header. */
  constructor(hello: Buffer, offer: Offer, key: EphemeralKey) {
    this.#offer = offer;
    this.#key = key;
    this.#transcript = [hello];
  }

  /** The result of the handshake; null until we have verified the server's Finished. */
  get proof(): ServerProof | null {
    if (this.#finish === null || this.#suite === null) return null;
    return { chain: this.#chain, cipher: this.#suite.name, alpn: this.#alpn, staple: this.#staple };
  }

  /** Whether the server sent close_notify. We ignore everything after it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The last handshake messages of this client, to send before any other data; null while `proof` is null. */
  get secondFlight(): Buffer | null {
    return this.#finish;
  }

  /** Reads more bytes from the server, and returns the application data in them. @throws Surprise for anything unusual */
  push(chunk: Buffer): Buffer[] {
    const data: Buffer[] = [];
    if (this.#hasEnded) return data;
    this.#records.push(chunk);
    while (!this.#hasEnded) {
      const record = this.#records.next();
      if (record === null) break;
      const content = this.#readRecord(record);
      if (content !== null) data.push(content);
    }
    return data;
  }

  /** Encrypts application data in one record. @throws Error before the handshake is complete */
  seal(data: Buffer): Buffer {
    return this.#seal(CONTENT.applicationData, data);
  }

  /** Returns a record with close_notify, which closes our side of the connection (RFC 8446 §6.1). */
  closeNotify(): Buffer {
    return this.#seal(CONTENT.alert, Buffer.of(WARNING, CLOSE_NOTIFY));
  }

  #seal(type: number, content: Buffer): Buffer {
    if (this.#outgoing === null) throw new Error('The handshake is not complete.');
    return this.#outgoing.seal(type, content);
  }

  #readRecord(record: WireRecord): Buffer | null {
    if (record.type === CONTENT.changeCipherSpec) {
      this.#readChange(record.body);
      return null;
    }
    if (this.#incoming === null) {
      if (record.type === CONTENT.applicationData) throw new Surprise('unexpected', 'encrypted record');
      return this.#readContent(record.type, record.body);
    }
    if (record.type !== CONTENT.applicationData) throw new Surprise('unexpected', 'record in clear');
    const { type, content } = this.#incoming.open(record);
    return this.#readContent(type, content);
  }

  /** Skips the ChangeCipherSpec that servers may send once for compatibility with middleboxes (RFC 8446 §5, §D.4). */
  #readChange(body: Buffer): void {
    const isInPlace = this.#incoming !== null && this.#finish === null && !this.#messages.hasPartialMessage;
    if (this.#hasChange || !isInPlace || body.length !== 1 || body[0] !== 1)
      throw new Surprise('unexpected', 'ChangeCipherSpec');
    this.#hasChange = true;
  }

  #readContent(type: number, content: Buffer): Buffer | null {
    if (type === CONTENT.handshake) {
      if (content.length === 0) throw new Surprise('malformed', 'empty handshake record');
      this.#messages.push(content);
      this.#readMessages();
      return null;
    }
    // Fragments of a handshake message must not be interleaved with other records (RFC 8446 §5.1).
    if (this.#messages.hasPartialMessage) throw new Surprise('unexpected', 'record within a message');
    if (type === CONTENT.applicationData && this.#finish !== null) {
      if (content.length === 0) this.#emptyRecords += 1;
      if (this.#emptyRecords > MAX_EMPTY_RECORDS) throw new Surprise('too_large', 'number of empty records');
      return content;
    }
    if (type !== CONTENT.alert) throw new Surprise('unexpected', 'content type');
    const isGoodbye = content.length === 2 && content[1] === CLOSE_NOTIFY;
    if (!isGoodbye || this.#finish === null) throw new Surprise('alert', `number ${content[1] ?? 0}`);
    this.#hasEnded = true;
    return null;
  }

  #readMessages(): void {
    const limitOf = (type: number): number => this.#limitOf(type);
    for (let one = this.#messages.next(limitOf); one !== null; one = this.#messages.next(limitOf)) {
      if (this.#finish !== null) this.#readTicket(one);
      else this.#readFlight(one);
    }
  }

  #readTicket({ body }: Message): void {
    requireTicket(body);
    this.#tickets += 1;
    if (this.#tickets > MAX_TICKETS) throw new Surprise('too_large', 'number of tickets');
  }

  /** Returns the maximum length in bytes of a message of this type. @throws Surprise if another type must come next */
  #limitOf(type: number): number {
    if (type === MESSAGE.certificateRequest) throw new Surprise('client_certificate', 'CertificateRequest');
    if (type === MESSAGE.keyUpdate) throw new Surprise('key_update', 'KeyUpdate');
    const wanted = this.#finish === null ? FLIGHT[this.#next] : MESSAGE.newSessionTicket;
    if (type !== wanted) throw new Surprise('unexpected', `handshake message ${type}`);
    return LIMITS.get(type) ?? 0;
  }

  #readFlight({ type, body, bytes }: Message): void {
    this.#next += 1;
    switch (type) {
      case MESSAGE.serverHello:
        return this.#readServerHello(body, bytes);
      case MESSAGE.encryptedExtensions:
        this.#alpn = readEncryptedExtensions(body, this.#offer);
        break;
      case MESSAGE.certificate: {
        const { chain, staple } = readCertificates(body, this.#offer);
        this.#chain = chain;
        this.#staple = staple;
        break;
      }
      case MESSAGE.certificateVerify:
        requirePossession(this.#chain, readCertificateVerify(body, this.#offer), this.#transcriptHash());
        break;
      default:
        return this.#readFinished(body, bytes);
    }
    this.#transcript.push(bytes);
  }

  #readServerHello(body: Buffer, bytes: Buffer): void {
    const { suite, share } = readServerHello(body, this.#offer);
    this.#requireEndOfRecord();
    this.#suite = suite;
    this.#schedule = new KeySchedule(suite);
    this.#transcript.push(bytes);
    const shared = sharedSecret(this.#key, share);
    this.#secrets = this.#schedule.handshakeSecrets(shared, this.#transcriptHash());
    this.#incoming = this.#cipher(this.#secrets.server);
  }

  #readFinished(body: Buffer, bytes: Buffer): void {
    this.#requireEndOfRecord();
    const { schedule, secrets } = this.#keys();
    if (!isSameSecret(body, schedule.verifyData(secrets.server, this.#transcriptHash())))
      throw new Surprise('invalid', 'Finished');
    this.#transcript.push(bytes);
    const transcript = this.#transcriptHash();
    const verifyData = schedule.verifyData(secrets.client, transcript);
    const message = Buffer.concat([Buffer.of(MESSAGE.finished, 0, 0, verifyData.length), verifyData]);
    const finished = this.#cipher(secrets.client).seal(CONTENT.handshake, message);
    const { client, server } = schedule.applicationSecrets(transcript);
    this.#incoming = this.#cipher(server);
    this.#outgoing = this.#cipher(client);
    // A client that sent a session id also sends ChangeCipherSpec (RFC 8446 §D.4).
    const change = this.#offer.sessionId.length > 0 ? CHANGE_CIPHER_SPEC : Buffer.alloc(0);
    this.#finish = Buffer.concat([change, finished]);
    this.#schedule = null;
    this.#secrets = null;
    this.#transcript = [];
  }

  /** Requires that the record ends here, because the next message uses new keys (RFC 8446 §5.1). */
  #requireEndOfRecord(): void {
    if (this.#messages.hasPartialMessage) throw new Surprise('unexpected', 'message across a change of keys');
  }

  #transcriptHash(): Buffer {
    if (this.#schedule === null) throw new Surprise('unexpected', 'order of messages');
    return this.#schedule.transcriptHash(this.#transcript);
  }

  #keys(): { schedule: KeySchedule; secrets: TrafficSecrets } {
    if (this.#schedule === null || this.#secrets === null)
      throw new Surprise('unexpected', 'order of messages');
    return { schedule: this.#schedule, secrets: this.#secrets };
  }

  #cipher(secret: Buffer): RecordCipher {
    if (this.#suite === null || this.#schedule === null)
      throw new Surprise('unexpected', 'order of messages');
    return new RecordCipher(this.#suite, this.#schedule.keysOf(secret));
  }
}
