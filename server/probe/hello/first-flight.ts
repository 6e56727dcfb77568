/** How a server answered a ClientHello: with a ServerHello or HelloRetryRequest, with a fatal alert, or with bytes that are not TLS. */
type FlightAnswer = 'hello' | 'alert' | 'not_tls';

const RECORD = { changeCipherSpec: 20, alert: 21, handshake: 22 };
const MESSAGE = { serverHello: 2, serverHelloDone: 14 };
const SUPPORTED_VERSIONS = 43;
const HEADER_BYTES = 5;
const MAX_RECORD_BYTES = 16_384 + 2_048;
/** Longest ServerHello that is read. One with ML-KEM has about 1,200 bytes. */
const MAX_HELLO_BYTES = 8_192;
/** Large enough for the first flight of TLS 1.2 with 100 kB of certificates, the limit of OpenSSL and Chrome. */
export const MAX_FLIGHT_BYTES = 256 * 1024;
const MAX_ALERTS = 16;

/**
 * Reads what a server sends in clear after a ClientHello: in TLS 1.3 up to its ServerHello, in older versions up to its ServerHelloDone
 * (RFC 8446 §5.1, RFC 5246 §7.3). Never throws. Keeps at most one record and one ServerHello.
 */
export class FirstFlight {
  answer: FlightAnswer | null = null;
  /** Numbers of the alerts with the level “warning” (RFC 5246 §7.2), each once. Never close_notify. */
  readonly warningAlerts: number[] = [];
  hasEmptyRecord = false;
  /** Whether a ChangeCipherSpec had no bytes. OpenSSL skips it. */
  hasEmptyChange = false;
  isComplete = false;

  #bytes = 0;
  /** Chunks that are not read yet. They are joined only once they have `#needed` bytes, so that many small chunks cost little CPU time. */
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #needed = HEADER_BYTES;
  /** The current message. `left`: its number of bytes that are still to come. */
  #message = { left: 0, isHello: false };
  #header = Buffer.alloc(0);
  #hello = Buffer.alloc(0);

  /** Reads more bytes of the connection. Returns whether the flight is complete. */
  push(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes >= this.#needed) {
      const rest = this.#readRecords(Buffer.concat(this.#unread));
      this.#unread = [rest];
      this.#unreadBytes = rest.length;
    }
    if (this.#bytes > MAX_FLIGHT_BYTES) this.#end('not_tls');
    return this.isComplete;
  }

  #end(answer: FlightAnswer): void {
    this.answer ??= answer;
    this.isComplete = true;
  }

  /** Reads all complete records. Returns the bytes of an incomplete one after them. */
  #readRecords(bytes: Buffer): Buffer {
    let rest = bytes;
    this.#needed = HEADER_BYTES;
    while (!this.isComplete && rest.length >= HEADER_BYTES) {
      const [type = 0, major] = rest;
      const length = rest.readUInt16BE(3);
      const isEmptyChange = type === RECORD.changeCipherSpec && length === 0;
      const isKnown = type === RECORD.handshake || type === RECORD.alert || isEmptyChange;
      if (!isKnown || major !== 3 || length > MAX_RECORD_BYTES) {
        this.#end('not_tls');
        break;
      }
      this.#needed = HEADER_BYTES + length;
      if (rest.length < this.#needed) return rest;
      const content = rest.subarray(HEADER_BYTES, this.#needed);
      rest = rest.subarray(this.#needed);
      this.#needed = HEADER_BYTES;
      if (isEmptyChange) this.hasEmptyChange = true;
      else if (type === RECORD.alert) this.#readAlert(content);
      else if (length === 0) this.hasEmptyRecord = true;
      else this.#readHandshake(content);
    }
    return this.isComplete ? Buffer.alloc(0) : rest;
  }

  #readAlert(content: Buffer): void {
    const [level, description = 0] = content;
    const isWarning = content.length === 2 && level === 1 && description !== 0;
    if (!isWarning) this.#end('alert');
    else if (this.warningAlerts.length < MAX_ALERTS && !this.warningAlerts.includes(description))
      this.warningAlerts.push(description);
  }

  #readHandshake(content: Buffer): void {
    let rest = content;
    while (rest.length > 0 && !this.isComplete) {
      if (this.#message.left === 0) {
        const missing = 4 - this.#header.length;
        this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (this.#header.length < 4) return;
        this.#beginMessage(this.#header[0] ?? 0, this.#header.readUIntBE(1, 3));
        this.#header = Buffer.alloc(0);
      }
      const part = rest.subarray(0, this.#message.left);
      rest = rest.subarray(part.length);
      this.#message.left -= part.length;
      if (!this.#message.isHello) continue;
      this.#hello = Buffer.concat([this.#hello, part]);
      if (this.#message.left === 0) this.#endHello();
    }
  }

  #beginMessage(type: number, length: number): void {
    const isHello = type === MESSAGE.serverHello;
    // Only a ServerHello may come first, and only once.
    if (isHello !== (this.answer === null) || (isHello && length > MAX_HELLO_BYTES)) this.#end('not_tls');
    else if (type === MESSAGE.serverHelloDone) this.#end('hello');
    this.#message = { left: length, isHello };
    if (isHello && length === 0) this.#end('not_tls');
  }

  #endHello(): void {
    this.#message.isHello = false;
    if (this.#hello.length < 38) return this.#end('not_tls');
    this.answer = 'hello';
    if (hasExtension(this.#hello, SUPPORTED_VERSIONS)) this.#end('hello');
  }
}

/** Returns whether a ServerHello has an extension (RFC 8446 §4.1.3). Only TLS 1.3 has `supported_versions`. */
function hasExtension(hello: Buffer, wanted: number): boolean {
  const sessionLength = hello[34] ?? 0;
  // Version, random, session id, cipher suite, compression method, length of the extensions.
  let at = 2 + 32 + 1 + sessionLength + 2 + 1 + 2;
  while (at + 4 <= hello.length) {
    if (hello.readUInt16BE(at) === wanted) return true;
    at += 4 + hello.readUInt16BE(at + 2);
  }
  return false;
}
