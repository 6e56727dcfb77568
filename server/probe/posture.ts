import type { SecureContext } from 'node:tls';
import { KEY_TYPES, type KeyType } from '../../contract/check-words.ts';
import { type HandshakeObservation, type PostureObservation, TLS_VERSIONS } from '../core/index.ts';
import { createSemaphore } from '../egress/index.ts';
import { type HandshakeEvidence, isPostQuantum, isRareGroup, leafKeyType } from './handshake.ts';
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
  /**
   * Time limit for the whole posture probe, in ms, for a server that answers at once. A test that did not finish in time is
   * reported as not tested.
   */
  budgetMs: number;
  /** Time in ms that the check has left. */
  leftMs: number;
  signal: AbortSignal;
  onFault: (error: unknown) => void;
}

const PER_HANDSHAKE_MS = 3_000;
/** Servers are slow if a handshake takes longer than this, for example because a mail server delays its greeting. */
const SLOW_MS = 1_000;
/** Maximum number of simultaneous handshakes. Those with a slow server mostly wait for its greeting. */
const CONCURRENT = { usual: 2, slow: 5 };

/**
 * Result of one extra handshake; `unknown` if it shows nothing about the tested feature, for example after a timeout.
 */
type Trial = { state: 'accepted'; evidence: HandshakeEvidence } | { state: 'refused' } | { state: 'unknown' };
type Attempt = (context: SecureContext, alpn?: Pick<ConnectOptions, 'alpn'>) => Promise<Trial>;

/**
 * Tests which TLS versions, key exchanges and leaf key types one address offers. Begins with the certificates, because only they
 * can cause alerts. Also looks up the CAA records and the registration of the host name.
 */
export async function probePosture(options: PostureOptions): Promise<PostureObservation> {
  const { seen, approach, domains, at, budgetMs, leftMs, signal, onFault } = options;
  const deadline = new AbortController();
  const abort = (): void => deadline.abort();
  const isSlow = seen.durationMs > SLOW_MS;
  // A slow server gets the time of one more handshake, so that at least those that run at the same time fit.
  const slowMs = isSlow ? seen.durationMs : 0;
  const limitMs = Math.min(budgetMs + slowMs, leftMs);
  const endsAt = performance.now() + limitMs;
  const timer = setTimeout(abort, limitMs);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();

  const withPermit = createSemaphore(isSlow ? CONCURRENT.slow : CONCURRENT.usual);
  const attempt: Attempt = (context, alpn) =>
    withPermit(async () => {
      // A connection that cannot finish in time would only leave a trace in the server's log.
      if (performance.now() + slowMs >= endsAt) return { state: 'unknown' };
      return attemptHandshake(
        { ...approach, ...alpn, address: seen.address, signal: deadline.signal },
        context,
        PER_HANDSHAKE_MS + slowMs,
      );
    });
  const { host, protocol } = approach.endpoint;
  const wait = { ms: budgetMs, signal, onFault };
  try {
    const [certificates, withoutAlpn, tlsVersions, postQuantum, caa, registration] = await Promise.all([
      alternateLeaves(seen, attempt),
      protocol === 'https' ? chainWithoutAlpn(seen, attempt) : null,
      offeredVersions(seen, attempt),
      keyExchange(seen, attempt),
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
      ...certificates,
      ...(withoutAlpn && { withoutAlpn }),
      caa,
      registration,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function offeredVersions(
  seen: HandshakeObservation,
  attempt: Attempt,
): Promise<PostureObservation['tlsVersions']> {
  return Promise.all(
    TLS_VERSIONS.map(async (version) => {
      const isKnown = version === seen.tlsVersion;
      const { state } = isKnown ? { state: 'accepted' } : await attempt(versionContext(version));
      return { version, offered: state === 'unknown' ? null : state === 'accepted' };
    }),
  );
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

type Certificates = Pick<PostureObservation, 'alternates' | 'untestedKeyTypes'>;

/**
 * Key types that one handshake asks for. One handshake rules out all rarer types. That takes two handshakes with a
 * server that has an RSA certificate, an ECDSA certificate or both, and one more for each certificate of a rarer type.
 */
const KEY_GROUPS: readonly (readonly KeyType[])[] = [
  ['ecdsa'],
  ['rsa'],
  KEY_TYPES.filter((keyType) => keyType !== 'ecdsa' && keyType !== 'rsa'),
];

/** Requests the leaf of each key type that the usual handshake did not return. */
async function alternateLeaves(seen: HandshakeObservation, attempt: Attempt): Promise<Certificates> {
  const usual = leafKeyType(seen.presentedChain);
  const found = await Promise.all(
    KEY_GROUPS.map((group) =>
      leavesOf(
        group.filter((keyType) => keyType !== usual),
        (keyTypes) => signatureContext({ keyTypes, withMlKem: isPostQuantum(seen.group) }),
        attempt,
      ),
    ),
  );
  return {
    alternates: found.flatMap(({ leaves }) => leaves.map((leaf) => ({ ...leaf, address: seen.address }))),
    untestedKeyTypes: found.flatMap(({ untested }) => untested),
  };
}

interface Leaves {
  leaves: Omit<PostureObservation['alternates'][number], 'address'>[];
  untested: KeyType[];
}

/** Requests a leaf of any of these key types, then again without the type received, until the server has no other. */
async function leavesOf(
  keyTypes: readonly KeyType[],
  contextFor: (keyTypes: readonly KeyType[]) => SecureContext | null,
  attempt: Attempt,
): Promise<Leaves> {
  const isKnown = (keyType: KeyType): boolean => contextFor([keyType]) !== null;
  const unknown = keyTypes.filter((keyType) => !isKnown(keyType));
  const found: Leaves['leaves'] = [];
  for (let left = keyTypes.filter(isKnown); left.length > 0;) {
    const context = contextFor(left);
    const trial: Trial = context === null ? { state: 'unknown' } : await attempt(context);
    if (trial.state === 'unknown') return { leaves: found, untested: [...left, ...unknown] };
    if (trial.state !== 'accepted') break;
    const { presentedChain, staple } = trial.evidence;
    const keyType = leafKeyType(presentedChain);
    // Before TLS 1.3 a server may choose a key exchange without a signature, or ignore the list, and send its usual leaf.
    if (keyType === null || !left.includes(keyType)) break;
    found.push({ keyType, presentedChain, staple });
    left = left.filter((one) => one !== keyType);
  }
  return { leaves: found, untested: unknown };
}

/**
 * Returns the chain for clients that send no ALPN if its leaf is another one: a proxy may choose the service by ALPN.
 * Confirms it with three more handshakes, because several servers with different certificates may answer in rotation.
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
  // Twice each, so that strict rotation is not mistaken for a choice by ALPN.
  const isSteady =
    hasLeafOf(await chain({ alpn: [] }), presentedChain) &&
    hasLeafOf(await chain(), seen.presentedChain) &&
    hasLeafOf(await chain(), seen.presentedChain);
  return isSteady ? { address: seen.address, presentedChain } : null;
}

const EMPTY = new Uint8Array();

async function attemptHandshake(
  approach: ConnectOptions,
  context: SecureContext,
  limitMs: number,
): Promise<Trial> {
  const { connectTimeoutMs, handshakeTimeoutMs } = approach;
  const secured = await connectTls(
    {
      ...approach,
      connectTimeoutMs: Math.min(connectTimeoutMs, limitMs),
      handshakeTimeoutMs: Math.min(handshakeTimeoutMs, limitMs),
      dialogue: { limits: { greetingMs: limitMs, dialogueMs: limitMs } },
    },
    context,
  );
  if (!secured.ok) return { state: isRejection(secured) ? 'refused' : 'unknown' };
  await secured.close();
  return { state: 'accepted', evidence: secured.evidence };
}

/** Returns whether the handshake failed for a reason that counts as a rejection: any but a timeout or too many bytes. */
function isRejection({ failure }: Extract<ConnectResult, { ok: false }>): boolean {
  return failure.stage === 'handshake' && failure.reason !== 'timeout' && failure.reason !== 'too_large';
}
