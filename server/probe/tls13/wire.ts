/**
 * Reason why our client gave up and leaves the endpoint to OpenSSL. `unexpected`: a message, record or extension at the wrong place; `malformed`:
 * bytes that cannot be decoded; `invalid`: a wrong value, signature or tag.
 */
export type SurpriseReason =
  | 'alert'
  | 'older_version'
  | 'hello_retry'
  | 'client_certificate'
  | 'key_update'
  | 'unexpected'
  | 'malformed'
  | 'invalid'
  | 'too_large'
  /** The connection could not be opened or broke, or there was no answer in time. */
  | 'closed'
  | 'timeout';

/** Error for anything but an ordinary successful handshake. Reading the bytes of a server throws no other error. */
export class Surprise extends Error {
  override name = 'Surprise';
  readonly reason: SurpriseReason;

  /** `what`: detail for tests and logs. Never contains data from the server. */
  constructor(reason: SurpriseReason, what: string) {
    super(`${reason}: ${what}`);
    this.reason = reason;
  }
}

/** Reads numbers and vectors as TLS encodes them (RFC 8446 §3). Every method throws a Surprise if bytes are missing. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Reads an unsigned number of 1 to 3 bytes. */
  number(size: 1 | 2 | 3): number {
    return this.bytes(size).readUIntBE(0, size);
  }

  /** Returns a view of the next `count` bytes. */
  bytes(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new Surprise('malformed', 'bytes are missing');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  /** Returns a view of a vector. Its length comes first, as a number of `size` bytes. */
  vector(size: 1 | 2 | 3): Buffer {
    return this.bytes(this.number(size));
  }

  /** Requires that all bytes have been read. @throws Surprise if not */
  end(): void {
    if (!this.isDone) throw new Surprise('malformed', 'bytes are left');
  }
}
