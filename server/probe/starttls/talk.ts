import type { Socket } from 'node:net';

import { TooManyBytes } from '../../egress/index.ts';
import type { ReachFailure } from '../../core/index.ts';

/** Why a talk in plain text did not lead to TLS. `detail` is in words of ours, never text that the peer chose. */
export class TalkFailed extends Error {
  override name = 'TalkFailed';
  readonly reason: ReachFailure;
  readonly detail: string | null;

  constructor(reason: ReachFailure, detail: string | null = null) {
    super(detail ?? reason);
    this.reason = reason;
    this.detail = detail;
  }
}

export const wrongProtocol = (detail: string): TalkFailed => new TalkFailed('wrong_protocol', detail);
export const refused = (detail: string): TalkFailed => new TalkFailed('starttls_refused', detail);

/**
 * Reads one piece from the start of what has come so far: its value and how many bytes it is long, or null while it is not
 * complete. Throws `TalkFailed` for what can never become one.
 */
export type Parser<T> = (seen: Buffer) => { value: T; length: number } | null;

/** A talk in plain text over a connected socket. */
export interface Talk {
  send(text: string | Uint8Array): void;
  /** The next piece of what the peer says. Rejects with `TalkFailed` when it ends before, or says too much. */
  take<T>(parse: Parser<T>): Promise<T>;
  /** To be called after the last piece, before a handshake starts: nothing may have come after it. */
  expectSilence(): Promise<void>;
  /** Leaves the socket as it was found: paused, and nothing of what comes from now on read. */
  end(): void;
}

/** Greetings and capabilities of real servers have a few kilobytes. */
const MAX_BYTES = 64 * 1024;

export function startTalk(socket: Socket): Talk {
  let unread: Buffer = Buffer.alloc(0);
  let received = 0;
  let ended: TalkFailed | null = null;
  let wake = (): void => undefined;

  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    // What is too much is not kept: it could grow until the time is over.
    if (received <= MAX_BYTES) unread = Buffer.concat([unread, chunk]);
    wake();
  };
  const stop = (failure: TalkFailed): void => {
    ended ??= failure;
    wake();
  };
  const onEnd = (): void => stop(new TalkFailed('closed'));
  const onError = (error: NodeJS.ErrnoException): void =>
    stop(new TalkFailed(error instanceof TooManyBytes ? 'too_large' : 'reset', error.code ?? null));
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);

  return {
    send: (text) => void socket.write(text),
    async take(parse) {
      for (;;) {
        if (received > MAX_BYTES) throw wrongProtocol(`more than ${MAX_BYTES} bytes before TLS`);
        const piece = parse(unread);
        if (piece !== null) {
          unread = unread.subarray(piece.length);
          return piece.value;
        }
        if (ended !== null) throw ended;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    async expectSilence() {
      // Once around the event loop, so that what has arrived meanwhile is seen too.
      await turn();
      await turn();
      if (received > MAX_BYTES || unread.length > 0) throw new TalkFailed('starttls_injection');
      if (ended !== null) throw ended;
    },
    end() {
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      socket.pause();
    },
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
