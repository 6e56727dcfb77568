/**
 * Why our client gave up, which is no verdict. `unexpected`: a message, record or extension at the wrong place; `malformed`: bytes that break
 * the encoding; `invalid`: a value, signature or tag that must not be accepted.
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

/** The only error that reading a server's bytes may throw. */
export class Surprise extends Error {
  override name = 'Surprise';
  readonly reason: SurpriseReason;

  /** `what`: the detail for tests and logs. Never contains bytes of the server. */
  constructor(reason: SurpriseReason, what: string) {
    super(`${reason}: ${what}`);
    this.reason = reason;
  }
}

/** Reads numbers and vectors of the TLS presentation language (RFC 8446 §3). Every method throws a Surprise if bytes are missing. */
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

  /** Returns a view of a vector whose length is a number of `size` bytes. */
  vector(size: 1 | 2 | 3): Buffer {
    return this.bytes(this.number(size));
  }

  /** @throws Surprise if bytes are left */
  end(): void {
    if (!this.isDone) throw new Surprise('malformed', 'bytes are left');
  }
}
