import type { SecureContext } from 'node:tls';
import { type HandshakeObservation, type PostureObservation, TLS_VERSIONS } from '../core/index.ts';
import { tryParseCertificate } from '../pki/index.ts';
import { type HandshakeEvidence, closeTls, isPostQuantum, isRareGroup } from './handshake.ts';
import { type ConnectOptions, connectTls, type ConnectResult } from './address-probe.ts';
import type { DomainSource } from './sources/sources.ts';
import {
  groupsContext,
  legacyContext,
  modernContext,
  signatureContext,
  versionContext,
} from './tls-contexts.ts';
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
type Attempt = (context: SecureContext, alpn?: Pick<ConnectOptions, 'alpn'>) => Promise<Trial>;

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

  const attempt: Attempt = (context, alpn) =>
    attemptHandshake({ ...approach, ...alpn, address: seen.address, signal: deadline.signal }, context);
  const { host, protocol } = approach.endpoint;
  const wait = { ms: budgetMs, signal, onFault };
  try {
    const [tlsVersions, [postQuantum, alternates, withoutAlpn], caa, registration] = await Promise.all([
      offeredVersions(seen, attempt),
      inSequence(
        () => keyExchange(seen, attempt),
        () => alternateLeaves(seen, attempt),
        async () => (protocol === 'https' ? await chainWithoutAlpn(seen, attempt) : null),
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
    return {
      at,
      tlsVersions,
      postQuantum,
      alternates,
      ...(withoutAlpn && { withoutAlpn }),
      caa,
      registration,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

async function inSequence<A, B, C>(
  first: () => Promise<A>,
  second: () => Promise<B>,
  third: () => Promise<C>,
): Promise<[A, B, C]> {
  return [await first(), await second(), await third()];
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

/**
 * Returns the chain for clients that send no ALPN if its leaf is another one: a proxy may choose the service by ALPN. Confirms it with three
 * more handshakes, because several servers with different certificates may answer in rotation.
 */
async function chainWithoutAlpn(
  seen: HandshakeObservation,
  attempt: Attempt,
): Promise<PostureObservation['withoutAlpn'] | null> {
  const needsLegacy = seen.legacyTls || isRareGroup(seen.group);
  const chain = async (alpn?: Pick<ConnectOptions, 'alpn'>): Promise<Uint8Array[] | null> => {
    const trial = await attempt(needsLegacy ? legacyContext : modernContext, alpn);
    return trial.state === 'accepted' ? trial.evidence.presentedChain : null;
  };
  const hasLeafOf = (one: Uint8Array[] | null, other: Uint8Array[]): boolean =>
    one !== null && Buffer.compare(one[0] ?? EMPTY, other[0] ?? EMPTY) === 0;
  const presentedChain = await chain({ alpn: [] });
  if (presentedChain === null || hasLeafOf(presentedChain, seen.presentedChain)) return null;
  // Each twice in a row, so that servers in strict rotation do not look alike.
  const isSteady =
    hasLeafOf(await chain({ alpn: [] }), presentedChain) &&
    hasLeafOf(await chain(), seen.presentedChain) &&
    hasLeafOf(await chain(), seen.presentedChain);
  return isSteady ? { address: seen.address, presentedChain } : null;
}

const EMPTY = new Uint8Array();

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
