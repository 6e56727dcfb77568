import type { Certificate } from './certificate.ts';
import {
  type CheckContext,
  isSignedBy,
  leafFailures,
  type Purpose,
  validityFailure,
} from './certificate-checks.ts';
import { failure, type PathFailure, rankFailures } from './path-failure.ts';
import { type FoundPath, MAX_INTERMEDIATES, searchPath, type SearchRequest } from './path-search.ts';
import type { Profile } from './profile/profile.ts';
import { matchesReference, type ReferenceIdentifier } from './names/reference-identifier.ts';
import type { TrustStore } from './trust-store.ts';
import { WorkBudget } from './work-budget.ts';
import { hash } from 'node:crypto';
import { LruCache } from './lru-cache.ts';

export interface PathRequest {
  readonly leaf: Certificate;
  /** Candidate intermediates in any order, whether sent, cached or fetched. */
  readonly intermediates: readonly Certificate[];
  readonly trustStore: TrustStore;
  /** Time of the check, ms UTC. */
  readonly now: number;
  /** Host that the leaf must be valid for. If absent, identity is not checked. */
  readonly reference?: ReferenceIdentifier;
  /** Maximum number of intermediates, not counting self-issued ones. Default and upper limit: 100. */
  readonly maxDepth?: number;
  /** Purpose that the certificates must allow. Default: `serverAuth`. */
  readonly extendedKeyUsage?: Purpose;
  /** Profile whose rules apply. Default: `tls-client`. */
  readonly profile?: Profile;
  /**
   * True to skip the leaf's validity period because the caller checks it. The validity of CA
   * certificates is always checked.
   */
  readonly ignoreLeafValidity?: boolean;
  /** Remaining work budget of the check. Default: a new budget. */
  readonly work?: WorkBudget;
}

export type PathResult =
  | {
      readonly ok: true;
      /** Valid path, leaf first and anchor last. If the leaf itself is an anchor, it contains only the leaf. */
      readonly path: Certificate[];
      /**
       * Certificate below the anchor that expires first. If several paths are valid, `path` is
       * the one that expires last.
       */
      readonly weakest: Certificate;
    }
  | {
      readonly ok: false;
      /** All failures found, most informative first. Always contains every failure of the leaf itself. */
      readonly failures: PathFailure[];
      /**
       * True if the budget ran out, so that a path may still exist. `failures` then contains only
       * failures of the leaf itself.
       */
      readonly budgetExhausted: boolean;
    };

/**
 * Validates a leaf (RFC 5280 §6.1, identity by RFC 9525). Tries all possible paths with backtracking (RFC 4158), so
 * that a bad cross-certificate does not hide a good path. Returns failures of paths only if no path is valid.
 */
export function buildPath(request: PathRequest): PathResult {
  const { leaf, intermediates, trustStore, work = new WorkBudget() } = request;
  const context: CheckContext = {
    now: request.now,
    purpose: request.extendedKeyUsage ?? 'serverAuth',
    profile: request.profile ?? 'tls-client',
  };
  const own = ownFailures(request, context);
  if (trustStore.has(leaf.fingerprint)) {
    if (own.length === 0) return { ok: true, path: [leaf], weakest: leaf };
    return { ok: false, failures: rankFailures(own), budgetExhausted: false };
  }

  const maxDepth = Math.min(request.maxDepth ?? MAX_INTERMEDIATES, MAX_INTERMEDIATES);
  for (const one of [leaf, ...intermediates]) work.spendReading(one);
  const found = work.isExhausted
    ? NO_RESULT
    : findPath({ leaf, intermediates, trustStore, maxDepth, context, work });
  if (found.best !== null) {
    if (own.length === 0) return { ok: true, ...found.best };
    return { ok: false, failures: rankFailures(own), budgetExhausted: false };
  }
  const isSelfSigned = leaf.selfIssued && isSignedBy(leaf, leaf, work);
  const above = isSelfSigned ? withSelfSigned(leaf, found.failures) : found.failures;
  return {
    ok: false,
    failures: rankFailures([...own, ...above]),
    budgetExhausted: work.isExhausted,
  };
}

const NO_RESULT = { best: null, failures: [] };

function ownFailures(request: PathRequest, context: CheckContext): PathFailure[] {
  const { leaf, now, reference } = request;
  const failures = leafFailures(leaf, context);
  const validity = request.ignoreLeafValidity === true ? null : validityFailure(leaf, now);
  if (validity !== null) failures.push(failure(validity, leaf, 'leaf'));
  if (reference !== undefined && !matchesReference(leaf, reference)) {
    failures.push(failure('name_mismatch', leaf, 'leaf'));
  }
  return failures;
}

/** Adds `self_signed` and removes the leaf's `no_issuer` and `bad_signature`, which would repeat the same fact. */
function withSelfSigned(leaf: Certificate, failures: readonly PathFailure[]): PathFailure[] {
  const others = failures.filter(
    ({ code, role }) => role !== 'leaf' || (code !== 'no_issuer' && code !== 'bad_signature'),
  );
  return [failure('self_signed', leaf, 'leaf'), ...others];
}

/** A cached search result. Refers to certificates by fingerprint. */
interface CachedResult {
  best: { path: readonly string[]; weakest: string } | null;
  failures: readonly PathFailure[];
  /**
   * Work units spent, or the whole budget if it was exhausted. A cache hit is charged the same as the search, so that
   * the verdict never depends on the state of the cache.
   */
  work: number;
  isExhausted: boolean;
  /** Start of the time range to which the result applies, in ms UTC. */
  from: number;
  /** Exclusive end of that time range, in ms UTC. */
  until: number;
}

/** Size limit of the cache. Each result counts as one plus its number of failures. */
const MAX_CACHE_SIZE = 8_192;
const cache = new LruCache<string, CachedResult>(MAX_CACHE_SIZE);

/**
 * Finds the valid path that expires last, or the best one so far if `work` runs out. Caches by chain, anchors, rules and time
 * range, because a check needs the path of a chain about 7 times, and later checks mostly get an unchanged chain.
 */
function findPath(request: SearchRequest): {
  best: FoundPath | null;
  failures: readonly PathFailure[];
} {
  const { work, context } = request;
  const key = keyOf(request);
  const cached = cache.get(key);
  if (cached !== null && cached.from <= context.now && context.now < cached.until) {
    if (cached.isExhausted ? work.left <= cached.work : work.left >= cached.work) {
      if (cached.isExhausted) work.exhaust();
      else work.spend(cached.work);
      return { best: restorePath(cached, request), failures: cached.failures };
    }
  }
  // Use a separate budget: `work` does not charge again for what this check has already paid, so the
  // measured cost would vary.
  const budget = new WorkBudget(work.left);
  const { best, failures, considered } = searchPath({ ...request, work: budget });
  const { isExhausted } = budget;
  if (isExhausted) work.exhaust();
  else work.spend(budget.spent);
  // Do not cache a path from an exhausted search: a larger budget might find a better path.
  if (!isExhausted || best === null) {
    const found = best && {
      path: best.path.map(({ fingerprint }) => fingerprint),
      weakest: best.weakest.fingerprint,
    };
    const entry = { best: found, failures, work: isExhausted ? budget.total : budget.spent, isExhausted };
    cache.set(key, { ...entry, ...validityRangeAround(context.now, considered) }, 1 + failures.length);
  }
  return { best, failures };
}

function keyOf({ leaf, intermediates, trustStore, maxDepth, context }: SearchRequest): string {
  const { purpose, profile } = context;
  const certificates = [leaf, ...intermediates].map(({ fingerprint }) => fingerprint);
  return hash('sha256', [trustStore.hash, maxDepth, purpose, profile, ...certificates].join(' '), 'base64');
}

/** Returns the time range around `now` (ms UTC) in which none of these certificates becomes valid or expires. */
function validityRangeAround(
  now: number,
  certificates: Iterable<Certificate>,
): { from: number; until: number } {
  let from = -Infinity;
  let until = Infinity;
  for (const { notBefore, notAfter } of certificates) {
    // notAfter is the last valid second (RFC 5280 §4.1.2.5), so the certificate expires 1,000 ms later.
    for (const change of [notBefore, notAfter + 1_000]) {
      if (change <= now) from = Math.max(from, change);
      else until = Math.min(until, change);
    }
  }
  return { from, until };
}

function restorePath(
  { best }: CachedResult,
  { leaf, intermediates, trustStore }: SearchRequest,
): FoundPath | null {
  if (best === null) return null;
  const given = new Map([leaf, ...intermediates].map((one) => [one.fingerprint, one]));
  const certificateOf = (fingerprint: string): Certificate => {
    const certificate = given.get(fingerprint) ?? trustStore.get(fingerprint);
    if (certificate === null)
      throw new Error('a cached path contains a certificate that is not among the given ones');
    return certificate;
  };
  return { path: best.path.map(certificateOf), weakest: certificateOf(best.weakest) };
}
