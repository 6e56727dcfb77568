import { validityFailure } from '../../pki/certificate-checks.ts';
import { type Certificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import type { PathFailure } from '../../pki/path-failure.ts';
import type { FoundPath } from '../../pki/path-search.ts';
import { buildPath, type PathResult } from '../../pki/path.ts';
import { filterTrustStore, type TrustStore } from '../../pki/trust-store.ts';
import type { WorkBudget } from '../../pki/work-budget.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding, Finding } from '../finding.ts';
import { SOON_MS } from '../findings/leaf.ts';
import { earlyAuthority, pathFaults } from '../findings/path.ts';
import { incompleteFinding, pendingFinding } from '../findings/sent-chain.ts';

/** Instant up to which a browser trusts what a root issued (ms UTC), by the SHA-256 of the root's subject public key. */
export type RootConstraints = ReadonlyMap<string, number>;

/**
 * Roots that Chrome trusts only for certificates whose earliest SCT is no later than an instant, by the SHA-256 of their subject
 * public key in Mozilla's root store. Source: "Sustaining Digital Certificate Security", security.googleblog.com, 30 May 2025.
 */
export const CHROME_TRUSTS_UNTIL: RootConstraints = new Map([
  // OU=ePKI Root Certification Authority, O=Chunghwa Telecom Co., Ltd., C=TW (not among the roots of every Node version)
  ['62554c17005543b237215f04268dcd2fd1c470240ad3c8660e25ae2c59630f55', Date.UTC(2025, 6, 31, 23, 59, 59)],
  // CN=HiPKI Root CA - G1, O=Chunghwa Telecom Co., Ltd., C=TW
  ['79caaf5347e6e4a94c8e78a98496fc74020f809ede13f220fab6104c8ded329f', Date.UTC(2025, 6, 31, 23, 59, 59)],
  // CN=NetLock Arany (Class Gold) Főtanúsítvány, O=NetLock Kft., C=HU
  ['f48badd7df6a06690d0ae31373b12855f8dedb14517f362a313101cc98cc6b35', Date.UTC(2025, 6, 31, 23, 59, 59)],
]);

export interface PathJudgement {
  findings: ChainFinding[];
  /** The valid path, leaf first, anchor last; null if there is none. */
  path: Certificate[] | null;
  /** Whether the path ends in an anchor of a public root program. */
  isPublic: boolean;
  /**
   * The certificate that limits the chain: the one below the anchor that expires first, or an expired intermediate that
   * makes clients refuse the chain. The leaf if no path is valid for other reasons.
   */
  weakest: Certificate;
}

interface PathQuestion {
  leaf: Certificate;
  /** Certificates that the server sent after the leaf, in that order. */
  sent: readonly Certificate[];
  /** Certificates that the server did not send but that may complete the chain. */
  fetchedIntermediates: readonly Certificate[];
  /** Whether the search for more certificates is still running. */
  isPending?: boolean;
  trustStore: TrustStore;
  /** Roots that a browser trusts only for certificates logged up to a given instant. Default: `CHROME_TRUSTS_UNTIL`. */
  constraints?: RootConstraints;
  now: number;
  /** Decides which clients connect, and so which refusals are reported. */
  protocol: Protocol;
  /** Remaining work budget of this check. */
  work: WorkBudget;
}

/**
 * Judges the path from a leaf to a trust anchor, if necessary with the fetched certificates. Ignores the validity of the leaf: an
 * expired certificate of a trusted CA is expired, not untrusted. Accepts a path that becomes valid within minutes, and reports it.
 */
export function judgePath(question: PathQuestion): PathJudgement {
  const { now, protocol } = question;
  const current = judgePathAt(question);
  const isSoon = current.findings.some(
    ({ facts }) =>
      facts.kind === 'path_fault' && facts.fault === 'not_yet_valid' && facts.notBefore <= now + SOON_MS,
  );
  if (!isSoon) return current;
  const later = judgePathAt({ ...question, now: now + SOON_MS });
  if (later.path === null) return current;
  const early = later.path.slice(1).filter((one) => validityFailure(one, now) === 'not_yet_valid');
  return {
    ...later,
    findings: [...later.findings, ...early.map((one) => earlyAuthority(one, protocol, now))],
  };
}

function judgePathAt(question: PathQuestion): PathJudgement {
  const { sent, fetchedIntermediates, now } = question;
  const alone = build(question, sent, now);
  if (alone.ok) return judgeValidPath(question, alone, []);
  const pool = [...sent, ...fetchedIntermediates];
  const completed = fetchedIntermediates.length === 0 ? alone : build(question, pool, now);
  if (!completed.ok) {
    const tolerable =
      question.isPending || completed.budgetExhausted ? null : (alone.tolerable ?? completed.tolerable);
    return tolerable === null
      ? { ...judgeFailure(question, pool, completed), path: null, isPublic: false }
      : judgeUnderFaultyAnchor(question, tolerable);
  }

  const [outdated] = expiredIntermediates(alone.failures, sent);
  const isPublic = publicAnchor(completed.path, question.trustStore) !== null;
  const incomplete = incompleteFinding(question, completed.path, outdated ?? null, isPublic);
  const judged = judgeValidPath(question, completed, [incomplete]);
  // Clients that fetch no certificates already refuse the chain because of the expired one.
  return outdated !== undefined && outdated.notAfter < judged.weakest.notAfter
    ? { ...judged, weakest: outdated }
    : judged;
}

/** Judges a path in which only the anchor has faults. Each client that checks for one of these faults refuses the path. */
function judgeUnderFaultyAnchor(question: PathQuestion, found: FoundPath): PathJudgement {
  const { sent, trustStore, protocol } = question;
  const isPublic = publicAnchor(found.path, trustStore) !== null;
  const isComplete = found.path.slice(1, -1).every((one) => sent.includes(one));
  const named = new Map(found.path.map((one) => [one.fingerprint, one]));
  return judgeValidPath(question, found, [
    ...(isComplete ? [] : [incompleteFinding(question, found.path, null, isPublic)]),
    ...pathFaults(found.anchorFailures, named, protocol, trustStore),
  ]);
}

function build(
  { leaf, trustStore, work }: Pick<PathQuestion, 'leaf' | 'trustStore' | 'work'>,
  intermediates: readonly Certificate[],
  now: number,
): PathResult {
  return buildPath({ leaf, intermediates, trustStore, now, work, ignoreLeafValidity: true });
}

/** Judges a valid path. If browsers distrust its root for this leaf, tries the other roots. */
function judgeValidPath(question: PathQuestion, result: FoundPath, findings: ChainFinding[]): PathJudgement {
  const { leaf, sent, fetchedIntermediates, trustStore, constraints = CHROME_TRUSTS_UNTIL, now } = question;
  const judged = (found: FoundPath, more: ChainFinding[] = []): PathJudgement => ({
    findings: [...findings, ...more],
    path: found.path,
    isPublic: publicAnchor(found.path, trustStore) !== null,
    weakest: found.weakest,
  });
  const anchor = publicAnchor(result.path, trustStore);
  const since = anchor === null ? null : distrustedSince(anchor, leaf, constraints);
  if (anchor === null || since === null) return judged(result);
  const rest = filterTrustStore(
    trustStore,
    ({ certificate, isPublic }) => !isPublic || distrustedSince(certificate, leaf, constraints) === null,
  );
  const other = build({ ...question, trustStore: rest }, [...sent, ...fetchedIntermediates], now);
  return other.ok ? judged(other) : judged(result, [distrustedRoot(anchor, leaf, since)]);
}

function publicAnchor(path: readonly Certificate[], trustStore: TrustStore): Certificate | null {
  const last = path.at(-1);
  return last !== undefined && trustStore.isPublic(last.fingerprint) ? last : null;
}

function distrustedRoot(anchor: Certificate, leaf: Certificate, since: number): ChainFinding {
  return {
    code: 'distrusted_root',
    severity: 'critical',
    fingerprint: leaf.fingerprint,
    facts: { kind: 'distrusted_root', root: certificateName(anchor), trustedUntil: since },
  };
}

/** Returns the certificates above the leaf that the search rejected as expired, the latest expiry first. */
function expiredIntermediates(
  failures: readonly PathFailure[],
  candidates: readonly Certificate[],
): Certificate[] {
  const named = new Map(candidates.map((one) => [one.fingerprint, one]));
  return failures
    .filter(({ code, role }) => code === 'expired' && role === 'intermediate')
    .flatMap(({ fingerprint }) => named.get(fingerprint) ?? [])
    .toSorted((left, right) => right.notAfter - left.notAfter);
}

function judgeFailure(
  question: PathQuestion,
  pool: readonly Certificate[],
  { failures, budgetExhausted }: Extract<PathResult, { ok: false }>,
): Pick<PathJudgement, 'findings' | 'weakest'> {
  const { leaf, trustStore, protocol, isPending = false } = question;
  const candidates = [leaf, ...pool, ...trustStore.anchors.map(({ certificate }) => certificate)];
  const named = new Map(candidates.map((one) => [one.fingerprint, one]));
  if (budgetExhausted) {
    return {
      findings: [tooMuchWorkFinding(), ...pathFaults(ownFailures(failures), named, protocol, trustStore)],
      weakest: leaf,
    };
  }
  if (isPending) {
    const findings = [
      pendingFinding(leaf, failures),
      ...pathFaults(ownFailures(failures), named, protocol, trustStore),
    ];
    return { findings, weakest: leaf };
  }
  const expired = expiredIntermediates(failures, pool);
  const [latest] = expired;
  if (latest === undefined) {
    const findings = pathFaults(failures, named, protocol, trustStore);
    return { findings: findings.length > 0 ? findings : [unexplained(leaf)], weakest: leaf };
  }
  // The search stops at an expired CA certificate. A search at the last second of its validity shows whether everything else
  // is valid.
  const before = build(question, pool, latest.notAfter);
  const rest = before.ok ? ownFailures(failures) : before.failures;
  const findings = [
    ...(before.ok ? [latest] : expired).map(expiredIntermediate),
    ...pathFaults(rest, named, protocol, trustStore),
  ];
  return { findings, weakest: latest.notAfter < leaf.notAfter ? latest : leaf };
}

/** Returns the failures of the leaf itself, without those of single paths, because one valid path is enough. */
function ownFailures(failures: readonly PathFailure[]): PathFailure[] {
  return failures.filter(({ code, role }) => role === 'leaf' && !PATH_BUILDING_FAILURES.has(code));
}

const PATH_BUILDING_FAILURES = new Set<PathFailure['code']>([
  'no_issuer',
  'bad_signature',
  'self_signed',
  'untrusted_root',
  'policy',
]);

/** Returns the finding for chains that exceed the work budget: no path was found within it, so nothing is trusted. */
export function tooMuchWorkFinding(): ChainFinding {
  return {
    code: 'path_invalid',
    severity: 'critical',
    // The fingerprint is null, so that the finding is the same for every address, even if its chain is not parsed.
    fingerprint: null,
    facts: { kind: 'too_much_work' },
  };
}

/** Returns the finding for a search that failed without a reason: no path means no trust. */
function unexplained({ fingerprint }: Certificate): ChainFinding {
  return { code: 'path_invalid', severity: 'critical', fingerprint, facts: { kind: 'no_path' } };
}

function expiredIntermediate(certificate: Certificate): ChainFinding {
  const { fingerprint, notAfter } = certificate;
  return {
    code: 'intermediate_expired',
    severity: 'critical',
    fingerprint,
    facts: { kind: 'expired_authority', name: certificateName(certificate), notAfter },
  };
}

/**
 * Returns until when a browser trusts new certificates of this root (ms UTC) if the leaf is newer, else null. Without
 * embedded SCTs, compares the notBefore of the leaf, because the time of its logging is unknown.
 */
export function distrustedSince(
  anchor: Certificate,
  leaf: Certificate,
  constraints: RootConstraints,
): number | null {
  const until = constraints.get(subjectPublicKeyHash(anchor));
  if (until === undefined) return null;
  return issuedAt(leaf) > until ? until : null;
}

/** Returns the time of the earliest SCT (ms UTC), or the notBefore if there is no SCT. */
function issuedAt({ certificateTimestamps: { timestamps }, notBefore }: Certificate): number {
  return timestamps.length === 0 ? notBefore : Math.min(...timestamps.map(({ at }) => at));
}

/** Returns the time (ms UTC) from which all certificates that become valid within minutes are valid; null if there are none. */
export function validFrom(findings: readonly Pick<Finding, 'facts'>[]): number | null {
  const starts = findings.flatMap(({ facts }) => {
    const isEarly =
      facts.kind === 'not_yet_valid' || (facts.kind === 'path_fault' && facts.fault === 'not_yet_valid');
    return isEarly && facts.minutes !== undefined ? facts.notBefore : [];
  });
  return starts.length === 0 ? null : Math.max(...starts);
}
