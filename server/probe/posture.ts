import type { SecureContext } from 'node:tls';
import { type HandshakeObservation, type PostureObservation, TLS_VERSIONS } from '../core/index.ts';
import { parseReadable } from '../pki/index.ts';
import { type HandshakeEvidence, hangUp, isPostQuantum } from './handshake.ts';
import { type Approach, secure, type Secured } from './secure.ts';
import type { DomainSource } from './sources/sources.ts';
import { groupsContext, signatureContext, versionContext } from './tls-contexts.ts';
import { waited } from './waited.ts';

export interface PostureOptions {
  /** Of the address that is asked: the first one that shook hands. */
  seen: HandshakeObservation;
  approach: Omit<Approach, 'address' | 'signal'>;
  domains: DomainSource;
  at: number;
  /** For everything; what has no answer by then is left open. */
  budgetMs: number;
  signal: AbortSignal;
  onFault: (error: unknown) => void;
}

const PER_HANDSHAKE_MS = 3_000;

/** What an extra handshake came to; `unknown` where it says nothing about what was asked. */
type Trial = { state: 'accepted'; evidence: HandshakeEvidence } | { state: 'refused' | 'unknown' };
type Try = (context: SecureContext) => Promise<Trial>;

/**
 * Looks at what a server offers beyond the usual handshake, with a handful of handshakes at one address, at most two at
 * a time, and at what DNS and the registry say of its name.
 */
export async function lookAtPosture(options: PostureOptions): Promise<PostureObservation> {
  const { seen, approach, domains, at, budgetMs, signal, onFault } = options;
  const over = new AbortController();
  const end = (): void => over.abort();
  const timer = setTimeout(end, budgetMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();

  const attempt: Try = (context) =>
    tryOut({ ...approach, address: seen.address, signal: over.signal }, context);
  const { host } = approach.endpoint;
  const wait = { ms: budgetMs, signal, onFault };
  try {
    const [tlsVersions, [postQuantum, alternates], caa, registration] = await Promise.all([
      versions(seen, attempt),
      inTurn(
        () => keyExchange(seen, attempt),
        () => otherLeaves(seen, attempt),
      ),
      waited((until) => domains.caa({ host, signal: until }), { ...wait, late: { outcome: 'unavailable' } }),
      waited((until) => domains.registration({ host, now: at, signal: until }), {
        ...wait,
        late: { outcome: 'unavailable', domain: host },
      }),
    ]);
    return { at, tlsVersions, postQuantum, alternates, caa, registration };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

async function inTurn<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  return [await first(), await second()];
}

async function versions(
  seen: HandshakeObservation,
  attempt: Try,
): Promise<PostureObservation['tlsVersions']> {
  const found: PostureObservation['tlsVersions'] = [];
  for (const version of TLS_VERSIONS) {
    const isKnown = version === seen.tlsVersion;
    const { state } = isKnown ? { state: 'accepted' } : await attempt(versionContext(version));
    found.push({ version, offered: state === 'unknown' ? null : state === 'accepted' });
  }
  return found;
}

/** A hello with an ML-KEM key share no longer fits into one packet, which some servers and boxes on the way break on. */
async function keyExchange(
  seen: HandshakeObservation,
  attempt: Try,
): Promise<PostureObservation['postQuantum']> {
  const { group } = seen;
  if (isPostQuantum(group)) return { state: 'negotiated', group };
  const trial = await attempt(groupsContext('post-quantum'));
  if (trial.state === 'accepted') {
    const agreed = trial.evidence.group;
    return { state: isPostQuantum(agreed) ? 'negotiated' : 'not_offered', group: agreed };
  }
  // It may have fallen silent for everybody meanwhile.
  const classic = await attempt(groupsContext('classic'));
  if (classic.state !== 'accepted') return { state: 'unknown', group };
  return { state: 'intolerant', group: classic.evidence.group };
}

/** Only for kinds of key that the usual handshake did not show. */
async function otherLeaves(
  seen: HandshakeObservation,
  attempt: Try,
): Promise<PostureObservation['alternates']> {
  const found: PostureObservation['alternates'] = [];
  for (const keyType of ['rsa', 'ecdsa'] as const) {
    if (leafKey(seen.presentedChain) === keyType) continue;
    const trial = await attempt(signatureContext(keyType));
    // On TLS 1.2 a server may agree to a key exchange without any signature, with the leaf that it always shows.
    if (trial.state !== 'accepted' || leafKey(trial.evidence.presentedChain) !== keyType) continue;
    found.push({ keyType, address: seen.address, presentedChain: trial.evidence.presentedChain });
  }
  return found;
}

function leafKey([leaf]: readonly Uint8Array[]): 'rsa' | 'ecdsa' | null {
  const type = leaf === undefined ? undefined : parseReadable(leaf)?.key.type;
  return type === 'rsa' ? 'rsa' : type === 'ec' ? 'ecdsa' : null;
}

async function tryOut(approach: Approach, context: SecureContext): Promise<Trial> {
  const { connectTimeoutMs, handshakeTimeoutMs } = approach;
  const secured = await secure(
    {
      ...approach,
      connectTimeoutMs: Math.min(connectTimeoutMs, PER_HANDSHAKE_MS),
      handshakeTimeoutMs: Math.min(handshakeTimeoutMs, PER_HANDSHAKE_MS),
    },
    context,
  );
  if (!secured.ok) return { state: isAnswer(secured) ? 'refused' : 'unknown' };
  await hangUp(secured.tls, approach.signal);
  return { state: 'accepted', evidence: secured.evidence };
}

/** Servers refuse a hello with an alert, or by hanging up. */
function isAnswer({ failure }: Extract<Secured, { ok: false }>): boolean {
  return failure.stage === 'handshake' && failure.reason !== 'timeout' && failure.reason !== 'too_large';
}
