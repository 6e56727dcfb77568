import {
  certificateFacts,
  type CertificateFacts,
  judge,
  type Observation,
  type Verdict,
} from '../core/index.ts';
import {
  createTrustStore,
  extendTrustStore,
  parseReadable,
  splitPem,
  type TrustStore,
  WorkBudget,
} from '../pki/index.ts';
import type { Probe } from './probe.ts';
import type { Step } from './step.ts';
import { createHash } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import type { Protocol } from '../../contract/words.ts';

export interface LookOptions {
  /** Aborted, it ends what is still under way as a timeout. */
  signal: AbortSignal;
  /** DER of what is trusted here beside what everybody trusts. */
  authorities: readonly Uint8Array[];
  /** Looks at the posture too: some handshakes more, to be made about once a day. */
  withPosture: boolean;
  /** What it may cost to examine what was sent. Default: `LOOK_WORK`. */
  work?: WorkBudget;
  /** Hears where the time of the look went, at the latest when it ends. Default: nobody asks. */
  onStep?: (step: Step) => void;
}

export interface Question {
  observation: Observation;
  /** ms UTC. */
  now: number;
  /** DER, as for the look. */
  authorities: readonly Uint8Array[];
  /** What was concluded before; null for the first time. */
  previous: Verdict | null;
  /** What judging may cost; the verdict says where it is not enough. Default: `LOOK_WORK`. */
  work?: WorkBudget;
}

export interface Judgement {
  verdict: Verdict;
  /**
   * Of every distinct certificate seen that can be read, as far as one look's work pays for reading. An unreadable one is a
   * finding of the verdict.
   */
  certificates: { facts: CertificateFacts }[];
}

/** All that a check costs processor time for: the look itself, and what follows from it. */
export interface Examiner {
  /** Looks once at an endpoint. Whatever the network does is a value. */
  observe(
    endpoint: { host: string; port: number; protocol: Protocol },
    options: LookOptions,
  ): Promise<Observation>;
  judge(question: Question): Promise<Judgement>;
}

/** Looks and judges in the thread that asks. `trustStore`: what everybody trusts. */
export function createExaminer({ probe, trustStore }: { probe: Probe; trustStore: TrustStore }): Examiner {
  const trustOf = createAccountTrust(trustStore);
  return {
    observe: (endpoint, { authorities, ...options }) =>
      probe.observe(endpoint, { ...options, trustStore: trustOf(authorities) }),
    async judge({ observation, now, authorities, previous, work }) {
      const verdict = judge(observation, now, trustOf(authorities), previous, work);
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
  ];
  const seen = new Map<string, { facts: CertificateFacts }>();
  for (const der of ders) {
    if (work.isExhausted) break;
    const certificate = parseReadable(der);
    if (certificate === null) work.spendBytes(der.length);
    if (certificate === null || seen.has(certificate.fingerprint)) continue;
    work.spendReading(certificate);
    seen.set(certificate.fingerprint, { facts: certificateFacts(certificate) });
  }
  return [...seen.values()];
}

/** Distinct sets of CAs that are cached. Accounts of one company mostly share a set. */
const REMEMBERED = 200;

/** Returns a function that extends `base` by an account's own CAs (DER). Equal sets share one trust store. */
function createAccountTrust(base: TrustStore): (authorities: readonly Uint8Array[]) => TrustStore {
  const known = new Map<string, TrustStore>();
  return (authorities) => {
    if (authorities.length === 0) return base;
    const fingerprints = authorities.map((der) => createHash('sha256').update(der).digest('hex'));
    const key = fingerprints.toSorted().join(' ');
    const trustStore =
      known.get(key) ??
      // An older version may have stored certificates that this one cannot parse.
      extendTrustStore(
        base,
        authorities.filter((der) => parseReadable(der) !== null),
      );
    known.delete(key);
    known.set(key, trustStore);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return trustStore;
  };
}

/**
 * The roots that a verdict starts from: Mozilla's set as bundled with Node, plus the operator's own anchors in PEM.
 * Never the system's store or NODE_EXTRA_CA_CERTS: the same observation must give the same verdict on every machine.
 * @throws PkiError when the operator's PEM cannot be read.
 */
export function loadTrustStore(extraCaPem: string | null): TrustStore {
  const bundled = getCACertificates('bundled').flatMap((pem) => splitPem(pem));
  const roots = createTrustStore(bundled, { arePublic: true });
  return extraCaPem === null ? roots : extendTrustStore(roots, splitPem(extraCaPem));
}
