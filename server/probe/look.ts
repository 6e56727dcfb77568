import type { TLSSocket } from 'node:tls';
import type { AddressObservation } from '../core/index.ts';
import { hangUp, isPostQuantum } from './handshake.ts';
import { type Approach, secure, type Secured } from './secure.ts';
import { modernContext, widestContext } from './tls-contexts.ts';

/** A connection that shook hands, and a way to another one like it. */
export interface OpenLook {
  address: string;
  tls: TLSSocket;
  reconnect: () => Promise<Secured>;
}

export interface LookOptions extends Approach {
  /** Whether the open connection is taken over, with the duty to hang up; else the look ends it. */
  takeOver: (open: OpenLook) => boolean;
  /** Hears of the chain (DER as sent) as soon as it is there. */
  onChain: (presentedChain: readonly Uint8Array[]) => void;
}

/** Looks at one address of an endpoint: as a client of today, and once more as an old one where the server asks for it. */
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
  // When both fail, what the server said to a client of today is the reason that helps.
  if (!secured.ok) return { ...seen, outcome: 'failed', ...secured.failure };
  const { evidence, tls } = secured;
  onChain(evidence.presentedChain);
  const legacyTls = secured === second && !isPostQuantum(evidence.group);
  const reconnect = (): Promise<Secured> =>
    secure(options, secured === second ? widestContext : modernContext);
  if (tls === null || !takeOver({ address, tls, reconnect })) await hangUp(tls, signal);
  return { ...seen, outcome: 'handshake', ...evidence, legacyTls };
}
