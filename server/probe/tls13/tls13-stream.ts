import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Tls13Client } from './client.ts';

/** A stream of application data, after a complete handshake. It has the properties of `TLSSocket` that HTTP requests need. */
export class Tls13Stream extends Duplex {
  readonly alpnProtocol: string | false;
  readonly #socket: Socket;
  readonly #client: Tls13Client;
  /** The last handshake messages of the client, which go out with the first record of data; empty once sent. */
  #unsent: Buffer;

  /** Takes over the socket. The caller must pass its bytes to `receive`. `early`: application data received with the handshake. */
  constructor(socket: Socket, client: Tls13Client, early: readonly Buffer[]) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#client = client;
    this.#unsent = client.secondFlight ?? Buffer.alloc(0);
    this.alpnProtocol = client.proof?.alpn ?? false;
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
    this.#deliver(early);
    // An error without a listener would end the process.
    this.on('error', () => undefined);
  }

  /** Destroys the stream after all writes are sent, like `Socket.destroySoon`. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  override _read(): void {
    // No backpressure is needed: the limit on records also limits what we buffer.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(this.#withUnsent(this.#client.seal(chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(this.#withUnsent(this.#client.closeNotify()), () => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  /** Reads more bytes from the server. The stream may keep them. */
  receive(chunk: Buffer): void {
    if (this.destroyed || this.readableEnded) return;
    try {
      this.#deliver(this.#client.push(chunk));
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #deliver(data: readonly Buffer[]): void {
    for (const one of data) if (one.length > 0) this.push(one);
    if (this.#client.hasEnded) this.push(null);
  }

  #withUnsent(record: Buffer): Buffer {
    const bytes = Buffer.concat([this.#unsent, record]);
    this.#unsent = Buffer.alloc(0);
    return bytes;
  }
}
