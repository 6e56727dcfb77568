import type { SecureContext, TLSSocket } from 'node:tls';

import type { FailedObservation, Protocol } from '../core/index.ts';
import { openConnection } from '../egress/index.ts';
import type { AddressPolicy } from '../egress/index.ts';
import { handshake } from './handshake.ts';
import type { HandshakeEvidence } from './handshake.ts';
import { changeOver } from './starttls.ts';

/** One address of an endpoint and what may be spent on it. */
export interface Approach {
  address: string;
  endpoint: { host: string; port: number; protocol: Protocol };
  policy: AddressPolicy;
  signal: AbortSignal;
  connectTimeoutMs: number;
  handshakeTimeoutMs: number;
}

/** `tls` is as in `HandshakeResult`. */
export type Secured =
  | { ok: true; evidence: HandshakeEvidence; tls: TLSSocket | null }
  | {
      ok: false;
      failure: Pick<FailedObservation, 'stage' | 'reason' | 'tlsAlert' | 'detail'>;
      /** The peer wants something that only the legacy context offers. */
      wantsLegacy: boolean;
    };

/** Far above the 100 kB of certificates that OpenSSL takes, and above what is read of an answer over HTTP. */
const MAX_BYTES = 512 * 1024;

/** Dials one address, changes over to TLS where the protocol starts without, and shakes hands. */
export async function secure(approach: Approach, context: SecureContext): Promise<Secured> {
  const { address, endpoint, policy, signal, connectTimeoutMs, handshakeTimeoutMs } = approach;
  const { host, port, protocol } = endpoint;
  const connection = await openConnection({
    address,
    port,
    policy,
    signal,
    timeoutMs: connectTimeoutMs,
    maxBytes: MAX_BYTES,
  });
  if (!connection.ok) {
    const { stage, reason, detail } = connection;
    return { ok: false, failure: { stage, reason, tlsAlert: null, detail }, wantsLegacy: false };
  }
  const { socket } = connection;

  const limits = { host, timeoutMs: handshakeTimeoutMs, signal };
  const changed = await changeOver(socket, protocol, limits);
  if (!changed.ok) {
    socket.destroy();
    const { reason, detail } = changed;
    return { ok: false, failure: { stage: 'starttls', reason, tlsAlert: null, detail }, wantsLegacy: false };
  }

  const result = await handshake({ socket, context, ...limits });
  if (result.ok) return result;
  const { wantsLegacy, ...failure } = result.failure;
  return { ok: false, failure: { stage: 'handshake', ...failure }, wantsLegacy };
}
