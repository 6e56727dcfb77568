import type { Certificate } from './certificate.ts';
import type { CheckContext, Purpose } from './certificate-checks.ts';
import { authorityFailures, leafFailures, validityFailure } from './certificate-checks.ts';
import { arePoliciesSatisfied } from './certificate-policies.ts';
import { equalBytes } from './der-values.ts';
import type { ComparisonBudget } from './name-constraints.ts';
import { isWithinConstraints, MAX_COMPARISONS } from './name-constraints.ts';
import type { CertificateRole, PathFailure } from './path-failure.ts';
import { failure, rankFailures } from './path-failure.ts';
import type { Profile } from './profile-rule.ts';
import type { Reference } from './service-identity.ts';
import { matchesReference } from './service-identity.ts';
import { isSignedBy } from './signature-memory.ts';
import type { TrustStore } from './trust-store.ts';

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
  /** Leaves the leaf's notBefore and notAfter to the caller, who may want "expired" beside "but from a trusted CA". */
  readonly ignoreLeafValidity?: boolean;
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
      /** The search was cut short, so that a path may exist. */
      readonly budgetExhausted: boolean;
    };

const MAX_INTERMEDIATES = 8;
/** Issuers tried in one search: real chains need under ten. */
const MAX_STEPS = 400;

/**
 * Judges a leaf by RFC 5280 §6.1 over every path that the given certificates allow, with backtracking (RFC 4158): a bad
 * cross-signature does not hide a good one. Identity is RFC 9525's.
 */
export function buildPath(request: PathRequest): PathResult {
  const { leaf, now, trustStore } = request;
  const context: CheckContext = {
    now,
    purpose: request.extendedKeyUsage ?? 'serverAuth',
    profile: request.profile ?? 'tls-client',
  };
  const own = leafFailures(leaf, context);
  const validity = request.ignoreLeafValidity === true ? null : validityFailure(leaf, now);
  if (validity !== null) own.push(failure(validity, leaf, 'leaf'));
  if (request.reference !== undefined && !matchesReference(leaf, request.reference)) {
    own.push(failure('name_mismatch', leaf, 'leaf'));
  }

  const search = new PathSearch(request, context);
  if (trustStore.has(leaf.fingerprint)) search.best = { path: [leaf], weakest: leaf };
  else search.extend([leaf]);
  const { best } = search;
  if (best !== null && own.length === 0) return { ok: true, ...best };
  const above = best === null ? search.failures() : [];
  return { ok: false, failures: rankFailures([...own, ...above]), budgetExhausted: search.exhausted };
}

interface FoundPath {
  readonly path: Certificate[];
  readonly weakest: Certificate;
}

interface Candidate {
  readonly certificate: Certificate;
  readonly role: 'intermediate' | 'anchor';
}

class PathSearch {
  best: FoundPath | null = null;
  exhausted = false;
  #request: PathRequest;
  #context: CheckContext;
  #bySubject: ReadonlyMap<string, Certificate[]>;
  #maxDepth: number;
  #steps = 0;
  #comparisons: ComparisonBudget = { remaining: MAX_COMPARISONS };
  #failures: PathFailure[] = [];
  #authorityFailures = new Map<Certificate, PathFailure[]>();

  constructor(request: PathRequest, context: CheckContext) {
    this.#request = request;
    this.#context = context;
    this.#maxDepth = Math.min(request.maxDepth ?? MAX_INTERMEDIATES, MAX_INTERMEDIATES);
    const distinct = new Map(request.intermediates.map((one) => [one.fingerprint, one]));
    const usable = [...distinct.values()].filter(({ fingerprint }) => !request.trustStore.has(fingerprint));
    this.#bySubject = Map.groupBy(usable, ({ subject }) => subject.comparisonKey);
  }

  /** Tries every issuer of the last certificate of `path` (leaf first), best guess first. */
  extend(path: readonly Certificate[]): void {
    const child = path[path.length - 1];
    if (child === undefined) return;
    const role: CertificateRole = path.length === 1 ? 'leaf' : 'intermediate';
    if (role === 'leaf' && child.selfIssued && isSignedBy(child, child)) {
      this.#failures.push(failure('self_signed', child, role));
    }
    const candidates = this.#candidates(child);
    let signed = false;
    for (const candidate of candidates) {
      // A better path can only be one whose weakest certificate lasts longer than the best so far.
      if (this.best !== null && earliest(path).notAfter <= this.best.weakest.notAfter) return;
      if (this.#steps >= MAX_STEPS || this.#comparisons.remaining < 0) {
        this.exhausted = true;
        return;
      }
      this.#steps++;
      if (!isSignedBy(child, candidate.certificate)) continue;
      signed = true;
      this.#follow(path, candidate);
    }
    if (!signed)
      this.#failures.push(failure(candidates.length === 0 ? 'no_issuer' : 'bad_signature', child, role));
  }

  /** Every reason why no path was found. */
  failures(): PathFailure[] {
    // A self-signed leaf has no issuer to be found missing: that is the same fact in other words.
    const selfSigned = this.#failures.some(({ code }) => code === 'self_signed');
    return this.#failures.filter(
      ({ code, role }) =>
        !(selfSigned && role === 'leaf' && (code === 'no_issuer' || code === 'bad_signature')),
    );
  }

  #candidates(child: Certificate): Candidate[] {
    const anchors = this.#request.trustStore.withSubject(child.issuer);
    const others = this.#bySubject.get(child.issuer.comparisonKey) ?? [];
    const wanted = child.authorityKeyIdentifier?.keyIdentifier ?? null;
    const rank = ({ certificate, role }: Candidate): number => {
      // Key identifiers only order the search: nothing signs them (RFC 5280 §4.2.1.1).
      const mismatch = wanted !== null && certificate.subjectKeyIdentifier !== wanted ? 4 : 0;
      const outdated = validityFailure(certificate, this.#context.now) === null ? 0 : 2;
      return mismatch + outdated + (role === 'anchor' ? 0 : 1);
    };
    return [
      ...anchors.map(({ certificate }): Candidate => ({ certificate, role: 'anchor' })),
      ...others.map((certificate): Candidate => ({ certificate, role: 'intermediate' })),
    ].toSorted(
      (left, right) => rank(left) - rank(right) || right.certificate.notAfter - left.certificate.notAfter,
    );
  }

  #follow(path: readonly Certificate[], { certificate, role }: Candidate): void {
    // The same CA twice cannot make a path valid that is invalid without the loop (RFC 4158 §2.4.2).
    if (path.some((one) => isSameAuthority(one, certificate))) return;
    if (role === 'intermediate' && certificate.selfIssued && isSignedBy(certificate, certificate)) {
      this.#failures.push(failure('untrusted_root', certificate, role));
      return;
    }
    const failures = [
      ...this.#ownFailures(certificate, role),
      ...this.#failuresAbove(path, certificate, role),
    ];
    if (failures.length > 0) {
      this.#failures.push(...failures);
      return;
    }
    const longer = [...path, certificate];
    if (role === 'anchor') this.#complete(longer);
    else this.extend(longer);
  }

  #ownFailures(certificate: Certificate, role: Candidate['role']): PathFailure[] {
    let failures = this.#authorityFailures.get(certificate);
    if (failures === undefined) {
      failures = authorityFailures(certificate, role, this.#context);
      this.#authorityFailures.set(certificate, failures);
    }
    return failures;
  }

  /** What this authority forbids to the certificates below it. */
  #failuresAbove(
    path: readonly Certificate[],
    authority: Certificate,
    role: Candidate['role'],
  ): PathFailure[] {
    const failures: PathFailure[] = [];
    const below = path.slice(1).filter(({ selfIssued }) => !selfIssued).length;
    const limit = authority.basicConstraints?.pathLength ?? null;
    const depth = below + (role === 'intermediate' && !authority.selfIssued ? 1 : 0);
    const length = path.length - 1 + (role === 'intermediate' ? 1 : 0);
    if ((limit !== null && below > limit) || depth > this.#maxDepth || length > MAX_INTERMEDIATES) {
      failures.push(failure('path_length', authority, role));
    }
    const constraints = authority.nameConstraints;
    if (constraints !== null) {
      // Self-issued certificates are how a CA changes keys: exempt unless they are the leaf (§6.1.3).
      const bound = path.filter((one, index) => index === 0 || !one.selfIssued);
      if (!bound.every((one) => isWithinConstraints(one, constraints, this.#comparisons))) {
        failures.push(failure('name_constraints', authority, role));
      }
    }
    return failures;
  }

  #complete(path: Certificate[]): void {
    const belowAnchor = path.slice(0, -1);
    if (!arePoliciesSatisfied(belowAnchor.toReversed())) {
      const [leaf] = path;
      if (leaf !== undefined) this.#failures.push(failure('policy', leaf, 'leaf'));
      return;
    }
    const weakest = earliest(belowAnchor);
    if (this.best === null || weakest.notAfter > this.best.weakest.notAfter) this.best = { path, weakest };
  }
}

function isSameAuthority(left: Certificate, right: Certificate): boolean {
  return (
    left.subject.comparisonKey === right.subject.comparisonKey && equalBytes(left.key.der, right.key.der)
  );
}

/** The certificate that expires first; the lower one of equals. */
function earliest(certificates: readonly Certificate[]): Certificate {
  return certificates.reduce((first, one) => (one.notAfter < first.notAfter ? one : first));
}
