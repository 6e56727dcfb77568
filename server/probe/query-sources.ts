import { hash } from 'node:crypto';
import type {
  AddressObservation,
  FoundIntermediate,
  HandshakeObservation,
  Observation,
  PostureObservation,
  RevocationEvidence,
} from '../core/observation.ts';
import { type Certificate, tryParseCertificate } from '../pki/certificate.ts';
import type { TrustStore } from '../pki/trust-store.ts';
import type { WorkBudget } from '../pki/work-budget.ts';
import { isPublicPath, validPath } from './sources/intermediate-source.ts';
import type { FoundIntermediates, Requester, Sources } from './sources/sources.ts';
import { withTimeout } from '../egress/with-timeout.ts';

export interface QuerySourcesOptions {
  /** Check whose quotas the requests use, unless a public CA vouches for the certificate that causes them. */
  requester: Requester;
  addresses: readonly AddressObservation[];
  sources: Sources;
  trustStore: TrustStore;
  now: number;
  signal: AbortSignal;
  /** True to query both CRL and OCSP. If false, OCSP is queried only if no CRL gives an answer within 2 s. */
  isThorough: boolean;
  /** Time limits in ms. Answers that arrive later are cached for the next check. */
  waits: { intermediatesMs: number; statusMs: number };
  onFault: (error: unknown) => void;
}

export type SourceAnswers = Pick<
  Observation,
  'authorities' | 'authoritiesPending' | 'revocation' | 'renewal'
>;

/**
 * Completes the received chains, and asks their CAs about revocation and renewal if the chains are then valid. Waits for each
 * source as long as `waits` says. Never rejects because of a source.
 */
export async function querySources(options: QuerySourcesOptions): Promise<SourceAnswers> {
  const { requester, addresses, sources, trustStore, isThorough, now, signal, waits, onFault } = options;
  const wait = { signal, onFault };

  const chains = await Promise.all(
    receivedChains(addresses, requester.work).map(async (sent) => {
      const { certificates } = sent;
      const path = validPath(certificates, trustStore, now, requester.work);
      if (path !== null) return { sent, path, intermediates: [], isPending: false };
      const { intermediates, isPending } = await withSourceTimeout<FoundIntermediates>(
        (until) =>
          sources.intermediates.complete({ chain: certificates, trustStore, requester, now, signal: until }),
        { ...wait, ms: waits.intermediatesMs, late: { intermediates: [], isPending: true } },
      );
      return { sent, path: completedPath(sent, intermediates, options), intermediates, isPending };
    }),
  );

  const validByLeaf = new Map(
    chains.flatMap(({ sent, path, intermediates }) =>
      path === null ? [] : [[sent.certificates[0].fingerprint, { sent, path, intermediates }] as const],
    ),
  );
  const answers = await Promise.all(
    [...validByLeaf.values()].map(async ({ sent, path, intermediates }) => {
      const { certificates, staple } = sent;
      const [leaf] = certificates;
      const isPublic = isPublicPath(path, trustStore);
      const limit = { ...wait, ms: waits.statusMs };
      const revocationOf = (checked: readonly Certificate[]) => {
        const isPublicRoot = isPublicPath(checked, trustStore);
        const request = { path: checked, sent: certificates, isPublic: isPublicRoot, requester, staple };
        return withSourceTimeout<RevocationEvidence[]>(
          (until) => sources.revocation.evidence({ ...request, isThorough, now, signal: until }),
          { ...limit, late: [] },
        );
      };
      const [revocation, renewal] = await Promise.all([
        revocationOf(path),
        // A private CA can put any issuer name into a certificate, so query ARI for public chains only.
        isPublic
          ? withSourceTimeout((until) => sources.renewal.renewal({ leaf, now, signal: until }), {
              ...limit,
              late: null,
            })
          : null,
      ]);
      const alternate = pathWithoutRevoked(sent, intermediates, revocation, options);
      const more = alternate === null ? [] : await revocationOf(alternate);
      return { revocation: [...revocation, ...more], renewal };
    }),
  );
  return {
    authorities: distinct(chains.flatMap(({ intermediates }) => intermediates)),
    ...(chains.some(({ isPending }) => isPending) && { authoritiesPending: true as const }),
    revocation: answers.flatMap(({ revocation }) => revocation),
    renewal: answers.flatMap(({ renewal }) => renewal ?? []),
  };
}

/** The readable certificates of one chain, leaf first as sent, and the first OCSP staple received with it. */
interface ReceivedChain {
  certificates: [Certificate, ...Certificate[]];
  staple: Uint8Array | null;
}

/** Maximum number of distinct chains per check. The servers behind one name seldom send more than two. */
const MAX_CHAINS = 4;

/** Returns up to four distinct chains whose leaf is readable, by order of the addresses. Stops once `work` is exhausted. */
function receivedChains(addresses: readonly AddressObservation[], work: WorkBudget): ReceivedChain[] {
  const chains = new Map<string, ReceivedChain>();
  const rawKeys = new Set<string>();
  for (const seen of addresses) {
    if (seen.outcome !== 'handshake' || work.isExhausted) continue;
    const rawKey = seen.presentedChain.map((der) => hash('sha256', der, 'hex')).join(' ');
    if (rawKeys.size >= MAX_CHAINS && !rawKeys.has(rawKey)) continue;
    rawKeys.add(rawKey);
    const [leaf, ...others] = seen.presentedChain.map(tryParseCertificate);
    if (leaf === undefined || leaf === null) continue;
    const certificates: ReceivedChain['certificates'] = [leaf, ...others.filter((one) => one !== null)];
    for (const one of certificates) work.spendReading(one);
    const key = certificates.map(({ fingerprint }) => fingerprint).join(' ');
    const known = chains.get(key);
    if (known === undefined) chains.set(key, { certificates, staple: seen.staple });
    else known.staple ??= seen.staple;
  }
  return [...chains.values()];
}

/** Builds a path that avoids revoked intermediates. Returns null if none is revoked or no other path is valid. */
function pathWithoutRevoked(
  { certificates: [leaf, ...others] }: ReceivedChain,
  intermediates: readonly FoundIntermediate[],
  evidence: readonly RevocationEvidence[],
  { trustStore, now, requester }: QuerySourcesOptions,
): Certificate[] | null {
  const revoked = new Set(
    evidence.flatMap(({ answer, fingerprint }) => (answer.state === 'revoked' ? [fingerprint] : [])),
  );
  const all = [...others, ...intermediates.flatMap(({ der }) => tryParseCertificate(der) ?? [])];
  const rest = all.filter(({ fingerprint }) => !revoked.has(fingerprint));
  return rest.length === all.length ? null : validPath([leaf, ...rest], trustStore, now, requester.work);
}

function completedPath(
  { certificates }: ReceivedChain,
  intermediates: readonly FoundIntermediate[],
  { trustStore, now, requester }: QuerySourcesOptions,
): Certificate[] | null {
  if (intermediates.length === 0) return null;
  const more = intermediates.flatMap(({ der }) => tryParseCertificate(der) ?? []);
  return validPath([...certificates, ...more], trustStore, now, requester.work);
}

function distinct(intermediates: readonly FoundIntermediate[]): FoundIntermediate[] {
  const byBytes = new Map(intermediates.map((one) => [Buffer.from(one.der).toString('base64'), one]));
  return [...byBytes.values()];
}

/** Extra time in ms that a source gets after its time limit, to return a partial answer. */
const GRACE_MS = 250;

interface Wait<T> {
  ms: number;
  /** Aborting it ends the wait at once. */
  signal: AbortSignal;
  /** Result if the source is too late or throws, so that the rest of the observation is still usable. */
  late: T;
  onFault: (error: unknown) => void;
}

/** Runs a source with a time limit. Returns `late` on timeout, abort or error. Never rejects. */
export async function withSourceTimeout<T>(
  work: (until: AbortSignal) => Promise<T>,
  { ms, signal, late, onFault }: Wait<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await withTimeout(work(controller.signal), { ms: ms + GRACE_MS, signal }, late);
  } catch (error) {
    onFault(error);
    return late;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Returns the chains with leaves that only the posture probe received. They have the form of handshake observations, so
 * that the sources are queried about them too.
 */
export function alternateObservations(
  posture: PostureObservation | null,
  addresses: readonly AddressObservation[],
): HandshakeObservation[] {
  const handshakes = addresses.filter((one) => one.outcome === 'handshake');
  const [seen] = handshakes;
  if (posture === null || seen === undefined) return [];
  const usual = new Set(handshakes.map(({ presentedChain }) => leafOf(presentedChain)));
  return posture.alternates
    .filter(({ presentedChain }) => !usual.has(leafOf(presentedChain)))
    .map(({ presentedChain, staple }) => ({ ...seen, presentedChain, staple }));
}

function leafOf([leaf]: readonly Uint8Array[]): string | null {
  return leaf === undefined ? null : Buffer.from(leaf).toString('base64');
}

export function mergeAnswers(usual: SourceAnswers, more: SourceAnswers): SourceAnswers {
  const isPending = usual.authoritiesPending ?? more.authoritiesPending;
  return {
    authorities: [...usual.authorities, ...more.authorities],
    ...(isPending && { authoritiesPending: isPending }),
    revocation: [...usual.revocation, ...more.revocation],
    renewal: [...usual.renewal, ...more.renewal],
  };
}
