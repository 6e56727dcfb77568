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
  /** All candidate intermediates in any order: sent, cached or fetched. */
  readonly intermediates: readonly Certificate[];
  readonly trustStore: TrustStore;
  /** ms UTC. */
  readonly now: number;
  /** Name to match. If absent, identity is not checked. */
  readonly reference?: Reference;
  /** Maximum number of intermediates, not counting self-issued ones. Default and upper limit: 8. */
  readonly maxDepth?: number;
  /** Default serverAuth. */
  readonly extendedKeyUsage?: Purpose;
  /** Default tls-client. */
  readonly profile?: Profile;
  /** Skips the leaf's validity period, which the caller checks. That of CA certificates is always checked. */
  readonly ignoreLeafValidity?: boolean;
  /** Remaining work budget of the check. Default: a new budget. */
  readonly work?: WorkBudget;
}

export type PathResult =
  | {
      readonly ok: true;
      /** Leaf first, anchor last. If the leaf itself is an anchor, only the leaf. */
      readonly path: Certificate[];
      /**
       * The certificate below the anchor that expires first. Of several valid paths, the one that lasts longest is
       * used.
       */
      readonly weakest: Certificate;
    }
  | {
      readonly ok: false;
      /** All failures found, most informative first. Always contains every failure of the leaf itself. */
      readonly failures: PathFailure[];
      /**
       * True if the budget ran out, so that a path may still exist. `failures` then contains only those of the leaf
       * itself.
       */
      readonly budgetExhausted: boolean;
    };

/**
 * Validates a leaf (RFC 5280 §6.1, identity by RFC 9525) over all possible paths with backtracking (RFC 4158), so that
 * a bad cross-signature does not hide a good one. Adds failures of the path only if no valid path exists.
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
