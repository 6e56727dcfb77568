import { factsOf } from '../../contract/protocols.ts';
import {
  type HandshakeObservation,
  type HelloObservation,
  POSTURE_PARTS,
  type PostureObservation,
  type PosturePart,
} from '../core/observation.ts';
import { offeredAlpn } from '../core/protocol.ts';
import { effectiveTarget } from '../core/target.ts';
import { createSemaphore } from '../egress/with-timeout.ts';
import type { ConnectOptions } from './handshake.ts';
import { findLeavesByClient } from './client-leaves.ts';
import type { FailureLimit } from './failure-limit.ts';
import { testHellos } from './hello/hello-tolerance.ts';
import { sendHello } from './hello/send-hello.ts';
import { testKeyExchange, testTlsVersions } from './posture-parameters.ts';
import { hasSameLeaf, requestAlternates, requestChainWithoutAlpn } from './posture-certificates.ts';
import { type Attempt, attemptHandshake, type Trial, UNKNOWN } from './posture-trial.ts';
import type { DomainSource } from './sources/sources.ts';
import { withSourceTimeout } from './query-sources.ts';

export interface PostureOptions {
  /** Handshake of the first address that completed one. All posture handshakes go to this address. */
  seen: HandshakeObservation;
  approach: Omit<ConnectOptions, 'address' | 'signal'>;
  domains: DomainSource;
  /** Parts to test, the most urgent one first. The others are postponed. */
  parts: readonly PosturePart[];
  /** Limit for handshakes that fail. It applies to all protocols but https, because web servers do not count them. */
  failureLimit: FailureLimit;
  /** Time of the probe, ms UTC. */
  at: number;
  /**
   * Time limit for the whole posture probe, in ms, for a server that answers at once. Slow servers get as much in addition as the usual
   * handshake took. What was not finished in time is reported as not tested.
   */
  budgetMs: number;
  /** Time in ms that the check has left. */
  leftMs: number;
  signal: AbortSignal;
  onFault: (error: unknown) => void;
}

const PER_HANDSHAKE_MS = 3_000;
/**
 * Time limit in ms for each ClientHello after the first two. Short enough that two batches without an answer fit into the posture's time.
 */
const PER_FURTHER_HELLO_MS = 1_500;
/** A server counts as slow if a handshake takes longer than this (ms), for example because a mail server delays its greeting. */
const SLOW_MS = 1_000;
/** Maximum number of simultaneous handshakes. Handshakes with a slow server mostly wait for its greeting, so more of them may run. */
const CONCURRENT = { usual: 2, slow: 5 };
/** Share by which an extra handshake may take longer than the usual one. If less time is left, we start none. */
const SPARE_TIME = 0.25;

/**
 * Tests which TLS versions, key exchanges and leaf key types one address offers. Also looks up the CAA records and the registration
 * of the host name.
 */
export async function probePosture(options: PostureOptions): Promise<PostureObservation> {
  const { seen, approach, domains, at, budgetMs, signal, onFault } = options;
  const { host, protocol } = approach.endpoint;
  const deadline = new AbortController();
  const abort = (): void => deadline.abort();
  const timer = setTimeout(abort, limitMsOf(options));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();

  const postponed = new Set<PosturePart>();
  const { attempt, attemptIfTime, hasOtherLeaf, withPermit } = createAttempts(
    options,
    deadline.signal,
    postponed,
  );
  const wait = { ms: budgetMs, signal, onFault };
  // Start the urgent parts first: connections queue in the order in which their parts start.
  const inOrder = [...new Set([...options.parts, ...POSTURE_PARTS])];
  try {
    const [hellos, tested, withoutAlpn, caa, registration] = await Promise.all([
      protocol === 'https' ? testBrowserHellos(options, withPermit, deadline.signal, postponed) : null,
      Promise.all(inOrder.map((part) => TESTS[part](seen, attempt(part), protocol !== 'https'))),
      protocol === 'https' ? requestChainWithoutAlpn(seen, attempt('certificates')) : null,
      withSourceTimeout((until) => domains.caa({ host, signal: until }), {
        ...wait,
        late: { outcome: 'unavailable' },
      }),
      withSourceTimeout((until) => domains.registration({ host, now: at, signal: until }), {
        ...wait,
        late: { outcome: 'unavailable', domain: host },
      }),
    ]);
    const all = tested.reduce<Tested>((known, one) => ({ ...known, ...one }), UNTESTED);
    const byClient =
      hasOtherLeaf() && !postponed.has('certificates')
        ? await findLeavesByClient(seen, all.alternates, { protocol, attempt: attemptIfTime })
        : null;
    const resumesAt = protocol === 'https' ? null : options.failureLimit.resumesAt(seen.address);
    return {
      at,
      ...all,
      ...byClient,
      ...(withoutAlpn && { withoutAlpn }),
      ...(hellos && { hellos }),
      ...(postponed.size > 0 && { postponed: [...postponed] }),
      ...(postponed.size > 0 && resumesAt !== null && { resumesAt }),
      caa,
      registration,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function limitMsOf({ seen, budgetMs, leftMs }: PostureOptions): number {
  return Math.min(leftMs, budgetMs + (seen.durationMs > SLOW_MS ? seen.durationMs : 0));
}

interface Attempts {
  /**
   * Returns a function that makes the attempts for a part. If the failure limit or the time left does not allow an attempt, adds the part to
   * `postponed`, because servers would log a handshake that we break off as a failure.
   */
  attempt: (part: PosturePart) => Attempt;
  /** Makes an attempt that belongs to no part, so that nothing is postponed if the time does not suffice. */
  attemptIfTime: Attempt;
  /** Returns whether an attempt has shown another leaf than the usual one. */
  hasOtherLeaf: () => boolean;
  /** Runs `work` once few enough other connections are open. */
  withPermit: WithPermit;
}

type WithPermit = ReturnType<typeof createSemaphore>;

function createAttempts(options: PostureOptions, signal: AbortSignal, postponed: Set<PosturePart>): Attempts {
  const { seen, approach, parts, failureLimit } = options;
  let hasOtherLeaf = false;
  const { protocol } = approach.endpoint;
  const isSlow = seen.durationMs > SLOW_MS;
  const withPermit = createSemaphore(isSlow ? CONCURRENT.slow : CONCURRENT.usual);
  const perHandshakeMs = PER_HANDSHAKE_MS + (isSlow ? seen.durationMs : 0);
  const endsAt = performance.now() + limitMsOf(options);
  const expectedMs = protocol === 'https' ? 0 : seen.durationMs * (1 + SPARE_TIME);
  const hasTime = (): boolean => performance.now() + expectedMs < endsAt;
  // Make no attempts with servers that never forget a failed handshake, or that are too slow even for one attempt.
  const mayNever = factsOf(protocol).countsFailures === true || !hasTime();
  const handshakeWith: Attempt = async (context, alpn) => {
    const approached = { ...approach, ...alpn, address: seen.address, signal };
    const trial = await attemptHandshake(approached, context, perHandshakeMs);
    hasOtherLeaf ||=
      trial.state === 'accepted' && !hasSameLeaf(trial.evidence.presentedChain, seen.presentedChain);
    return trial;
  };
  /** Makes an attempt when its turn comes. Returns null if the failure limit or the time left does not allow it. */
  const attemptInTurn = (...attempted: Parameters<Attempt>): Promise<Trial | null> =>
    withPermit(() => {
      const handshake = (): Promise<Trial | null> =>
        hasTime() ? handshakeWith(...attempted) : Promise.resolve(null);
      return protocol === 'https' ? handshake() : failureLimit.run(seen.address, handshake, signal);
    });

  return {
    attempt:
      (part) =>
      async (...attempted) => {
        if (mayNever) return UNKNOWN;
        const trial = parts.includes(part) ? await attemptInTurn(...attempted) : null;
        if (trial === null) postponed.add(part);
        return trial ?? UNKNOWN;
      },
    attemptIfTime: async (...attempted) => (await attemptInTurn(...attempted)) ?? UNKNOWN,
    hasOtherLeaf: () => hasOtherLeaf,
    withPermit,
  };
}

/**
 * Maximum number of simultaneous ClientHellos once the server has refused one. A server may leave ten of the 33 ClientHellos unanswered,
 * and if we waited for them one after the other, we would exceed the time limit of the posture.
 */
const CONCURRENT_HELLOS = 16;

/**
 * Tests the ClientHellos of browsers. Returns null if it was postponed, or if the server speaks only outdated TLS, which browsers refuse. The
 * first two take permits of the posture, because some servers refuse more than a few connections of one client at a time.
 */
async function testBrowserHellos(
  { seen, approach, parts }: PostureOptions,
  inTurn: WithPermit,
  signal: AbortSignal,
  postponed: Set<PosturePart>,
): Promise<HelloObservation | null> {
  if (seen.legacyTls) return null;
  const { endpoint } = approach;
  const target = { serverName: effectiveTarget(endpoint).serverName, alpn: offeredAlpn(endpoint) };
  const slowMs = seen.durationMs > SLOW_MS ? seen.durationMs : 0;
  const sendWith = (withPermit: WithPermit, limitMs: number) => (hello: Buffer) =>
    withPermit(() => sendHello(hello, { ...approach, address: seen.address, signal }, limitMs + slowMs));
  const observation = parts.includes('client_hellos')
    ? await testHellos(target, {
        first: sendWith(inTurn, PER_HANDSHAKE_MS),
        further: sendWith(createSemaphore(CONCURRENT_HELLOS), PER_FURTHER_HELLO_MS),
      })
    : null;
  if (observation === null) postponed.add('client_hellos');
  return observation && { address: seen.address, ...observation };
}

type Tested = Pick<PostureObservation, 'alternates' | 'untestedKeyTypes' | 'tlsVersions' | 'postQuantum'>;

const UNTESTED: Tested = {
  alternates: [],
  untestedKeyTypes: [],
  tlsVersions: [],
  postQuantum: { state: 'unknown', group: null },
};

type Test = (seen: HandshakeObservation, attempt: Attempt, isLimited: boolean) => Promise<Partial<Tested>>;

const TESTS: Record<PosturePart, Test> = {
  certificates: requestAlternates,
  // `testBrowserHellos` tests this part, because its connections complete no handshake.
  client_hellos: () => Promise.resolve({}),
  key_exchange: async (seen, attempt) => ({ postQuantum: await testKeyExchange(seen, attempt) }),
  tls_versions: async (seen, attempt) => ({ tlsVersions: await testTlsVersions(seen, attempt) }),
};
