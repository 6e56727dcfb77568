import type { Certificate } from './certificate.ts';
import {
  type CheckContext,
  isSignedBy,
  leafFailures,
  type Purpose,
  validityFailure,
} from './certificate-checks.ts';
import { failure, type PathFailure, rankFailures } from './path-failure.ts';
import {
  type FoundPath,
  MAX_INTERMEDIATES,
  searchPath,
  type SearchRequest,
  type SearchResult,
} from './path-search.ts';
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
  /** The valid path that expires last. If the leaf itself is an anchor, it contains only the leaf. */
  | ({ readonly ok: true } & FoundPath)
  | {
      readonly ok: false;
      /** All failures found, most informative first. Always contains every failure of the leaf itself. */
      readonly failures: PathFailure[];
      /**
       * True if the budget ran out, so that a path may still exist. `failures` then contains only
       * failures of the leaf itself.
       */
      readonly budgetExhausted: boolean;
      /** The best path in which only the anchor has failures; null if there is none. */
      readonly tolerable: FoundPath | null;
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
    if (own.length === 0) return { ok: true, path: [leaf], weakest: leaf, anchorFailures: [] };
    return { ok: false, failures: rankFailures(own), budgetExhausted: false, tolerable: null };
  }

  const maxDepth = Math.min(request.maxDepth ?? MAX_INTERMEDIATES, MAX_INTERMEDIATES);
  for (const one of [leaf, ...intermediates]) work.spendReading(one);
  const found = work.isExhausted
    ? NO_RESULT
    : findPath({ leaf, intermediates, trustStore, maxDepth, context, work });
  if (found.best !== null) {
    if (own.length === 0) return { ok: true, ...found.best };
    return { ok: false, failures: rankFailures(own), budgetExhausted: false, tolerable: null };
  }
  const isSelfSigned = leaf.selfIssued && isSignedBy(leaf, leaf, work);
  const above = isSelfSigned ? withSelfSigned(leaf, found.failures) : found.failures;
  return {
    ok: false,
    failures: rankFailures([...own, ...above]),
    budgetExhausted: work.isExhausted,
    tolerable: own.length === 0 ? found.tolerable : null,
  };
}

const NO_RESULT = { best: null, tolerable: null, failures: [] };

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

interface CachedPath {
  path: readonly string[];
  weakest: string;
  anchorFailures: readonly PathFailure[];
}

/** A cached search result. Refers to certificates by fingerprint. */
interface CachedResult {
  best: CachedPath | null;
  tolerable: CachedPath | null;
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
function findPath(
  request: SearchRequest,
): Pick<SearchResult, 'best' | 'tolerable'> & { failures: readonly PathFailure[] } {
  const { work, context } = request;
  const key = keyOf(request);
  const cached = cache.get(key);
  if (cached !== null && cached.from <= context.now && context.now < cached.until) {
    if (cached.isExhausted ? work.left <= cached.work : work.left >= cached.work) {
      if (cached.isExhausted) work.exhaust();
      else work.spend(cached.work);
      return {
        best: restorePath(cached.best, request),
        tolerable: restorePath(cached.tolerable, request),
        failures: cached.failures,
      };
    }
  }
  // Use a separate budget: `work` does not charge again for what this check has already paid, so the
  // measured cost would vary.
  const budget = new WorkBudget(work.left);
  const { best, tolerable, failures, considered } = searchPath({ ...request, work: budget });
  const { isExhausted } = budget;
  if (isExhausted) work.exhaust();
  else work.spend(budget.spent);
  // Do not cache a path from an exhausted search: a larger budget might find a better path.
  if (!isExhausted || best === null) {
    const entry = {
      best: cachedPath(best),
      tolerable: cachedPath(tolerable),
      failures,
      work: isExhausted ? budget.total : budget.spent,
      isExhausted,
    };
    cache.set(key, { ...entry, ...validityRangeAround(context.now, considered) }, 1 + failures.length);
  }
  return { best, tolerable, failures };
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

function cachedPath(found: FoundPath | null): CachedPath | null {
  return (
    found && {
      ...found,
      path: found.path.map(({ fingerprint }) => fingerprint),
      weakest: found.weakest.fingerprint,
    }
  );
}

function restorePath(
  cached: CachedPath | null,
  { leaf, intermediates, trustStore }: SearchRequest,
): FoundPath | null {
  if (cached === null) return null;
  const given = new Map([leaf, ...intermediates].map((one) => [one.fingerprint, one]));
  const certificateOf = (fingerprint: string): Certificate => {
    const certificate = given.get(fingerprint) ?? trustStore.get(fingerprint);
    if (certificate === null)
      throw new Error('a cached path contains a certificate that is not among the given ones');
    return certificate;
  };
  return { ...cached, path: cached.path.map(certificateOf), weakest: certificateOf(cached.weakest) };
}
