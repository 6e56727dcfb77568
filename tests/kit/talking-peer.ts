import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

import { startRawPeer } from './raw-peers.ts';
import type { RawPeer } from './raw-peers.ts';
import type { ServerCertificate } from '../../scripts/local-peers/tls-server.ts';

/** One turn of a dialogue: what the server writes at once, or what it waits for, byte for byte. */
export type Turn = { says: string | Buffer } | { hears: string | Buffer };

export interface TalkingPeerOptions {
  /** After the last turn the peer starts TLS with this certificate. Without it the peer is silent. */
  certificate?: ServerCertificate;
  /** Writes a byte at a time, each in its own segment. */
  dripping?: boolean;
  /** Closes the connection after sending this many bytes. */
  hangsUpAfter?: number;
}

export interface TalkingPeer extends RawPeer {
  /** What clients sent that the dialogue does not have. */
  misheard: string[];
}

/** Starts a server that plays its part of a recorded dialogue. */
export async function startTalkingPeer(
  turns: readonly Turn[],
  { certificate, dripping = false, hangsUpAfter }: TalkingPeerOptions = {},
): Promise<TalkingPeer> {
  const misheard: string[] = [];

  async function say(socket: Socket, words: Buffer): Promise<void> {
    if (!dripping) return void socket.write(words);
    for (const byte of words) {
      socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function play(socket: Socket): Promise<void> {
    socket.setNoDelay(true);
    const ear = listenTo(socket);
    let left = hangsUpAfter ?? Infinity;
    for (const turn of turns) {
      if ('says' in turn) {
        const words = Buffer.from(turn.says).subarray(0, left);
        left -= words.length;
        await say(socket, words);
        if (left <= 0) return void socket.end();
      } else {
        const wanted = Buffer.from(turn.hears);
        const heard = await ear.hear(wanted.length);
        if (heard === null) return;
        if (!heard.equals(wanted)) {
          misheard.push(heard.toString('latin1'));
          return void socket.destroy();
        }
      }
    }
    ear.stop();
    if (certificate === undefined) return void socket.resume();
    const { certificatePem, keyPem, chainPem = '' } = certificate;
    const secureContext = createSecureContext({ cert: certificatePem + chainPem, key: keyPem });
    const tls = new TLSSocket(socket, { isServer: true, secureContext });
    tls.on('error', () => tls.destroy());
    tls.resume();
  }

  const peer = await startRawPeer((socket) => void play(socket));
  return { ...peer, misheard };
}

function listenTo(socket: Socket): { hear(count: number): Promise<Buffer | null>; stop(): void } {
  let heard = Buffer.alloc(0);
  let isOver = false;
  let wake = (): void => undefined;
  const onData = (chunk: Buffer): void => {
    heard = Buffer.concat([heard, chunk]);
    wake();
  };
  const onClose = (): void => {
    isOver = true;
    wake();
  };
  socket.on('data', onData).on('close', onClose);
  return {
    async hear(count) {
      while (heard.length < count) {
        if (isOver) return null;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const words = heard.subarray(0, count);
      heard = heard.subarray(count);
      return words;
    },
    stop() {
      socket.off('data', onData).off('close', onClose);
      socket.pause();
      if (heard.length > 0) socket.unshift(heard);
    },
  };
}
