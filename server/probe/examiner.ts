import { certificateFacts, type CertificateFacts } from '../core/facts.ts';
import { judge } from '../core/judge/judge.ts';
import type { LogLists } from '../core/judge/transparency.ts';
import type { Observation } from '../core/observation.ts';
import type { CheckedEndpoint } from '../core/target.ts';
import type { Verdict } from '../core/verdict.ts';
import { pemCertificates } from '../pki/certificate-bundle.ts';
import { tryParseCertificate } from '../pki/certificate.ts';
import { LruCache } from '../pki/lru-cache.ts';
import { createTrustStore, extendTrustStore, type TrustStore } from '../pki/trust-store.ts';
import { WorkBudget } from '../pki/work-budget.ts';
import type { ObserveOptions, Probe } from './probe.ts';
import { createHash } from 'node:crypto';
import { getCACertificates } from 'node:tls';

export interface ExamineOptions extends Omit<ObserveOptions, 'trustStore' | 'work'> {
  /** DER of the account's own CAs, trusted in addition to the public roots and the operator's anchors. */
  authorities: readonly Uint8Array[];
  /** The distinct previous verdicts to judge the observation with; null for a first check. */
  previous: readonly (Verdict | null)[];
}

/** What one probe of an endpoint shows. */
export interface Examination {
  observation: Observation;
  /** A verdict for each of `ExamineOptions.previous`, in the same order. All have the same time. */
  verdicts: readonly Verdict[];
  /**
   * Facts of every distinct readable certificate, as far as the budget lasts. Unreadable ones
   * are findings of the verdicts.
   */
  certificates: { facts: CertificateFacts }[];
}

export interface JudgeRequest {
  observation: Observation;
  /** Time of the verdict, ms UTC. */
  now: number;
  /** DER of the account's own CAs, the same as for the examination. */
  authorities: readonly Uint8Array[];
  /** The previous verdict of this endpoint; null for the first one. */
  previous: Verdict | null;
}

/** The part of a check that needs much CPU time: probing the endpoint and judging the observation. */
export interface Examiner {
  /** Probes an endpoint once and judges what it saw. Never rejects for network failures, which are part of the observation. */
  examine(endpoint: CheckedEndpoint, options: ExamineOptions): Promise<Examination>;
  /** Judges an observation once more, for a previous verdict that was unknown when the examination started. */
  judge(request: JudgeRequest): Promise<Verdict>;
}

/** What the stages of an examination need. `trustStore` contains the public roots and the operator's anchors. */
export interface StageDependencies {
  probe: Probe;
  trustStore: TrustStore;
  /** Returns the current lists of Certificate Transparency logs. Default: none. */
  logLists?: () => LogLists;
}

/** Returns the stages of an examination. Each takes its own work budget; the default is `DEFAULT_WORK_PER_CHECK`. */
export function createStages({ probe, trustStore, logLists }: StageDependencies) {
  const trustStoreFor = createAccountTrust(trustStore);
  return {
    observe: (
      endpoint: CheckedEndpoint,
      { authorities, ...options }: Omit<ExamineOptions, 'previous'>,
      work = new WorkBudget(),
    ) => probe.observe(endpoint, { ...options, work, trustStore: trustStoreFor(authorities) }),
    judge: ({ observation, now, authorities, previous }: JudgeRequest, work = new WorkBudget()) =>
      judge(observation, now, trustStoreFor(authorities), previous, work, logLists?.()),
    certificatesSeen,
    trustStoreFor,
  };
}

function certificatesSeen(
  { addresses, authorities, posture }: Observation,
  work = new WorkBudget(),
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
  const cache = new LruCache<string, TrustStore>(MAX_CACHED_STORES);
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
    cache.set(key, trustStore);
    return trustStore;
  };
}

/**
 * Loads Mozilla's roots as bundled with Node plus the operator's anchors (PEM). Never uses the system store or
 * NODE_EXTRA_CA_CERTS: an observation must give the same verdict on every machine. @throws PkiError for unreadable PEM.
 */
export function loadTrustStore(extraCaPem: string | null): TrustStore {
  const bundled = getCACertificates('bundled').flatMap((pem) => pemCertificates(pem));
  const roots = createTrustStore(bundled, { arePublic: true });
  return extraCaPem === null ? roots : extendTrustStore(roots, pemCertificates(extraCaPem));
}
