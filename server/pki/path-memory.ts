import { hash } from 'node:crypto';
import { BoundedMap } from './bounded-map.ts';
import type { Certificate } from './certificate.ts';
import type { PathFailure } from './path-failure.ts';
import type { FoundPath, SearchRequest } from './path-search.ts';
import { searchPath } from './path-search.ts';
import { WorkBudget } from './work-budget.ts';

/** A cached search result. Refers to certificates by fingerprint. */
interface CachedResult {
  best: { path: readonly string[]; weakest: string } | null;
  failures: readonly PathFailure[];
  /**
   * Work units spent; the whole budget if it was exhausted. A cache hit costs the same as the search, so that the
   * verdict never depends on what is cached.
   */
  work: number;
  isExhausted: boolean;
  /** Time range in which the result is valid, in ms UTC; `until` is exclusive. */
  from: number;
  until: number;
}

/** Cache size: each result counts as one plus its number of failures. */
const MAX_CACHE_SIZE = 8_192;
const cache = new BoundedMap<string, CachedResult>(MAX_CACHE_SIZE);

/**
 * Finds the path whose weakest certificate lasts longest; the best so far if `work` runs out. Caches by chain, anchors
 * and time range, because a check needs the path of a chain about 7 times and every later check sees the same chain.
 */
export function findPath(request: SearchRequest): {
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
  // Use a separate budget: `work` skips what this check has already paid for, so the measured cost would vary.
  const budget = new WorkBudget(work.left);
  const { best, failures, considered } = searchPath({ ...request, work: budget });
  const { isExhausted } = budget;
  if (isExhausted) work.exhaust();
  else work.spend(budget.spent);
  // Do not cache a path from an exhausted search: a larger budget might find a better one.
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
    // notAfter is the last valid second (RFC 5280 §4.1.2.5).
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
    if (certificate === null) throw new Error('a remembered path has a certificate that nobody gave');
    return certificate;
  };
  return { path: best.path.map(certificateOf), weakest: certificateOf(best.weakest) };
}
