import type { HandshakeObservation, Observation } from '../core/observation.ts';
import { type CheckedEndpoint, effectiveTarget, identityKey } from '../core/target.ts';
import type { Verdict } from '../core/verdict.ts';
import { LruCache } from '../pki/lru-cache.ts';
import { isProblem } from '../../contract/check-words.ts';
import { DAY_MS, HOUR_MS, type Monotonic } from '../../contract/durations.ts';
import { needsGet } from './http-probe.ts';
import type { SurpriseReason } from './tls13/wire.ts';

/** An observation of an endpoint, and a verdict on it for each previous verdict. */
export interface JudgedObservation {
  observation: Observation;
  verdicts: readonly Verdict[];
}

interface TwoClients {
  /** Probes with our own TLS client. Resolves to null if anything is unusual. */
  withOwnClient: () => Promise<JudgedObservation | null>;
  /** Probes with OpenSSL. */
  withOpenssl: () => Promise<JudgedObservation>;
  /** Called with one sentence if OpenSSL saw another result than our own client several times in a row. */
  onDifference: (detail: string) => void;
  /** Whether to probe with OpenSSL too, although our own client confirmed the verdict. Default: once in 500 times. */
  isSampled?: () => boolean;
}

const SAMPLED = 1 / 500;
/** Number of probes by each client, all with that client's first result, before we report that the two differ. */
const PAIRS = 4;
/** Time in ms after which no further comparison starts, so that slow hosts cannot exhaust the time limit of the thread. */
const QUICK_MS = 5_000;

/**
 * Probes with our own TLS client if nobody has to act on the previous verdicts. Its observation is the result only if it confirms those verdicts.
 * Otherwise, and for a sample of the confirmed ones, probes with OpenSSL, whose observation is then the result.
 */
export async function tryOwnClientFirst(
  options: Earlier,
  { withOwnClient, withOpenssl, onDifference, isSampled = () => Math.random() < SAMPLED }: TwoClients,
): Promise<JudgedObservation> {
  if (!mayTryOwnClient(options)) return withOpenssl();
  const startedAt = performance.now();
  const ours = await withOwnClient();
  if (ours === null || !isConfirmed(ours, options)) return withOpenssl();
  if (!isSampled()) return ours;
  const theirs = await withOpenssl();
  const difference = differenceOf(ours.observation, theirs.observation);
  if (difference === null) return theirs;
  // The server may have changed between two probes, or several servers may share the address: each client must see the same every time.
  for (let pair = 2; pair <= PAIRS; pair++) {
    if (performance.now() - startedAt > QUICK_MS) return theirs;
    const [one, other] = [await withOwnClient(), await withOpenssl()];
    if (one === null || differenceOf(one.observation, other.observation) !== difference) return theirs;
    if (differenceOf(ours.observation, one.observation) !== null) return theirs;
    if (differenceOf(theirs.observation, other.observation) !== null) return theirs;
  }
  onDifference(difference);
  return theirs;
}

interface Earlier {
  previous: readonly (Verdict | null)[];
  withPosture: boolean;
  isNew?: boolean;
}

/**
 * Returns whether our own TLS client may probe first: all previous verdicts are good, so that there is something to confirm. The daily posture
 * check always uses OpenSSL, so that OpenSSL probes each host at least once a day.
 */
function mayTryOwnClient({ previous, withPosture, isNew }: Earlier): boolean {
  return !withPosture && isNew !== true && previous.length > 0 && previous.every(isFine);
}

/**
 * Returns whether the observation of our own TLS client may be the result: its verdict is good, and the leaf is the one of the previous verdicts.
 * OpenSSL must probe in all other cases.
 */
function isConfirmed({ observation, verdicts }: JudgedObservation, { previous }: Earlier): boolean {
  const isSame = (verdict: Verdict, index: number): boolean =>
    isFine(verdict) && verdict.leafFingerprint === previous[index]?.leafFingerprint;
  return verdicts.every(isSame) && isAnswered(observation);
}

/**
 * Returns whether nobody has to act on a verdict, and every address that we have a route to uses the TLS version and group of our own client.
 */
function isFine(verdict: Verdict | null): boolean {
  return (
    verdict !== null &&
    verdict.trusted &&
    verdict.reached &&
    verdict.failure === null &&
    verdict.revocation.state !== 'revoked' &&
    !verdict.findings.some(isProblem) &&
    verdict.addresses.length > 0 &&
    verdict.addresses.every(
      ({ failure, tlsVersion, group }) =>
        failure?.reason === 'no_route_here' ||
        (failure === null && tlsVersion === 'TLSv1.3' && group === 'X25519'),
    )
  );
}

/** Returns whether a web server answered the request in a way that needs no second request; true for other servers. */
export function isAnswered({ endpoint, http }: Observation): boolean {
  if (endpoint.protocol !== 'https') return true;
  const { expectedStatus } = effectiveTarget(endpoint);
  return http?.outcome === 'answered' && http.http2Faults === undefined && !needsGet(http, expectedStatus);
}

/** Reasons that may be temporary. One of them only counts if it occurs twice without a successful probe by our own client in between. */
const PASSING_SURPRISES: readonly SurpriseReason[] = ['closed', 'timeout'];
const MAX_UNUSUAL = 10_000;

/**
 * Remembers the endpoints that surprised our own client, so that their checks use OpenSSL only: for a day, or for an hour if the reason may be
 * temporary.
 */
export function rememberUnusual(monotonic: Monotonic) {
  const until = new LruCache<string, number>(MAX_UNUSUAL);
  return {
    has: (endpoint: CheckedEndpoint): boolean => (until.get(identityKey(endpoint)) ?? 0) > monotonic(),
    add(endpoint: CheckedEndpoint, reason: SurpriseReason): void {
      const key = identityKey(endpoint);
      const mayPass = PASSING_SURPRISES.includes(reason);
      const isFirst = until.get(key) === null;
      const forMs = mayPass ? HOUR_MS : DAY_MS;
      until.set(key, monotonic() + (mayPass && isFirst ? 0 : forMs));
    },
    /** Forgets the surprises of an endpoint. */
    remove(endpoint: CheckedEndpoint): void {
      until.delete(identityKey(endpoint));
    },
  };
}

/** Failures of the network or of a busy server. They do not show that the two TLS clients differ. */
const PASSING: readonly string[] = ['timeout', 'reset', 'closed'];

/**
 * Returns one sentence about a difference between what OpenSSL and our own client saw at an address; null if there is none. Different leaves are
 * no difference, because a server may show several in turn.
 */
function differenceOf(ours: Observation, theirs: Observation): string | null {
  for (const one of ours.addresses) {
    const other = theirs.addresses.find(({ address }) => address === one.address);
    if (one.outcome === 'failed' || other === undefined) continue;
    const what = other.outcome === 'failed' ? failureOf(other) : differingField(one, other);
    if (what !== null)
      return `Two TLS clients see ${nameOf(ours.endpoint)} at ${one.address} differently: ${what}.`;
  }
  return null;
}

function failureOf({ stage, reason }: { stage: string; reason: string }): string | null {
  return stage === 'handshake' && !PASSING.includes(reason) ? `OpenSSL fails with ${reason}` : null;
}

const FIELDS = ['tlsVersion', 'cipher', 'group', 'alpn'] as const;

function differingField(one: HandshakeObservation, other: HandshakeObservation): string | null {
  const [leaf, ...rest] = one.presentedChain.map((der) => Buffer.from(der));
  const [otherLeaf, ...otherRest] = other.presentedChain.map((der) => Buffer.from(der));
  if (leaf === undefined || otherLeaf === undefined || !leaf.equals(otherLeaf)) return null;
  if (!Buffer.concat(rest).equals(Buffer.concat(otherRest))) return 'other intermediates';
  if ((one.staple === null) !== (other.staple === null)) return 'only one gets an OCSP response';
  const field = FIELDS.find((name) => one[name] !== other[name]);
  return field === undefined ? null : `other ${field}`;
}

const nameOf = ({ host, port }: CheckedEndpoint): string => `${host}:${port}`;
