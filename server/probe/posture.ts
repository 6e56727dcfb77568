import type { SecureContext } from 'node:tls';
import { type HandshakeObservation, type PostureObservation, TLS_VERSIONS } from '../core/index.ts';
import { tryParseCertificate } from '../pki/index.ts';
import { type HandshakeEvidence, closeTls, isPostQuantum } from './handshake.ts';
import { type ConnectOptions, connectTls, type ConnectResult } from './address-probe.ts';
import type { DomainSource } from './sources/sources.ts';
import { groupsContext, signatureContext, versionContext } from './tls-contexts.ts';
import { withSourceTimeout } from './query-sources.ts';

export interface PostureOptions {
  /** Handshake of the first address that completed one. All posture handshakes go to this address. */
  seen: HandshakeObservation;
  approach: Omit<ConnectOptions, 'address' | 'signal'>;
  domains: DomainSource;
  /** Time of the probe, ms UTC. */
  at: number;
  /** Time limit for the whole posture probe, in ms. The result of a test that did not finish by then is unknown or missing. */
  budgetMs: number;
  signal: AbortSignal;
  onFault: (error: unknown) => void;
}

const PER_HANDSHAKE_MS = 3_000;

/**
 * Result of one extra handshake; `unknown` if it shows nothing about the tested feature, for example after a timeout.
 */
type Trial = { state: 'accepted'; evidence: HandshakeEvidence } | { state: 'refused' | 'unknown' };
type Attempt = (context: SecureContext) => Promise<Trial>;

/**
 * Tests which TLS versions, key exchanges and leaf key types one address offers, with at most two handshakes at a time.
 * Also looks up the CAA records and the registration of the host name.
 */
export async function probePosture(options: PostureOptions): Promise<PostureObservation> {
  const { seen, approach, domains, at, budgetMs, signal, onFault } = options;
  const deadline = new AbortController();
  const abort = (): void => deadline.abort();
  const timer = setTimeout(abort, budgetMs);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();

  const attempt: Attempt = (context) =>
    attemptHandshake({ ...approach, address: seen.address, signal: deadline.signal }, context);
  const { host } = approach.endpoint;
  const wait = { ms: budgetMs, signal, onFault };
  try {
    const [tlsVersions, [postQuantum, alternates], caa, registration] = await Promise.all([
      offeredVersions(seen, attempt),
      inSequence(
        () => keyExchange(seen, attempt),
        () => alternateLeaves(seen, attempt),
      ),
      withSourceTimeout((until) => domains.caa({ host, signal: until }), {
        ...wait,
        late: { outcome: 'unavailable' },
      }),
      withSourceTimeout((until) => domains.registration({ host, now: at, signal: until }), {
        ...wait,
        late: { outcome: 'unavailable', domain: host },
      }),
    ]);
    return { at, tlsVersions, postQuantum, alternates, caa, registration };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

async function inSequence<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  return [await first(), await second()];
}

async function offeredVersions(
  seen: HandshakeObservation,
  attempt: Attempt,
): Promise<PostureObservation['tlsVersions']> {
  const found: PostureObservation['tlsVersions'] = [];
  for (const version of TLS_VERSIONS) {
    const isKnown = version === seen.tlsVersion;
    const { state } = isKnown ? { state: 'accepted' } : await attempt(versionContext(version));
    found.push({ version, offered: state === 'unknown' ? null : state === 'accepted' });
  }
  return found;
}

/**
 * Tests whether the server negotiates ML-KEM and whether it is intolerant of such a ClientHello, which no longer fits into
 * one packet and breaks some servers and middleboxes.
 */
async function keyExchange(
  seen: HandshakeObservation,
  attempt: Attempt,
): Promise<PostureObservation['postQuantum']> {
  const { group } = seen;
  if (isPostQuantum(group)) return { state: 'negotiated', group };
  const trial = await attempt(groupsContext('post-quantum'));
  if (trial.state === 'accepted') {
    const agreed = trial.evidence.group;
    return { state: isPostQuantum(agreed) ? 'negotiated' : 'not_offered', group: agreed };
  }
  // Confirm with a classic handshake: the server may have stopped answering altogether.
  const classic = await attempt(groupsContext('classic'));
  if (classic.state !== 'accepted') return { state: 'unknown', group };
  return { state: 'intolerant', group: classic.evidence.group };
}

/** Requests the leaf of each key type (RSA, ECDSA) that the usual handshake did not return. */
async function alternateLeaves(
  seen: HandshakeObservation,
  attempt: Attempt,
): Promise<PostureObservation['alternates']> {
  const found: PostureObservation['alternates'] = [];
  for (const keyType of ['rsa', 'ecdsa'] as const) {
    if (leafKey(seen.presentedChain) === keyType) continue;
    const trial = await attempt(signatureContext(keyType));
    // In TLS 1.2 a server may choose a key exchange without a signature and send its usual leaf.
    if (trial.state !== 'accepted' || leafKey(trial.evidence.presentedChain) !== keyType) continue;
    found.push({ keyType, address: seen.address, presentedChain: trial.evidence.presentedChain });
  }
  return found;
}

function leafKey([leaf]: readonly Uint8Array[]): 'rsa' | 'ecdsa' | null {
  const type = leaf === undefined ? undefined : tryParseCertificate(leaf)?.key.type;
  return type === 'rsa' ? 'rsa' : type === 'ec' ? 'ecdsa' : null;
}

async function attemptHandshake(approach: ConnectOptions, context: SecureContext): Promise<Trial> {
  const { connectTimeoutMs, handshakeTimeoutMs } = approach;
  const secured = await connectTls(
    {
      ...approach,
      connectTimeoutMs: Math.min(connectTimeoutMs, PER_HANDSHAKE_MS),
      handshakeTimeoutMs: Math.min(handshakeTimeoutMs, PER_HANDSHAKE_MS),
    },
    context,
  );
  if (!secured.ok) return { state: isRejection(secured) ? 'refused' : 'unknown' };
  await closeTls(secured.tls, approach.signal);
  return { state: 'accepted', evidence: secured.evidence };
}

/** Returns whether the handshake failed for a reason that counts as a rejection: any but a timeout or too many bytes. */
function isRejection({ failure }: Extract<ConnectResult, { ok: false }>): boolean {
  return failure.stage === 'handshake' && failure.reason !== 'timeout' && failure.reason !== 'too_large';
}
