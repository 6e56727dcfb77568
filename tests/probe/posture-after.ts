import type { Protocol } from '../../contract/protocols.ts';
import { POSTURE_PARTS, type PostureObservation } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createFailureLimit } from '../../server/probe/failure-limit.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { probePosture } from '../../server/probe/posture.ts';
import { keep } from '../kit/peers/loopback.ts';
import { type ServerCertificate, startTlsServer } from '../kit/peers/tls-server.ts';
import { MODERN_TLS } from '../kit/product/observation.ts';

interface ProbedServer {
  host: string;
  /** Port at 127.0.0.1. */
  port: number;
  protocol: Protocol;
  /** Leaf of the usual handshake. */
  leaf: { der: Uint8Array };
  /** Time limit of a handshake in ms. Default: a minute. */
  handshakeTimeoutMs?: number;
  /** Time in ms that the check has left. Default: a minute. */
  leftMs?: number;
}

/** Probes the posture of a server. The usual handshake with it took `durationMs`. */
export function postureAfter(
  durationMs: number,
  { host, port, protocol, leaf, handshakeTimeoutMs = 60_000, leftMs = 60_000 }: ProbedServer,
): Promise<PostureObservation> {
  return probePosture({
    seen: { ...MODERN_TLS, address: '127.0.0.1', family: 4, presentedChain: [leaf.der], durationMs },
    approach: {
      endpoint: { host, port, protocol },
      policy: createAddressPolicy(['127.0.0.0/8'], () => []),
      connectTimeoutMs: 5_000,
      handshakeTimeoutMs,
    },
    domains: NO_SOURCES.domains,
    parts: POSTURE_PARTS,
    failureLimit: createFailureLimit({ now: Date.now, monotonic: () => performance.now() }),
    at: 0,
    budgetMs: 10_000,
    leftMs,
    signal: new AbortController().signal,
    onFault: () => undefined,
  });
}

/** Starts a server that answers no ClientHello until `greet` is called. `waiting` returns how many it has received. */
export async function startHoldingServer(certificate: ServerCertificate) {
  const { promise: greeted, resolve: greet } = Promise.withResolvers<void>();
  let waiting = 0;
  const admit = (): Promise<void> => {
    waiting++;
    return greeted;
  };
  const { port } = keep(await startTlsServer({ '*': certificate }, { admit }));
  return { port, greet, waiting: () => waiting };
}
