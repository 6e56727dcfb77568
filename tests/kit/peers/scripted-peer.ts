import type { ListenOptions, Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { type RawPeer, startRawPeer } from './raw-peers.ts';
import type { ServerCertificate } from './tls-server.ts';

/** One step of a dialogue: what the server sends, or what it expects from the client, byte for byte. */
export type Step = { sends: string | Buffer } | { expects: string | Buffer };

export interface ScriptedPeerOptions {
  /**
   * Certificate with which the peer starts TLS after the last step. Without it, the peer closes the connection when the
   * client sends anything after the last step.
   */
  certificate?: ServerCertificate;
  /**
   * The dialogue inside TLS, after which the peer closes the connection. By default it is empty, and the client closes the
   * connection.
   */
  insideTls?: readonly Step[];
  /** Writes a byte at a time, each in its own segment. */
  dripping?: boolean;
  /** Closes the connection after sending this many bytes. */
  closesAfter?: number;
  /** Address and port to listen on. Default: a free port of 127.0.0.1. */
  at?: ListenOptions;
  /** Called with the server name (SNI) of each handshake. */
  onServerName?: (name: string) => void;
  /** Awaited before each message to a client. `client` is its number, from 1. Default: the peer sends at once. */
  delay?: (client: number) => Promise<unknown>;
}

export interface ScriptedPeer extends RawPeer {
  /** Input from clients that differs from the dialogue, or comes after its end. */
  unexpected: string[];
  /** How clients ended their TLS connections: `close_notify`, or the code of an error. */
  endings: string[];
}

/** Starts a server that follows a recorded dialogue. */
export async function startScriptedPeer(
  steps: readonly Step[],
  {
    certificate,
    insideTls = [],
    dripping = false,
    closesAfter,
    at,
    onServerName,
    delay = () => Promise.resolve(),
  }: ScriptedPeerOptions = {},
): Promise<ScriptedPeer> {
  const unexpected: string[] = [];
  const endings: string[] = [];
  let clients = 0;

  async function send(socket: Socket, bytes: Buffer): Promise<void> {
    if (!dripping) return void socket.write(bytes);
    for (const byte of bytes) {
      socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Returns whether the client took part until the end of the dialogue. */
  async function follow(socket: Socket, dialogue: readonly Step[], client: number): Promise<boolean> {
    const reader = createReader(socket);
    let left = closesAfter ?? Infinity;
    for (const step of dialogue) {
      if ('sends' in step) {
        const bytes = Buffer.from(step.sends).subarray(0, left);
        left -= bytes.length;
        await delay(client);
        await send(socket, bytes);
        if (left > 0) continue;
        socket.end();
        return false;
      }
      const expected = Buffer.from(step.expects);
      const received = await reader.read(expected.length);
      if (received === null) return false;
      if (!received.equals(expected)) {
        unexpected.push(received.toString('latin1'));
        socket.destroy();
        return false;
      }
    }
    reader.stop();
    return true;
  }

  async function run(socket: Socket, client: number): Promise<void> {
    socket.setNoDelay(true);
    if (!(await follow(socket, steps, client))) return;
    if (certificate === undefined) {
      socket.on('data', (bytes: Buffer) => {
        unexpected.push(bytes.toString('latin1'));
        socket.end();
      });
      return void socket.resume();
    }
    const { certificatePem, keyPem, chainPem = '' } = certificate;
    const secureContext = createSecureContext({ cert: certificatePem + chainPem, key: keyPem });
    const tls = new TLSSocket(socket, {
      isServer: true,
      secureContext,
      SNICallback: (name, done) => {
        onServerName?.(name);
        done(null, secureContext);
      },
    });
    tls.on('error', (error: NodeJS.ErrnoException) => {
      endings.push(error.code ?? error.message);
      tls.destroy();
    });
    tls.once('end', () => endings.push('close_notify'));
    if (insideTls.length > 0 && (await follow(tls, insideTls, client))) tls.end();
    tls.on('data', (bytes: Buffer) => unexpected.push(bytes.toString('latin1'))).resume();
  }

  const peer = await startRawPeer((socket) => void run(socket, (clients += 1)), at);
  return { ...peer, unexpected, endings };
}

function createReader(socket: Socket): { read(count: number): Promise<Buffer | null>; stop(): void } {
  let received = Buffer.alloc(0);
  let isOver = false;
  let wake = (): void => undefined;
  const onData = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk]);
    wake();
  };
  const onClose = (): void => {
    isOver = true;
    wake();
  };
  socket.on('data', onData).on('close', onClose);
  return {
    async read(count) {
      while (received.length < count) {
        if (isOver) return null;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const bytes = received.subarray(0, count);
      received = received.subarray(count);
      return bytes;
    },
    stop() {
      socket.off('data', onData).off('close', onClose);
      socket.pause();
      if (received.length > 0) socket.unshift(received);
    },
  };
}
