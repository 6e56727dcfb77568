import {
  type AddressObservation,
  type HttpObservation,
  type Observation,
  POSTURE_PARTS,
  type PostureObservation,
  type PosturePart,
} from '../core/observation.ts';
import { type CheckedEndpoint, effectiveTarget } from '../core/target.ts';
import { type DialogueLimits, factsOf } from '../../contract/protocols.ts';
import type { AddressPolicy } from '../egress/address-policy.ts';
import type { TrustStore } from '../pki/trust-store.ts';
import { WorkBudget } from '../pki/work-budget.ts';
import { alternateObservations, mergeAnswers, querySources, type SourceAnswers } from './query-sources.ts';
import { probeHttp } from './http-probe.ts';
import { findPlaces, type Place, type PlaceResolver } from './places.ts';
import { type OpenConnection, probeAddress, probeWithOwnClient, suitsOwnClient } from './address-probe.ts';
import { createFailureLimit, type FailureLimit, limitHandshakes } from './failure-limit.ts';
import { isAnswered, rememberUnusual } from './first-look.ts';
import { probePosture } from './posture.ts';
import type { OwnNames } from './starttls/ehlo-name.ts';
import { Requester, type Sources } from './sources/sources.ts';
import { Surprise } from './tls13/wire.ts';
import type { Monotonic } from '../../contract/durations.ts';

export interface ObserveOptions {
  /** Aborting it ends all running operations, which are then reported as timeouts. */
  signal: AbortSignal;
  /**
   * Trust store that decides which chains are valid. CAs are queried about revocation and renewal of valid chains only.
   */
  trustStore: TrustStore;
  /** True to also probe the posture and query both CRL and OCSP. Meant to be set once a day. */
  withPosture: boolean;
  /** Parts of the posture to test, the most urgent one first. Default: all. */
  postureParts?: readonly PosturePart[];
  /**
   * True for an endpoint that was never checked. A server that is silent for five seconds is then tried with direct TLS, so that the user soon
   * learns that the port expects TLS. Later checks try this only at their end, because servers that greet late may log it as an error.
   */
  isNew?: boolean;
  /** Work budget for examining the certificates received. Default: `DEFAULT_WORK_PER_CHECK`. */
  work?: WorkBudget;
  /**
   * For which addresses the observation has the code and text of refusals. Default: none; `public`: those outside the ranges that the
   * operator opened. Set it only if the observation goes to people who watch the endpoint.
   */
  replies?: 'public' | 'all';
  /**
   * Called once if the dialogue before TLS takes longer than half a second. The probe may then take almost two minutes instead of 20 s.
   */
  onSlow?: () => void;
  /** Called with the start and end time of each phase of the probe when the phase ends. */
  onStep?: (step: Step) => void;
}

/** Timing of one phase of an examination, for tracing. Instants in ms UTC with fractions. */
export interface Step {
  name: 'resolve' | 'look' | 'http' | 'ask' | 'posture' | 'judge';
  startedAt: number;
  endedAt: number;
}

export interface Probe {
  /**
   * Probes all addresses of an endpoint in parallel, with one HTTP request for https. Then queries the sources (AIA, CRL, OCSP,
   * ARI) about the chains received and, if requested, probes the posture. Never rejects for network failures.
   */
  observe(endpoint: CheckedEndpoint, options: ObserveOptions): Promise<Observation>;
}

/** A probe that can also observe with our own TLS client, which needs less CPU time than OpenSSL. */
interface TwoClientProbe extends Probe {
  /**
   * Observes with our own TLS client, with one connection per address. Returns null if anything is unusual; then call `observe`. The
   * observation may be used only if it confirms an earlier result.
   */
  observeWithOwnClient(endpoint: CheckedEndpoint, options: ObserveOptions): Promise<Observation | null>;
}

export interface ProbeOptions {
  resolver: PlaceResolver;
  policy: AddressPolicy;
  /** Clock that returns ms UTC. */
  now: () => number;
  /** Default: `performance.now`. */
  monotonic?: Monotonic;
  sources: Sources;
  /** How to introduce ourselves to mail servers. Default: with our address; behind NAT with a name that reveals nothing. */
  ownNames?: OwnNames;
  /** Replacements for single timeouts, used by tests. */
  timeouts?: Partial<Timeouts>;
  /**
   * Called if a source throws, which is a bug; the probe continues without that source.
   * Default: emits a process warning.
   */
  onFault?: (error: unknown) => void;
}

/** Limits in ms of wall-clock time instead of idle time, so that a peer gains nothing by trickling bytes. */
interface Timeouts {
  connect: number;
  handshake: number;
  /** Limit for GET /. The HEAD request before it gets 40 % of this time. */
  http: number;
  /** Limit for fetching issuer certificates that the server did not send. */
  intermediates: number;
  /** Limit for each query about revocation or renewal. A user who adds a domain waits for both. */
  status: number;
  posture: number;
  /** Replacements for limits of the dialogue before TLS, which the table of protocols has. */
  dialogue: Partial<DialogueLimits>;
  /** Time after which a dialogue before TLS counts as slow. */
  slow: number;
  /** Time after which a server that has sent nothing may be tried with TLS, and limit for each step of that. */
  silence: number;
  modeStep: number;
  /** Limit for the whole probe, including name resolution. A slow dialogue extends it by the limit of the dialogue. */
  check: number;
  /** Limit for an observation with our own TLS client. A slower endpoint counts as unusual, so `observe` probes it. */
  read: number;
}

const TIMEOUTS: Timeouts = {
  connect: 5_000,
  handshake: 10_000,
  http: 10_000,
  intermediates: 4_000,
  status: 3_000,
  posture: 10_000,
  dialogue: {},
  slow: 500,
  silence: 5_000,
  modeStep: 3_000,
  check: 20_000,
  read: 8_000,
};

/** Creates a probe whose connections all pass the egress address policy. */
export function createProbe(options: ProbeOptions): TwoClientProbe {
  const { now, timeouts, monotonic = () => performance.now() } = options;
  const caps = { ...TIMEOUTS, ...timeouts };
  const withOpenssl: ProbeSetup = {
    ...options,
    onFault: options.onFault ?? warn,
    look: probeAddress,
    caps,
    failureLimit: createFailureLimit({ now, monotonic }),
  };
  // Short limits, because a probe with OpenSSL may follow.
  const shortCaps = { check: caps.read, connect: caps.read / 8, handshake: caps.read / 4 };
  const withOwnClient = { ...withOpenssl, look: probeWithOwnClient, caps: { ...caps, ...shortCaps } };
  const unusual = rememberUnusual(monotonic);
  const observe = async (endpoint: CheckedEndpoint, request: ObserveOptions, setup: ProbeSetup) => {
    const deadline = startDeadline(endpoint, request, setup.caps);
    const work = request.work ?? new WorkBudget();
    try {
      const observation = await observeWithin({
        setup,
        endpoint,
        request,
        requester: new Requester(effectiveTarget(endpoint).connectTo.host, work),
        deadline,
        handshakes: limitHandshakes(work, deadline.signal),
        approach: approachOf(endpoint, setup, deadline),
        observedAt: now(),
      });
      return { observation, isCut: deadline.signal.aborted };
    } catch (error) {
      deadline.abort();
      throw error;
    } finally {
      deadline.end();
    }
  };
  return {
    observe: async (endpoint, request) => (await observe(endpoint, request, withOpenssl)).observation,
    async observeWithOwnClient(endpoint, request) {
      if (!suitsOwnClient(endpoint) || unusual.has(endpoint)) return null;
      try {
        const { observation, isCut } = await observe(endpoint, request, withOwnClient);
        if (isCut) throw new Surprise('timeout', 'no time left');
        if (!isAnswered(observation)) throw new Surprise('unexpected', 'answer of a web server');
        unusual.remove(endpoint);
        return observation;
      } catch (error) {
        if (!(error instanceof Surprise)) withOpenssl.onFault(error);
        unusual.add(endpoint, error instanceof Surprise ? error.reason : 'invalid');
        return null;
      }
    },
  };
}

interface ProbeSetup extends ProbeOptions {
  onFault: (error: unknown) => void;
  /** Probes one address, with one of our two TLS clients. */
  look: typeof probeAddress;
  /** Time limits of a probe that uses `look`. */
  caps: Timeouts;
  failureLimit: FailureLimit;
}

/** One probe of an endpoint. */
interface ProbeRun {
  setup: ProbeSetup;
  endpoint: CheckedEndpoint;
  request: ObserveOptions;
  requester: Requester;
  deadline: ReturnType<typeof startDeadline>;
  handshakes: ReturnType<typeof limitHandshakes>;
  approach: ReturnType<typeof approachOf>;
  observedAt: number;
}

async function observeWithin(run: ProbeRun): Promise<Observation> {
  const { setup, endpoint, request, deadline, handshakes, observedAt } = run;
  const { policy, resolver } = setup;
  const startedAt = performance.now();
  const { resolution, places, unresolved } = await runTimed('resolve', request.onStep, () =>
    findPlaces(endpoint, { resolver, signal: deadline.signal }),
  );
  const { probed, http } = await probePlaces(run, places);
  const showsReply = ({ address }: AddressObservation): boolean =>
    request.replies === 'all' || (request.replies === 'public' && !policy.opens(address));
  const addresses = [
    ...probed.map(({ seen }) => (showsReply(seen) ? seen : withoutReply(seen))),
    ...unresolved,
  ];
  const [httpResult, asked, posture] = await Promise.all([
    http,
    askSources(run, addresses),
    request.withPosture && !handshakes.isExhausted() ? probePostureOf(run, probed, http) : null,
  ]);
  const answers = mergeAnswers(asked, await askSources(run, alternateObservations(posture, addresses)));
  return {
    endpoint,
    observedAt,
    durationMs: Math.round(performance.now() - startedAt),
    resolution,
    addresses,
    // Exhausting the budget aborts the HTTP connection too, so its result says nothing about the endpoint.
    http: handshakes.isExhausted() ? null : httpResult,
    ...answers,
    posture,
  };
}

type ProbedPlace = Place & { seen: AddressObservation };

/** Probes all addresses. `http`: the result of the HTTP request on the first https connection that completes its handshake. */
async function probePlaces(
  { setup: { caps, look }, endpoint, request, deadline, handshakes, approach }: ProbeRun,
  places: readonly Place[],
): Promise<{ probed: ProbedPlace[]; http: Promise<HttpObservation | null> }> {
  const { expectedStatus } = effectiveTarget(endpoint);
  const ofMode = { modeStepMs: caps.modeStep, ...(request.isNew && { silentMs: caps.silence }) };
  let http: Promise<HttpObservation | null> | undefined;
  const takeOver = (open: OpenConnection): boolean => {
    if (endpoint.protocol !== 'https' || http !== undefined) return false;
    const toSend = { open, endpoint, expectedStatus, timeoutMs: caps.http, signal: deadline.signal };
    http = runTimed('http', request.onStep, () => probeHttp(toSend));
    return true;
  };
  const probed = await Promise.all(
    places.map(async (place) => ({
      ...place,
      seen: await runTimed('look', request.onStep, () =>
        handshakes.run((limited) => look({ ...approach, ...limited, ...place, ...ofMode, takeOver })),
      ),
    })),
  );
  return { probed, http: http ?? Promise.resolve(null) };
}

function askSources(
  { setup, request, requester, deadline, observedAt }: ProbeRun,
  addresses: readonly AddressObservation[],
): Promise<SourceAnswers> {
  const { caps, sources, onFault } = setup;
  return runTimed('ask', request.onStep, () =>
    querySources({
      signal: deadline.signal,
      onFault,
      requester,
      addresses,
      sources,
      trustStore: request.trustStore,
      isThorough: request.withPosture,
      now: observedAt,
      waits: { intermediatesMs: caps.intermediates, statusMs: caps.status },
    }),
  );
}

/** Probes the posture of the first address that completed a handshake; returns null if there is none. */
async function probePostureOf(
  { setup, request, deadline, approach, observedAt }: ProbeRun,
  probed: readonly ProbedPlace[],
  http: Promise<unknown>,
): Promise<PostureObservation | null> {
  const { caps, sources, failureLimit, onFault } = setup;
  const [target] = probed.flatMap(({ endpoint, seen }) =>
    seen.outcome === 'handshake' ? [{ endpoint, seen }] : [],
  );
  if (target === undefined) return null;
  return runTimed('posture', request.onStep, async () => {
    // Some servers, such as those of small devices, serve one connection at a time.
    await http;
    return probePosture({
      signal: deadline.signal,
      onFault,
      seen: target.seen,
      approach: { ...approach, endpoint: target.endpoint },
      domains: sources.domains,
      parts: request.postureParts ?? POSTURE_PARTS,
      failureLimit,
      at: observedAt,
      budgetMs: caps.posture,
      leftMs: deadline.leftMs(),
    });
  });
}

/** Starts the time limit of a probe, which a slow dialogue before TLS extends once. It also ends when the caller aborts. */
function startDeadline({ protocol }: CheckedEndpoint, { signal, onSlow }: ObserveOptions, caps: Timeouts) {
  const deadline = new AbortController();
  const abort = (): void => deadline.abort();
  let endsAt = performance.now() + caps.check;
  let timer = setTimeout(abort, caps.check);
  let isSlow = false;
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    signal: deadline.signal,
    abort,
    leftMs: () => endsAt - performance.now(),
    allowSlow(): void {
      if (isSlow) return;
      isSlow = true;
      endsAt += { ...factsOf(protocol).startTls?.limits, ...caps.dialogue }.dialogueMs ?? 0;
      clearTimeout(timer);
      timer = setTimeout(abort, endsAt - performance.now());
      onSlow?.();
    },
    end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}

/** Returns the options for connecting that are the same for all addresses of the endpoint. */
function approachOf(
  { protocol }: CheckedEndpoint,
  { policy, ownNames, caps, failureLimit }: ProbeSetup,
  deadline: ReturnType<typeof startDeadline>,
) {
  return {
    policy,
    ownNames,
    signal: deadline.signal,
    connectTimeoutMs: caps.connect,
    handshakeTimeoutMs: caps.handshake,
    dialogue: { limits: caps.dialogue, slow: { afterMs: caps.slow, onSlow: () => deadline.allowSlow() } },
    ...(protocol !== 'https' && { onFailure: (address: string) => failureLimit.record(address) }),
  };
}

/** Removes the text and code with which the server refused us. Keeps whether its refusal is temporary. */
function withoutReply(seen: AddressObservation): AddressObservation {
  if (seen.outcome === 'handshake' || seen.refusal === undefined) return seen;
  return { ...seen, refusal: { ...seen.refusal, code: null, text: null } };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}

/** Runs one phase and reports its timing to `onStep`, whether it succeeds or fails. */
export async function runTimed<T>(
  name: Step['name'],
  onStep: ((step: Step) => void) | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (onStep === undefined) return run();
  const startedAt = preciseNow();
  try {
    return await run();
  } finally {
    onStep({ name, startedAt, endedAt: preciseNow() });
  }
}

const preciseNow = (): number => performance.timeOrigin + performance.now();
