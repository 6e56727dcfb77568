import type { TLSSocket } from 'node:tls';
import type { AddressObservation } from '../core/index.ts';
import { hangUp, isPostQuantum } from './handshake.ts';
import { type Approach, secure, type Secured } from './secure.ts';
import { modernContext, widestContext } from './tls-contexts.ts';

/** A connection that completed its handshake. `reconnect` opens another one with the same TLS settings. */
export interface OpenLook {
  address: string;
  tls: TLSSocket;
  reconnect: () => Promise<Secured>;
}

export interface LookOptions extends Approach {
  /** Returns true if the callee takes the open connection and will close it. Otherwise `look` closes it. */
  takeOver: (open: OpenLook) => boolean;
  /** Called with the chain (DER as sent) as soon as the handshake is complete. */
  onChain: (presentedChain: readonly Uint8Array[]) => void;
}

/** Probes one address of an endpoint with current TLS settings, and again with legacy ones if the server needs them. */
export async function look(options: LookOptions): Promise<AddressObservation> {
  const { address, signal, takeOver, onChain } = options;
  const startedAt = performance.now();
  const first = await secure(options, modernContext);
  const second = !first.ok && first.wantsLegacy ? await secure(options, widestContext) : null;

  const seen = {
    address,
    family: address.includes(':') ? 6 : 4,
    durationMs: Math.round(performance.now() - startedAt),
  } as const;
  const secured = second?.ok === true ? second : first;
  // If both fail, report the first failure: it tells what current clients experience.
  if (!secured.ok) return { ...seen, outcome: 'failed', ...secured.failure };
  const { evidence, tls } = secured;
  onChain(evidence.presentedChain);
  const legacyTls = secured === second && !isPostQuantum(evidence.group);
  const reconnect = (): Promise<Secured> =>
    secure(options, secured === second ? widestContext : modernContext);
  if (tls === null || !takeOver({ address, tls, reconnect })) await hangUp(tls, signal);
  return { ...seen, outcome: 'handshake', ...evidence, legacyTls };
}
