import type {
  AddressObservation,
  HandshakeObservation,
  HttpObservation,
  Observation,
  PostureObservation,
} from '../core/index.ts';
import type { AddressPolicy, Resolver } from '../egress/index.ts';
import { parseReadable, type TrustStore, WorkBudget } from '../pki/index.ts';
import { type Asked, askSources } from './ask-sources.ts';
import { lookAtHttp } from './http-look.ts';
import { look, type LookOptions, type OpenLook } from './look.ts';
import { lookAtPosture } from './posture.ts';
import { Asker, type Sources } from './sources/sources.ts';
import { type Step, timed } from './step.ts';
import type { Protocol } from '../../contract/words.ts';

export interface ObserveOptions {
  /** Aborted, it ends what is still under way as a timeout. */
  signal: AbortSignal;
  /** Decides which chains hold: only for those is anything asked of their CAs. */
  trustStore: TrustStore;
  /** Also probes the posture and asks both CRL and OCSP. Meant to run once a day. */
  withPosture: boolean;
  /** What it may cost to examine what was sent. Default: `LOOK_WORK`. */
  work?: WorkBudget;
  /** Hears of each part of the look as it ends. Default: nobody asks. */
  onStep?: (step: Step) => void;
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
  sources: Sources;
  /** Shorter caps, for tests. */
  timeouts?: Partial<Timeouts>;
  /** Hears of a source that threw, which is a bug; the look goes on without it. Default: a warning of the process. */
  onFault?: (error: unknown) => void;
}

/** In ms by the wall clock: a peer that sends a byte now and then gains nothing. */
interface Timeouts {
  connect: number;
  handshake: number;
  /** For GET /. The HEAD request before it has 40 % of this time. */
  http: number;
  /** Certificates that a server forgot to send. */
  authorities: number;
  /** Revocation and renewal: who adds a domain waits for them. */
  status: number;
  posture: number;
  /** Everything, the resolution included. */
  check: number;
}

const TIMEOUTS: Timeouts = {
  connect: 5_000,
  handshake: 10_000,
  http: 10_000,
  authorities: 4_000,
  status: 3_000,
  posture: 10_000,
  check: 20_000,
};

/** Looks at endpoints through the guarded way out. */
export function createProbe(options: ProbeOptions): Probe {
  const { resolver, policy, now, sources, timeouts, onFault = warn } = options;
  const caps = { ...TIMEOUTS, ...timeouts };
  const waits = { authoritiesMs: caps.authorities, statusMs: caps.status };

  return {
    async observe(
      { host, port, protocol },
      { signal, trustStore, withPosture, onStep, work = new WorkBudget() },
    ) {
      const endpoint = { host, port, protocol };
      const observedAt = now();
      const startedAt = performance.now();
      const deadline = new AbortController();
      const end = (): void => deadline.abort();
      const timer = setTimeout(end, caps.check);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      const handshakes = limitHandshakes(work, deadline.signal);
      const limits = {
        endpoint,
        policy,
        signal: deadline.signal,
        connectTimeoutMs: caps.connect,
        handshakeTimeoutMs: caps.handshake,
      };
      const http: Promise<HttpObservation | null>[] = [];
      /** The first connection that gets so far is the only one. */
      const takeOver = (open: OpenLook): boolean => {
        if (protocol !== 'https' || http.length > 0) return false;
        const about = { open, endpoint, timeoutMs: caps.http, signal: deadline.signal };
        http.push(timed('http', onStep, () => lookAtHttp(about)));
        return true;
      };
      try {
        const resolution = await timed('resolve', onStep, () =>
          resolver.resolve(host, { signal: deadline.signal }),
        );
        const addresses = await Promise.all(
          (resolution.ok ? resolution.addresses : []).map((address) =>
            timed('look', onStep, () =>
              handshakes.run((own) => look({ ...limits, ...own, address, takeOver })),
            ),
          ),
        );
        const seen =
          withPosture && !handshakes.isOver()
            ? addresses.find(({ outcome }) => outcome === 'handshake')
            : undefined;
        const common = { signal: deadline.signal, onFault };
        const asker = new Asker(host, work);
        const ask = (about: readonly AddressObservation[]): Promise<Asked> =>
          timed('ask', onStep, () =>
            askSources({
              ...common,
              asker,
              addresses: about,
              sources,
              trustStore,
              isThorough: withPosture,
              now: observedAt,
              waits,
            }),
          );
        const [[answered = null], asked, posture] = await Promise.all([
          Promise.all(http),
          ask(addresses),
          seen?.outcome !== 'handshake'
            ? Promise.resolve(null)
            : timed('posture', onStep, () =>
                lookAtPosture({
                  ...common,
                  seen,
                  approach: limits,
                  domains: sources.domains,
                  at: observedAt,
                  budgetMs: caps.posture,
                }),
              ),
        ]);
        const said = together(asked, await ask(unusual(posture, addresses)));
        const durationMs = Math.round(performance.now() - startedAt);
        // Cut off with all other connections, it says nothing.
        const answer = handshakes.isOver() ? null : answered;
        return { endpoint, observedAt, durationMs, resolution, addresses, http: answer, ...said, posture };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      }
    },
  };
}

/**
 * Ends the handshakes of a look once OpenSSL may have spent on their chains what a look may cost. Addresses whose handshake was
 * not done by then count as having sent too much.
 */
function limitHandshakes(work: WorkBudget, deadline: AbortSignal) {
  const left = new WorkBudget(work.total);
  const underWay = new Set<AbortController>();
  deadline.addEventListener('abort', () => underWay.forEach((one) => one.abort()), { once: true });
  return {
    isOver: () => left.isExhausted,
    async run(
      lookWith: (options: Pick<LookOptions, 'signal' | 'onChain'>) => Promise<AddressObservation>,
    ): Promise<AddressObservation> {
      const own = new AbortController();
      underWay.add(own);
      if (deadline.aborted) own.abort();
      const onChain = (chain: readonly Uint8Array[]): void => {
        const bytes = chain.reduce((sum, { length }) => sum + length, 0);
        if (left.spendHandshake(chain.map(parseReadable), bytes)) return;
        work.exhaust();
        // At once, before the next socket is served, which may have another such chain. Never this one: Node 26 crashes where a
        // socket is destroyed below its TLS layer while that reads from it.
        for (const one of underWay) if (one !== own) one.abort();
      };
      const seen = await lookWith({ signal: own.signal, onChain });
      if (seen.outcome === 'handshake' || !left.isExhausted || deadline.aborted) return seen;
      return { ...seen, stage: 'handshake', reason: 'too_large', tlsAlert: null, detail: null };
    },
  };
}

/** What only some clients are shown, as if an address showed it to everybody: its CAs are asked the same. */
function unusual(
  posture: PostureObservation | null,
  addresses: readonly AddressObservation[],
): HandshakeObservation[] {
  const shook = addresses.filter((one) => one.outcome === 'handshake');
  const [seen] = shook;
  if (posture === null || seen === undefined) return [];
  const usual = new Set(shook.map(({ presentedChain }) => leafOf(presentedChain)));
  return posture.alternates
    .filter(({ presentedChain }) => !usual.has(leafOf(presentedChain)))
    .map(({ presentedChain }) => ({ ...seen, presentedChain, staple: null }));
}

function leafOf([leaf]: readonly Uint8Array[]): string | null {
  return leaf === undefined ? null : Buffer.from(leaf).toString('base64');
}

function together(usual: Asked, more: Asked): Asked {
  const isPending = usual.authoritiesPending ?? more.authoritiesPending;
  return {
    authorities: [...usual.authorities, ...more.authorities],
    ...(isPending && { authoritiesPending: isPending }),
    revocation: [...usual.revocation, ...more.revocation],
    renewal: [...usual.renewal, ...more.renewal],
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
