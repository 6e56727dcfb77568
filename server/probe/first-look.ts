import type { HandshakeObservation, Observation } from '../core/observation.ts';
import { type CheckedEndpoint, effectiveTarget, identityKey } from '../core/target.ts';
import type { Verdict } from '../core/verdict.ts';
import { LruCache } from '../pki/lru-cache.ts';
import { DAY_MS, HOUR_MS, type Monotonic } from '../../contract/durations.ts';
import { needsGet } from './http-probe.ts';
import type { SurpriseReason } from './tls13/wire.ts';

/** An observation, and a verdict for each earlier one. */
export interface Seen {
  observation: Observation;
  verdicts: readonly Verdict[];
}

interface Looks {
  /** Looks with our own TLS client. Resolves to null if anything is unusual. */
  read: () => Promise<Seen | null>;
  /** Looks with OpenSSL. */
  observe: () => Promise<Seen>;
  /** Called with one sentence if OpenSSL saw something else than our own client, each time. */
  onDifference: (detail: string) => void;
  /** Whether to look at a fine host with OpenSSL, too. Default: once in 500 times. */
  isSampled?: () => boolean;
}

const SAMPLED = 1 / 500;
/** Number of times that both clients look before a difference is reported. */
const PAIRS = 4;
/** No further comparison after this time, ms, so that slow hosts cannot exhaust the time limit of the thread. */
const QUICK_MS = 5_000;

/**
 * Looks with our own TLS client if there is a fine verdict to confirm. What it sees counts only if it confirms that verdict. Otherwise, and
 * for a sample, looks with OpenSSL, and that counts.
 */
export async function lookFirst(
  options: Earlier,
  { read, observe, onDifference, isSampled = () => Math.random() < SAMPLED }: Looks,
): Promise<Seen> {
  if (!mayReadFirst(options)) return observe();
  const startedAt = performance.now();
  const ours = await read();
  if (ours === null || !isConfirmed(ours, options)) return observe();
  if (!isSampled()) return ours;
  const theirs = await observe();
  const difference = differenceOf(ours.observation, theirs.observation);
  if (difference === null) return theirs;
  // A server may have changed in between, and behind a load balancer there may be several: each client must see the same every time.
  for (let pair = 2; pair <= PAIRS; pair++) {
    if (performance.now() - startedAt > QUICK_MS) return theirs;
    const [one, other] = [await read(), await observe()];
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
 * Returns whether our own TLS client may look first: all earlier verdicts are fine, so that there is something to confirm. The daily posture
 * always uses OpenSSL, so that each host is also looked at with it at least once a day.
 */
function mayReadFirst({ previous, withPosture, isNew }: Earlier): boolean {
  return !withPosture && isNew !== true && previous.length > 0 && previous.every(isFine);
}

/**
 * Returns whether what our own TLS client saw may count: it is fine by every rule, and the leaf is the one of the earlier verdicts.
 * Everything else must be looked at with OpenSSL.
 */
function isConfirmed({ observation, verdicts }: Seen, { previous }: Earlier): boolean {
  const isSame = (verdict: Verdict, index: number): boolean =>
    isFine(verdict) && verdict.leafFingerprint === previous[index]?.leafFingerprint;
  return verdicts.every(isSame) && isAnswered(observation);
}

/** Returns whether nobody has to act on a verdict, and every address speaks the TLS that our own client knows. */
function isFine(verdict: Verdict | null): boolean {
  return (
    verdict !== null &&
    verdict.trusted &&
    verdict.reached &&
    verdict.failure === null &&
    verdict.revocation.state !== 'revoked' &&
    verdict.findings.every(({ severity }) => severity === 'note') &&
    verdict.addresses.length > 0 &&
    verdict.addresses.every(
      ({ failure, tlsVersion, group }) =>
        failure?.reason === 'no_route_here' ||
        (failure === null && tlsVersion === 'TLSv1.3' && group === 'X25519'),
    )
  );
}

/** Returns whether a web server answered the request in a way that needs no further one; true for other servers. */
export function isAnswered({ endpoint, http }: Observation): boolean {
  if (endpoint.protocol !== 'https') return true;
  const { expectedStatus } = effectiveTarget(endpoint);
  return http?.outcome === 'answered' && http.http2Faults === undefined && !needsGet(http, expectedStatus);
}

/** Reasons that may pass. They count only if the server gives one twice, without a look that succeeds in between. */
const PASSING_SURPRISES: readonly SurpriseReason[] = ['closed', 'timeout'];
const MAX_UNUSUAL = 10_000;

/** Remembers which endpoints need OpenSSL, so that their checks need only one connection: for a day, or for an hour if it may pass. */
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
    /** Forgets earlier surprises of an endpoint. */
    remove(endpoint: CheckedEndpoint): void {
      until.delete(identityKey(endpoint));
    },
  };
}

/** Failures of the network, or of a busy server, which say nothing about a difference between two TLS clients. */
const PASSING: readonly string[] = ['timeout', 'reset', 'closed'];

/**
 * Returns one sentence about how OpenSSL saw an address in another way than our own client, null if it did not. Servers that show several
 * leaves in turn do not count.
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
