import { hash } from 'node:crypto';
import { BoundedMap } from './bounded-map.ts';
import type { Certificate } from './certificate.ts';
import type { PathFailure } from './path-failure.ts';
import type { FoundPath, SearchRequest } from './path-search.ts';
import { searchPath } from './path-search.ts';
import { WorkBudget } from './work-budget.ts';

/** The result of a search, with certificates by their fingerprints. */
interface Remembered {
  best: { path: readonly string[]; weakest: string } | null;
  failures: readonly PathFailure[];
  /**
   * What it took; or, where that was not enough, what it was given. Whoever gets a remembered result pays for it like the first:
   * a verdict never depends on what was looked at before.
   */
  work: number;
  isGivenUp: boolean;
  /** The time for which it holds: ms UTC, the end excluded. */
  from: number;
  until: number;
}

/** Results, each counted with its failures. */
const MOST_REMEMBERED = 8_192;
const results = new BoundedMap<string, Remembered>(MOST_REMEMBERED);

/**
 * Looks for the path from the leaf to an anchor whose weakest certificate lasts longest, and remembers the result for the chain,
 * the anchors and the time in which none of its certificates begins or ends: one look asks for the path of a chain about seven
 * times, and a host shows the same chain at every check. Once `work` is exhausted the best path so far counts.
 */
export function findPath(request: SearchRequest): {
  best: FoundPath | null;
  failures: readonly PathFailure[];
} {
  const { work, context } = request;
  const key = keyOf(request);
  const known = results.get(key);
  if (known !== null && known.from <= context.now && context.now < known.until) {
    if (known.isGivenUp ? work.left <= known.work : work.left >= known.work) {
      if (known.isGivenUp) work.exhaust();
      else work.spend(known.work);
      return { best: recalled(known, request), failures: known.failures };
    }
  }
  // A budget of its own: what it takes must not depend on what this look has paid for already.
  const own = new WorkBudget(work.left);
  const { best, failures, considered } = searchPath({ ...request, work: own });
  const isGivenUp = own.isExhausted;
  if (isGivenUp) work.exhaust();
  else work.spend(own.spent);
  // With a path in hand, more work might have found a better one.
  if (!isGivenUp || best === null) {
    const found = best && {
      path: best.path.map(({ fingerprint }) => fingerprint),
      weakest: best.weakest.fingerprint,
    };
    const entry = { best: found, failures, work: isGivenUp ? own.total : own.spent, isGivenUp };
    results.set(key, { ...entry, ...unchangedAround(context.now, considered) }, 1 + failures.length);
  }
  return { best, failures };
}

function keyOf({ leaf, intermediates, trustStore, maxDepth, context }: SearchRequest): string {
  const { purpose, profile } = context;
  const certificates = [leaf, ...intermediates].map(({ fingerprint }) => fingerprint);
  return hash('sha256', [trustStore.hash, maxDepth, purpose, profile, ...certificates].join(' '), 'base64');
}

/** The time around `now` in which none of these begins or ends to be valid. */
function unchangedAround(now: number, certificates: Iterable<Certificate>): { from: number; until: number } {
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

function recalled(
  { best }: Remembered,
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
