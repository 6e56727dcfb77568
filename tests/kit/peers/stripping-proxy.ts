import { createConnection, type Socket } from 'node:net';
import { startRawPeer } from './raw-peers.ts';

/** A man in the middle between a mail client and a mail server. */
export interface StrippingProxy {
  readonly port: number;
  /** Returns all that clients sent so far. */
  received(): string;
  /** Passes everything on unchanged from now on. */
  stopStripping(): void;
  stop(): Promise<void>;
}

/**
 * Starts a proxy that hides STARTTLS from both sides, as an attacker in the network does (RFC 3207 §6). It overwrites the
 * word: the client does not understand the server's offer, and the server does not understand the client's command.
 */
export async function startStrippingProxy(target: { port: number }): Promise<StrippingProxy> {
  let strips = true;
  let received = '';
  const pass = (from: Socket, to: Socket, onChunk: (chunk: Buffer) => void = () => undefined): void => {
    from.on('data', (chunk: Buffer) => {
      onChunk(chunk);
      const text = chunk.toString('latin1');
      to.write(strips ? Buffer.from(text.replaceAll(/STARTTLS/gi, 'XXXXXXXX'), 'latin1') : chunk);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  };
  const peer = await startRawPeer((client) => {
    const server = createConnection({ port: target.port, host: '127.0.0.1' });
    pass(client, server, (chunk) => (received += chunk.toString('latin1')));
    pass(server, client);
  });
  return {
    port: peer.port,
    received: () => received,
    stopStripping: () => void (strips = false),
    stop: () => peer.stop(),
  };
}
