import type { Certificate } from './certificate.ts';
import { type CheckContext, leafFailures, type Purpose, validityFailure } from './certificate-checks.ts';
import { failure, type PathFailure, rankFailures } from './path-failure.ts';
import { findPath } from './path-memory.ts';
import { MAX_INTERMEDIATES } from './path-search.ts';
import type { Profile } from './profile/profile.ts';
import { matchesReference, type Reference } from './names/reference-identifier.ts';
import { isSignedBy } from './signature-memory.ts';
import type { TrustStore } from './trust-store.ts';
import { WorkBudget } from './work-budget.ts';

export interface PathRequest {
  readonly leaf: Certificate;
  /** Everything that may help, in any order: as sent, cached, fetched. */
  readonly intermediates: readonly Certificate[];
  readonly trustStore: TrustStore;
  /** ms UTC. */
  readonly now: number;
  /** Absent: identity is not judged. */
  readonly reference?: Reference;
  /** Most intermediates, self-issued ones not counted (as in pathLenConstraint). Default and ceiling: 8. */
  readonly maxDepth?: number;
  /** Default serverAuth. */
  readonly extendedKeyUsage?: Purpose;
  /** Default tls-client. */
  readonly profile?: Profile;
  /** Leaves the leaf's notBefore and notAfter to the caller; those of the authorities above it always count. */
  readonly ignoreLeafValidity?: boolean;
  /** What the whole look may still cost. Default: what one look may cost. */
  readonly work?: WorkBudget;
}

export type PathResult =
  | {
      readonly ok: true;
      /** Leaf first, anchor last. A leaf that is an anchor itself is the whole path. */
      readonly path: Certificate[];
      /**
       * The certificate that ends the path's validity: earliest notAfter below the anchor. Of several valid paths the
       * one is taken whose weakest certificate lasts longest.
       */
      readonly weakest: Certificate;
    }
  | {
      readonly ok: false;
      /** Every reason seen, most telling first. The leaf's own faults are all there, each independent of the others. */
      readonly failures: PathFailure[];
      /** The search was cut short, so that a path may exist all the same. Of the failures only the leaf's own are there. */
      readonly budgetExhausted: boolean;
    };

/**
 * Judges a leaf by RFC 5280 §6.1 over every path that the given certificates allow, with backtracking (RFC 4158): a bad
 * cross-signature does not hide a good one. Identity is RFC 9525's. An expired or misnamed leaf with a good path has
 * only its own failures; one without a path has both kinds.
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
    ? NOTHING
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

const NOTHING = { best: null, failures: [] };

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

/** That a self-signed leaf has no issuer among the others is the same fact in other words. */
function withSelfSigned(leaf: Certificate, failures: readonly PathFailure[]): PathFailure[] {
  const others = failures.filter(
    ({ code, role }) => role !== 'leaf' || (code !== 'no_issuer' && code !== 'bad_signature'),
  );
  return [failure('self_signed', leaf, 'leaf'), ...others];
}
