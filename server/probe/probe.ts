import type { Observation, Protocol } from '../core/index.ts';
import type { AddressPolicy, Resolver } from '../egress/index.ts';
import type { TrustStore } from '../pki/index.ts';
import { look } from './look.ts';

export interface ObserveOptions {
  /** Aborted, it ends what is still under way as a timeout. */
  signal: AbortSignal;
  /** Decides which chains hold: only for those is anything asked of their CAs. */
  trustStore: TrustStore;
  /** Looks at the posture too: some handshakes more, to be made about once a day. */
  withPosture: boolean;
}

export interface Probe {
  /**
   * Looks once at every address of an endpoint, at the same time, and then asks what its chains call for. Whatever the
   * network does is a value.
   */
  observe(
    endpoint: { host: string; port: number; protocol: Protocol },
    options: ObserveOptions,
  ): Promise<Observation>;
}

export interface ProbeOptions {
  resolver: Resolver;
  policy: AddressPolicy;
  /** ms UTC. */
  now: () => number;
  /** Shorter caps, for tests. */
  timeouts?: Partial<Timeouts>;
}

/** In ms by the wall clock: a peer that sends a byte now and then gains nothing. */
interface Timeouts {
  connect: number;
  handshake: number;
  /** Everything, the resolution included. */
  check: number;
}

const TIMEOUTS: Timeouts = { connect: 5_000, handshake: 10_000, check: 20_000 };

/** Looks at endpoints through the guarded way out. */
export function createProbe({ resolver, policy, now, timeouts }: ProbeOptions): Probe {
  const caps = { ...TIMEOUTS, ...timeouts };

  return {
    async observe({ host, port, protocol }, { signal }) {
      const endpoint = { host, port, protocol };
      const observedAt = now();
      const startedAt = performance.now();
      const deadline = new AbortController();
      const end = (): void => deadline.abort();
      const timer = setTimeout(end, caps.check);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      try {
        const resolution = await resolver.resolve(host, { signal: deadline.signal });
        const looks = (resolution.ok ? resolution.addresses : []).map((address) =>
          look({
            address,
            endpoint,
            policy,
            signal: deadline.signal,
            connectTimeoutMs: caps.connect,
            handshakeTimeoutMs: caps.handshake,
          }),
        );
        const addresses = await Promise.all(looks);
        const durationMs = Math.round(performance.now() - startedAt);
        return {
          endpoint,
          observedAt,
          durationMs,
          resolution,
          addresses,
          http: null,
          authorities: [],
          revocation: [],
          renewal: [],
          posture: null,
        };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      }
    },
  };
}
