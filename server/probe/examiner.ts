import {
  certificateFacts,
  type CertificateFacts,
  type CheckedEndpoint,
  judge,
  type Observation,
  type PosturePart,
  type Verdict,
} from '../core/index.ts';
import {
  createTrustStore,
  extendTrustStore,
  tryParseCertificate,
  splitPem,
  type TrustStore,
  WorkBudget,
} from '../pki/index.ts';
import type { ObserveOptions, Probe, Step } from './probe.ts';
import { createHash } from 'node:crypto';
import { getCACertificates } from 'node:tls';

export interface ExamineOptions {
  /** Aborting it ends all running operations, which are then reported as timeouts. */
  signal: AbortSignal;
  /** DER of the account's own CAs, trusted in addition to the public roots and the operator's anchors. */
  authorities: readonly Uint8Array[];
  /** True to also probe the posture and query both CRL and OCSP. Meant to be set about once a day. */
  withPosture: boolean;
  /** As in `ObserveOptions`. */
  replies?: ObserveOptions['replies'];
  /** Parts of the posture to test, the most urgent one first. Default: all. */
  postureParts?: readonly PosturePart[];
  /** As in `ObserveOptions`. */
  isNew?: boolean;
  /** Work budget for examining the certificates received. Default: `DEFAULT_WORK_PER_CHECK`. */
  work?: WorkBudget;
  /**
   * The previous verdict, if `judge` will be called with it and nothing else. An examiner in another thread then judges at once,
   * which saves a message to that thread and back.
   */
  judgedWith?: Verdict | null;
  /** Called once if the dialogue before TLS is slow: the probe may then take almost two minutes instead of 20 s. */
  onSlow?: () => void;
  /** Called with the timing of each phase, at the latest when the probe ends. */
  onStep?: (step: Step) => void;
}

export interface JudgeRequest {
  observation: Observation;
  /** Time of the verdict, ms UTC. A verdict made at once (see `judgedWith`) has the time of that moment instead. */
  now: number;
  /** DER of the account's own CAs, the same as for `observe`. */
  authorities: readonly Uint8Array[];
  /** The previous verdict of this endpoint; null for the first one. */
  previous: Verdict | null;
  /** Work budget for judging. If it runs out, the verdict says so. Default: `DEFAULT_WORK_PER_CHECK`. */
  work?: WorkBudget;
}

export interface Judgement {
  verdict: Verdict;
  /**
   * Facts of every distinct readable certificate, as far as the budget lasts. Unreadable ones
   * are findings of the verdict.
   */
  certificates: { facts: CertificateFacts }[];
}

/** The part of a check that needs much CPU time: probing the endpoint and judging the observation. */
export interface Examiner {
  /** Probes an endpoint once. Never rejects for network failures, which are part of the observation. */
  observe(endpoint: CheckedEndpoint, options: ExamineOptions): Promise<Observation>;
  judge(request: JudgeRequest): Promise<Judgement>;
}

/** Creates an examiner that works in the calling thread. `trustStore` contains the public roots and the operator's anchors. */
export function createExaminer({ probe, trustStore }: { probe: Probe; trustStore: TrustStore }): Examiner {
  const trustStoreFor = createAccountTrust(trustStore);
  return {
    observe: (endpoint, { authorities, ...options }) =>
      probe.observe(endpoint, { ...options, trustStore: trustStoreFor(authorities) }),
    async judge({ observation, now, authorities, previous, work }) {
      const verdict = judge(observation, now, trustStoreFor(authorities), previous, work);
      return { verdict, certificates: certificatesSeen(observation, new WorkBudget(work?.total)) };
    },
  };
}

function certificatesSeen(
  { addresses, authorities, posture }: Observation,
  work: WorkBudget,
): { facts: CertificateFacts }[] {
  const ders = [
    ...addresses.flatMap((address) => (address.outcome === 'handshake' ? address.presentedChain : [])),
    ...authorities.map(({ der }) => der),
    ...(posture?.alternates ?? []).flatMap(({ presentedChain }) => presentedChain),
    ...(posture?.withoutAlpn?.presentedChain ?? []),
  ];
  const seen = new Map<string, { facts: CertificateFacts }>();
  for (const der of ders) {
    if (work.isExhausted) break;
    const certificate = tryParseCertificate(der);
    if (certificate === null) work.spendBytes(der.length);
    if (certificate === null || seen.has(certificate.fingerprint)) continue;
    work.spendReading(certificate);
    seen.set(certificate.fingerprint, { facts: certificateFacts(certificate) });
  }
  return [...seen.values()];
}

/** Maximum number of distinct CA sets in the cache. Accounts of one company usually share a set. */
const MAX_CACHED_STORES = 200;

/** Returns a function that extends `base` with an account's own CAs (DER). Equal sets share one trust store. */
function createAccountTrust(base: TrustStore): (authorities: readonly Uint8Array[]) => TrustStore {
  const cache = new Map<string, TrustStore>();
  return (authorities) => {
    if (authorities.length === 0) return base;
    const fingerprints = authorities.map((der) => createHash('sha256').update(der).digest('hex'));
    const key = fingerprints.toSorted().join(' ');
    const trustStore =
      cache.get(key) ??
      // An older version of the program may have stored certificates that this version cannot parse.
      extendTrustStore(
        base,
        authorities.filter((der) => tryParseCertificate(der) !== null),
      );
    cache.delete(key);
    cache.set(key, trustStore);
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED_STORES && oldest !== undefined) cache.delete(oldest);
    return trustStore;
  };
}

/**
 * Loads Mozilla's roots as bundled with Node plus the operator's anchors (PEM). Never uses the system store or
 * NODE_EXTRA_CA_CERTS: an observation must give the same verdict on every machine. @throws PkiError for unreadable PEM.
 */
export function loadTrustStore(extraCaPem: string | null): TrustStore {
  const bundled = getCACertificates('bundled').flatMap((pem) => splitPem(pem));
  const roots = createTrustStore(bundled, { arePublic: true });
  return extraCaPem === null ? roots : extendTrustStore(roots, splitPem(extraCaPem));
}
