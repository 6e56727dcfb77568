import { createConnection, type Socket } from 'node:net';
import { startRawPeer } from './raw-peers.ts';

/** A middleman between a mail client and a mail server. */
export interface StrippingProxy {
  readonly port: number;
  /** All that clients sent so far. */
  heard(): string;
  /** Passes everything on unchanged from now on. */
  behave(): void;
  stop(): Promise<void>;
}

/**
 * Hides from both sides that the other one can do STARTTLS, as an attacker on the way does (RFC 3207 §6): the word is overwritten,
 * so that the server's offer is unknown to the client and the client's command unknown to the server.
 */
export async function startStrippingProxy(target: { port: number }): Promise<StrippingProxy> {
  let strips = true;
  let heard = '';
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
    pass(client, server, (chunk) => (heard += chunk.toString('latin1')));
    pass(server, client);
  });
  return {
    port: peer.port,
    heard: () => heard,
    behave: () => void (strips = false),
    stop: () => peer.stop(),
  };
}
