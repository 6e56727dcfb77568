import type { SecureContext } from 'node:tls';

import type { AddressObservation, Protocol } from '../core/index.ts';
import { openConnection } from '../egress/index.ts';
import type { AddressPolicy } from '../egress/index.ts';
import { handshake } from './handshake.ts';
import { changeOver } from './starttls.ts';
import { legacyContext, modernContext } from './tls-contexts.ts';

export interface LookOptions {
  address: string;
  endpoint: { host: string; port: number; protocol: Protocol };
  policy: AddressPolicy;
  signal: AbortSignal;
  connectTimeoutMs: number;
  handshakeTimeoutMs: number;
}

interface Attempt {
  observation: AddressObservation;
  wantsLegacy: boolean;
}

/** Far above the 100 kB of certificates that OpenSSL takes. */
const MAX_BYTES = 512 * 1024;

/** Looks at one address of an endpoint: as a client of today, and once more as an old one where the server asks for it. */
export async function look(options: LookOptions): Promise<AddressObservation> {
  const startedAt = performance.now();
  const first = await attempt(options, modernContext, startedAt);
  if (!first.wantsLegacy) return first.observation;
  const second = await attempt(options, legacyContext, startedAt);
  // When both fail, what the server said to a client of today is the reason that helps.
  return second.observation.outcome === 'handshake' ? second.observation : first.observation;
}

async function attempt(options: LookOptions, context: SecureContext, startedAt: number): Promise<Attempt> {
  const { address, endpoint, policy, signal, connectTimeoutMs, handshakeTimeoutMs } = options;
  const seen = { address, family: address.includes(':') ? 6 : 4 } as const;
  const durationMs = (): number => Math.round(performance.now() - startedAt);

  const connection = await openConnection({
    address,
    port: endpoint.port,
    policy,
    signal,
    timeoutMs: connectTimeoutMs,
    maxBytes: MAX_BYTES,
  });
  if (!connection.ok) {
    const { stage, reason, detail } = connection;
    const failed = { ...seen, outcome: 'failed', stage, reason, tlsAlert: null, detail } as const;
    return { observation: { ...failed, durationMs: durationMs() }, wantsLegacy: false };
  }

  const changed = await changeOver(connection.socket, endpoint.protocol, {
    host: endpoint.host,
    timeoutMs: handshakeTimeoutMs,
    signal,
  });
  if (!changed.ok) {
    connection.socket.destroy();
    const { reason, detail } = changed;
    const failed = { ...seen, outcome: 'failed', stage: 'starttls', reason, tlsAlert: null, detail } as const;
    return { observation: { ...failed, durationMs: durationMs() }, wantsLegacy: false };
  }

  const result = await handshake({
    socket: connection.socket,
    host: endpoint.host,
    context,
    timeoutMs: handshakeTimeoutMs,
    signal,
  });
  if (result.ok) {
    const shaken = { ...seen, outcome: 'handshake', ...result.evidence } as const;
    const legacyTls = context === legacyContext;
    return { observation: { ...shaken, legacyTls, durationMs: durationMs() }, wantsLegacy: false };
  }
  const { reason, tlsAlert, detail, wantsLegacy } = result.failure;
  const failed = { ...seen, outcome: 'failed', stage: 'handshake', reason, tlsAlert, detail } as const;
  return { observation: { ...failed, durationMs: durationMs() }, wantsLegacy };
}
