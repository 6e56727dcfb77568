import {
  buildPath,
  type Certificate,
  createTrustStore,
  type PathFailure,
  type PathResult,
  type TrustStore,
  type WorkBudget,
} from '../../pki/index.ts';
import { certificateName } from '../facts.ts';
import type { ChainFinding } from './chain-finding.ts';
import { describeFailures } from './failure-sentences.ts';
import { incompleteFinding, pendingFinding } from './incomplete-finding.ts';
import { longDate, longInstant } from '../long-date.ts';
import { CHROME_TRUSTS_UNTIL, distrustedSince, type RootConstraints } from './root-constraints.ts';

export interface PathJudgement {
  findings: ChainFinding[];
  /** Leaf first, anchor last; null when no path holds. */
  path: Certificate[] | null;
  /** The path ends in an anchor of a public root program. */
  isPublic: boolean;
  /** The certificate that ends the validity of the way up, the leaf itself where nothing better is known. */
  weakest: Certificate;
}

interface PathQuestion {
  leaf: Certificate;
  /** What the server sent after the leaf, in its order. */
  sent: readonly Certificate[];
  /** What was found elsewhere. */
  authorities: readonly Certificate[];
  /** Whether others may still be found. */
  isPending?: boolean;
  trustStore: TrustStore;
  /** What browsers do not trust although the store does. */
  constraints?: RootConstraints;
  now: number;
  /** What the look that the chain is from may still cost. */
  work: WorkBudget;
}

/**
 * Judges the way from a leaf to a trust anchor: over what was sent, and where that does not hold over what was found
 * elsewhere too. The leaf's own validity is not its business: an expired certificate of a trusted CA is expired, not
 * untrusted.
 */
export function judgePath(question: PathQuestion): PathJudgement {
  const { sent, authorities, now } = question;
  const alone = build(question, sent, now);
  if (alone.ok) return held(question, alone, []);
  const pool = [...sent, ...authorities];
  const completed = authorities.length === 0 ? alone : build(question, pool, now);
  if (!completed.ok) return { ...judgeFailure(question, pool, completed), path: null, isPublic: false };

  const [outdated] = expiredAuthorities(alone.failures, sent);
  const incomplete = incompleteFinding(question, completed.path, outdated ?? null);
  const judged = held(question, completed, [incomplete]);
  // Clients that fetch nothing already refuse what hangs on an expired certificate.
  return outdated !== undefined && outdated.notAfter < judged.weakest.notAfter
    ? { ...judged, weakest: outdated }
    : judged;
}

function build(
  { leaf, trustStore, work }: Pick<PathQuestion, 'leaf' | 'trustStore' | 'work'>,
  intermediates: readonly Certificate[],
  now: number,
): PathResult {
  return buildPath({ leaf, intermediates, trustStore, now, work, ignoreLeafValidity: true });
}

/** A path that holds, unless its root is one that browsers distrust for this leaf: then another root's, where there is one. */
function held(
  question: PathQuestion,
  result: Extract<PathResult, { ok: true }>,
  findings: ChainFinding[],
): PathJudgement {
  const { leaf, sent, authorities, trustStore, constraints = CHROME_TRUSTS_UNTIL, now } = question;
  const judged = (found: typeof result, more: ChainFinding[] = []): PathJudgement => ({
    findings: [...findings, ...more],
    path: found.path,
    isPublic: publicAnchor(found.path, trustStore) !== null,
    weakest: found.weakest,
  });
  const anchor = publicAnchor(result.path, trustStore);
  const since = anchor === null ? null : distrustedSince(anchor, leaf, constraints);
  if (anchor === null || since === null) return judged(result);
  const others = trustStore.anchors.filter(
    ({ certificate, isPublic }) => !isPublic || distrustedSince(certificate, leaf, constraints) === null,
  );
  const rest = createTrustStore(others.map(({ certificate }) => certificate.der));
  const other = build({ ...question, trustStore: rest }, [...sent, ...authorities], now);
  return other.ok ? judged(other) : judged(result, [distrustedRoot(anchor, leaf, since)]);
}

function publicAnchor(path: readonly Certificate[], trustStore: TrustStore): Certificate | null {
  const last = path.at(-1);
  const anchor =
    last &&
    trustStore
      .withSubject(last.subject)
      .find(({ certificate }) => certificate === last || certificate.fingerprint === last.fingerprint);
  return anchor?.isPublic === true ? anchor.certificate : null;
}

function distrustedRoot(anchor: Certificate, leaf: Certificate, since: number): ChainFinding {
  const name = certificateName(anchor);
  return {
    code: 'distrusted_root',
    severity: 'critical',
    message: `Chrome does not trust the root “${name}” for certificates issued after ${longDate(since, 'UTC')}, and this one is newer.`,
    fingerprint: leaf.fingerprint,
    evidence: [
      { label: 'Root', value: name },
      { label: 'Trusted for certificates until', value: longInstant(since) },
    ],
  };
}

/** The certificates above the leaf that the search had to leave aside for their age, the latest first. */
function expiredAuthorities(
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
  const { leaf, trustStore, isPending = false } = question;
  const candidates = [leaf, ...pool, ...trustStore.anchors.map(({ certificate }) => certificate)];
  const named = new Map(candidates.map((one) => [one.fingerprint, one]));
  if (budgetExhausted) {
    return { findings: [tooMuchWork(), ...describeFailures(ownFailures(failures), named)], weakest: leaf };
  }
  if (isPending) {
    const findings = [pendingFinding(leaf, failures), ...describeFailures(ownFailures(failures), named)];
    return { findings, weakest: leaf };
  }
  const expired = expiredAuthorities(failures, pool);
  const [latest] = expired;
  if (latest === undefined) {
    const findings = describeFailures(failures, named);
    return { findings: findings.length > 0 ? findings : [unexplained(leaf)], weakest: leaf };
  }
  // The search stops at an expired authority. Looking again at its last second tells whether all else would hold.
  const before = build(question, pool, latest.notAfter);
  const rest = before.ok ? ownFailures(failures) : before.failures;
  const findings = [
    ...(before.ok ? [latest] : expired).map(expiredAuthority),
    ...describeFailures(rest, named),
  ];
  return { findings, weakest: latest.notAfter < leaf.notAfter ? latest : leaf };
}

/** Faults of the leaf itself, as against those of the ways up, of which one good one would do. */
function ownFailures(failures: readonly PathFailure[]): PathFailure[] {
  return failures.filter(({ code, role }) => role === 'leaf' && !WAY_UP.has(code));
}

const WAY_UP = new Set<PathFailure['code']>([
  'no_issuer',
  'bad_signature',
  'self_signed',
  'untrusted_root',
  'policy',
]);

/** Builds the finding for certificates that exceed the limit of work: no path was found in time, so nothing is trusted. */
export function tooMuchWork(): ChainFinding {
  return {
    code: 'path_invalid',
    severity: 'critical',
    message: 'The certificate could not be verified: its chain exceeds the limit of work for one check.',
    // The same for every address, also for those that are not read any more.
    fingerprint: null,
    evidence: [],
  };
}

/** No path and no reason: no path is no trust. */
function unexplained({ fingerprint }: Certificate): ChainFinding {
  const message = 'The certificate is not trusted: no way to a known authority was found.';
  return { code: 'path_invalid', severity: 'critical', message, fingerprint, evidence: [] };
}

function expiredAuthority(certificate: Certificate): ChainFinding {
  return {
    code: 'intermediate_expired',
    severity: 'critical',
    message: `The intermediate certificate “${certificateName(certificate)}” expired on ${longDate(certificate.notAfter, 'UTC')}, and without it clients cannot verify this host.`,
    fingerprint: certificate.fingerprint,
    evidence: [
      { label: 'Intermediate', value: certificateName(certificate) },
      { label: 'Expired', value: longInstant(certificate.notAfter) },
    ],
  };
}
