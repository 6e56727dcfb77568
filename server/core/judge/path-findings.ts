import { validityFailure } from '../../pki/certificate-checks.ts';
import type { Certificate } from '../../pki/certificate.ts';
import type { PathFailure } from '../../pki/path-failure.ts';
import type { FoundPath } from '../../pki/path-search.ts';
import { LruCache } from '../../pki/lru-cache.ts';
import { buildPath, type PathResult } from '../../pki/path.ts';
import { filterTrustStore, type TrustStore } from '../../pki/trust-store.ts';
import type { WorkBudget } from '../../pki/work-budget.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding, Finding } from '../finding.ts';
import { SOON_MS } from '../findings/leaf.ts';
import { earlyAuthority, pathFaults } from '../findings/path.ts';
import { incompleteFinding, pendingFinding } from '../findings/sent-chain.ts';
import { dayStart } from '../rules/dated-rule.ts';
import {
  refuses,
  ROOT_RULES,
  type RootRule,
  type RootRules,
  rulesAbout,
  trustedUntil,
} from '../rules/root-rules.ts';
import { connectsTo, severityOf } from './clients/client-rule.ts';

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

export interface PathQuestion {
  leaf: Certificate;
  /** Certificates that the server sent after the leaf, in that order. */
  sent: readonly Certificate[];
  /** Certificates that the server did not send but that may complete the chain. */
  fetchedIntermediates: readonly Certificate[];
  /** Whether the search for more certificates is still running. */
  isPending?: boolean;
  trustStore: TrustStore;
  /** Rules about roots that some clients distrust. Default: those of `DATED_RULES`. */
  rootRules?: RootRules;
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
  const { leaf, trustStore, protocol, rootRules = ROOT_RULES, now } = question;
  const judged = (found: FoundPath, more: ChainFinding[] = []): PathJudgement => ({
    findings: [...findings, ...more],
    path: found.path,
    isPublic: publicAnchor(found.path, trustStore) !== null,
    weakest: found.weakest,
  });
  const anchor = publicAnchor(result.path, trustStore);
  if (anchor === null) return judged(result);
  const broken = (root: Certificate): RootRule[] =>
    rulesAbout(root, rootRules).filter(
      (rule) => rule.clients.some(connectsTo(protocol)) && refuses(rule, leaf, now),
    );
  const rules = broken(anchor);
  if (rules.length === 0) return judged(result);
  const other = otherPath(question, (root) => broken(root).length > 0);
  return other.ok
    ? judged(other)
    : judged(
        result,
        rules.map((rule) => distrustedRoot(anchor, leaf, rule, protocol)),
      );
}

/** Smaller trust stores, by the hash of the whole store and the fingerprints of the excluded roots. */
const reducedStores = new LruCache<string, TrustStore>(32);

/** Searches for a path that is valid at an instant (default: now) and does not end in certain public roots (default: in any root). */
export function otherPath(
  question: PathQuestion,
  isExcluded: ((root: Certificate) => boolean) | null,
  at: number = question.now,
): PathResult {
  const { sent, fetchedIntermediates } = question;
  const pool = [...sent, ...fetchedIntermediates];
  if (isExcluded === null) return build(question, pool, at);
  const { anchors, hash } = question.trustStore;
  const excluded = new Set(
    anchors.filter(({ certificate, isPublic }) => isPublic && isExcluded(certificate)),
  );
  const key = [hash, ...Array.from(excluded, ({ certificate }) => certificate.fingerprint)].join(' ');
  const trustStore =
    reducedStores.get(key) ?? filterTrustStore(question.trustStore, (anchor) => !excluded.has(anchor));
  reducedStores.set(key, trustStore);
  return build({ ...question, trustStore }, pool, at);
}

function publicAnchor(path: readonly Certificate[], trustStore: TrustStore): Certificate | null {
  const last = path.at(-1);
  return last !== undefined && trustStore.isPublic(last.fingerprint) ? last : null;
}

function distrustedRoot(
  anchor: Certificate,
  { fingerprint }: Certificate,
  rule: RootRule,
  protocol: Protocol,
): ChainFinding {
  const clients = rule.clients.filter(connectsTo(protocol));
  const root = certificateName(anchor);
  const facts =
    rule.kind === 'no_certificates'
      ? { kind: 'removed_root' as const, root, from: dayStart(rule.from) }
      : { kind: 'distrusted_root' as const, root, trustedUntil: trustedUntil(rule) };
  return { code: 'distrusted_root', severity: severityOf(clients, protocol), fingerprint, facts, clients };
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

/** Returns the time (ms UTC) from which all certificates that become valid within minutes are valid; null if there are none. */
export function validFrom(findings: readonly Pick<Finding, 'facts'>[]): number | null {
  const starts = findings.flatMap(({ facts }) => {
    const isEarly =
      facts.kind === 'not_yet_valid' || (facts.kind === 'path_fault' && facts.fault === 'not_yet_valid');
    return isEarly && facts.minutes !== undefined ? facts.notBefore : [];
  });
  return starts.length === 0 ? null : Math.max(...starts);
}
