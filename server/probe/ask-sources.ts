import type { AddressObservation, FetchedAuthority, Observation, RevocationEvidence } from '../core/index.ts';
import { type Certificate, parseReadable, type TrustStore } from '../pki/index.ts';
import { heldPath, isPublicPath, type SentChain, sentChains } from './held-paths.ts';
import type { Asker, FoundAuthorities, Sources } from './sources/sources.ts';
import { within } from '../egress/index.ts';

export interface AskOptions {
  /** The check that pays for the requests which its endpoint's certificates cause. */
  asker: Asker;
  addresses: readonly AddressObservation[];
  sources: Sources;
  trustStore: TrustStore;
  now: number;
  signal: AbortSignal;
  /** Asks both CRL and OCSP, instead of OCSP as a fallback only. */
  isThorough: boolean;
  /** Time limits in ms. Answers that arrive later are left for the next check. */
  waits: { authoritiesMs: number; statusMs: number };
  onFault: (error: unknown) => void;
}

export type Asked = Pick<Observation, 'authorities' | 'authoritiesPending' | 'revocation' | 'renewal'>;

/** Completes the chains received and asks their CAs about revocation and renewal. Never rejects; respects `waits`. */
export async function askSources(options: AskOptions): Promise<Asked> {
  const { asker, addresses, sources, trustStore, isThorough, now, signal, waits, onFault } = options;
  const wait = { signal, onFault };

  const chains = await Promise.all(
    sentChains(addresses, asker.work).map(async (sent) => {
      const { certificates } = sent;
      const path = heldPath(certificates, trustStore, now, asker.work);
      if (path !== null) return { sent, path, authorities: [], isPending: false };
      const { authorities, isPending } = await waited<FoundAuthorities>(
        (until) =>
          sources.authorities.complete({ chain: certificates, trustStore, asker, now, signal: until }),
        { ...wait, ms: waits.authoritiesMs, late: { authorities: [], isPending: true } },
      );
      return { sent, path: completedPath(sent, authorities, options), authorities, isPending };
    }),
  );

  const validByLeaf = new Map(
    chains.flatMap(({ sent, path, authorities }) =>
      path === null ? [] : [[sent.certificates[0].fingerprint, { sent, path, authorities }] as const],
    ),
  );
  const answers = await Promise.all(
    [...validByLeaf.values()].map(async ({ sent, path, authorities }) => {
      const { certificates, staple } = sent;
      const [leaf] = certificates;
      const isPublic = isPublicPath(path, trustStore);
      const limit = { ...wait, ms: waits.statusMs };
      const revocationOf = (checked: readonly Certificate[]) => {
        const isPublicRoot = isPublicPath(checked, trustStore);
        const request = { path: checked, isPublic: isPublicRoot, asker, staple, isThorough, now };
        return waited<RevocationEvidence[]>(
          (until) => sources.revocation.evidence({ ...request, signal: until }),
          { ...limit, late: [] },
        );
      };
      const [revocation, renewal] = await Promise.all([
        revocationOf(path),
        // A private CA can put any issuer name into a certificate, so ask ARI for public chains only.
        isPublic
          ? waited((until) => sources.renewal.renewal({ leaf, now, signal: until }), { ...limit, late: null })
          : null,
      ]);
      const alternate = pathWithoutRevoked(sent, authorities, revocation, options);
      const more = alternate === null ? [] : await revocationOf(alternate);
      return { revocation: [...revocation, ...more], renewal };
    }),
  );
  return {
    authorities: distinct(chains.flatMap(({ authorities }) => authorities)),
    ...(chains.some(({ isPending }) => isPending) && { authoritiesPending: true as const }),
    revocation: answers.flatMap(({ revocation }) => revocation),
    renewal: answers.flatMap(({ renewal }) => renewal ?? []),
  };
}

/** Builds a path that avoids revoked intermediates. Returns null if none is revoked or no other path is valid. */
function pathWithoutRevoked(
  { certificates: [leaf, ...others] }: SentChain,
  authorities: readonly FetchedAuthority[],
  evidence: readonly RevocationEvidence[],
  { trustStore, now, asker }: AskOptions,
): Certificate[] | null {
  const revoked = new Set(
    evidence.flatMap(({ answer, fingerprint }) => (answer.state === 'revoked' ? [fingerprint] : [])),
  );
  const all = [...others, ...authorities.flatMap(({ der }) => parseReadable(der) ?? [])];
  const rest = all.filter(({ fingerprint }) => !revoked.has(fingerprint));
  return rest.length === all.length ? null : heldPath([leaf, ...rest], trustStore, now, asker.work);
}

function completedPath(
  { certificates }: SentChain,
  authorities: readonly FetchedAuthority[],
  { trustStore, now, asker }: AskOptions,
): Certificate[] | null {
  if (authorities.length === 0) return null;
  const more = authorities.flatMap(({ der }) => parseReadable(der) ?? []);
  return heldPath([...certificates, ...more], trustStore, now, asker.work);
}

function distinct(authorities: readonly FetchedAuthority[]): FetchedAuthority[] {
  const byBytes = new Map(authorities.map((one) => [Buffer.from(one.der).toString('base64'), one]));
  return [...byBytes.values()];
}

/** After the abort a source has this long to return a partial answer. */
const GRACE_MS = 250;

interface Wait<T> {
  ms: number;
  /** Aborting ends the wait at once. */
  signal: AbortSignal;
  /** Returned if the source is too late or throws, so that neither spoils the observation. */
  late: T;
  onFault: (error: unknown) => void;
}

/** Runs a source with a time limit. Returns `late` on timeout or error. Never rejects. */
export async function waited<T>(
  work: (until: AbortSignal) => Promise<T>,
  { ms, signal, late, onFault }: Wait<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await within(work(controller.signal), { ms: ms + GRACE_MS, signal }, late);
  } catch (error) {
    onFault(error);
    return late;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
