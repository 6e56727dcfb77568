import type { Certificate } from './certificate.ts';
import {
  authorityFailures,
  type CheckContext,
  checkIssuer,
  isSignedBy,
  keyFailure,
  validityFailure,
} from './certificate-checks.ts';
import { arePoliciesSatisfied } from './certificate-policies.ts';
import { equalBytes } from './der/der-values.ts';
import { satisfiesNameConstraints } from './names/name-constraints.ts';
import { type CertificateRole, failure, type PathFailure } from './path-failure.ts';
import { issuanceFailures } from './profile/profile.ts';
import type { SignatureCheck } from './signature.ts';
import type { TrustStore } from './trust-store.ts';
import { STEP_WORK, type WorkBudget } from './work-budget.ts';

/** The most intermediates that any client accepts: the default depth of OpenSSL (X509_verify_cert). */
export const MAX_INTERMEDIATES = 100;
/** Work units for sorting one candidate. */
const CANDIDATE_WORK = 4;
/** Work units for one policy or policy mapping of a complete path. */
const POLICY_WORK = 3;

export interface FoundPath {
  /** Certificates of the path, leaf first and anchor last. */
  readonly path: Certificate[];
  /** Certificate below the anchor that expires first. */
  readonly weakest: Certificate;
  /** Failures of the anchor itself. RFC 5280 §6.1.1 uses only its name and its key, but each client checks more of it. */
  readonly anchorFailures: readonly PathFailure[];
}

export interface SearchResult {
  /** The best path whose anchor has no failures. */
  readonly best: FoundPath | null;
  /** If `best` is null: the best path in which only the anchor has failures. */
  readonly tolerable: FoundPath | null;
  /** Reasons why the other paths failed. */
  readonly failures: PathFailure[];
  /** Certificates that the result depends on. The result stays correct until one of them becomes valid or expires. */
  readonly considered: ReadonlySet<Certificate>;
}

export interface SearchRequest {
  readonly leaf: Certificate;
  readonly intermediates: readonly Certificate[];
  readonly trustStore: TrustStore;
  readonly maxDepth: number;
  readonly context: CheckContext;
  readonly work: WorkBudget;
}

/** Searches for the best path. If `work` runs out, returns the best path so far and no failures. */
export function searchPath(request: SearchRequest): SearchResult {
  const search = new PathSearch(request);
  search.extend([request.leaf]);
  return {
    best: search.best,
    tolerable: search.best === null ? search.tolerable : null,
    failures: request.work.isExhausted ? [] : search.failures,
    considered: search.considered,
  };
}

interface Candidate {
  readonly certificate: Certificate;
  readonly role: 'intermediate' | 'anchor';
}

class PathSearch {
  best: FoundPath | null = null;
  tolerable: FoundPath | null = null;
  readonly failures: PathFailure[] = [];
  readonly considered: Set<Certificate>;
  #request: SearchRequest;
  #bySubject: ReadonlyMap<string, Certificate[]>;
  #checked = new Map<Certificate, PathFailure[]>();

  constructor(request: SearchRequest) {
    this.#request = request;
    const distinct = new Map(request.intermediates.map((one) => [one.fingerprint, one]));
    const usable = [...distinct.values()].filter(({ fingerprint }) => !request.trustStore.has(fingerprint));
    this.#bySubject = Map.groupBy(usable, ({ subject }) => subject.comparisonKey);
    this.considered = new Set([request.leaf, ...usable]);
  }

  /** Tries every candidate issuer of the last certificate in `path`, the most likely one first. */
  extend(path: readonly [Certificate, ...Certificate[]]): void {
    const child = path[path.length - 1] ?? path[0];
    const role: CertificateRole = path.length === 1 ? 'leaf' : 'intermediate';
    const candidates = this.#candidates(child);
    const checks = new Set<SignatureCheck | 'unusable_key'>();
    for (const candidate of candidates) {
      // Stop if no extension of this path can last longer than the best path so far.
      if (this.best !== null && earliest(path).notAfter <= this.best.weakest.notAfter) return;
      if (!this.#work.spend(STEP_WORK)) return;
      // Skip loops: a path with the same CA twice is valid only if the path without the loop is
      // valid too (RFC 4158 §2.4.2).
      if (path.some((one) => isSameAuthority(one, candidate.certificate))) continue;
      const signature = checkIssuer(child, candidate.certificate, this.#work);
      const ofKey = signature === 'unverifiable' ? keyFailure(candidate.certificate.key) : null;
      if (signature === 'valid') this.#follow(path, candidate);
      else if (ofKey !== null) this.failures.push(failure(ofKey, candidate.certificate, candidate.role));
      checks.add(ofKey === null ? signature : 'unusable_key');
    }
    if (this.#work.isExhausted || checks.has('valid') || checks.has('unusable_key')) return;
    // Candidates skipped as loops count as missing issuers.
    const code = checks.has('unverifiable')
      ? 'unknown_signature'
      : checks.has('invalid')
        ? 'bad_signature'
        : 'no_issuer';
    this.failures.push(failure(code, child, role));
  }

  get #work(): WorkBudget {
    return this.#request.work;
  }

  #candidates(child: Certificate): Candidate[] {
    const anchors = this.#request.trustStore.withSubject(child.issuer);
    const others = this.#bySubject.get(child.issuer.comparisonKey) ?? [];
    for (const { certificate } of anchors) this.considered.add(certificate);
    if (!this.#work.spend((anchors.length + others.length) * CANDIDATE_WORK)) return [];
    const wanted = child.authorityKeyIdentifier?.keyIdentifier ?? null;
    const rank = ({ certificate, role }: Candidate): number => {
      // Use key identifiers only to order the candidates: they are hints (RFC 5280 §4.2.1.1).
      const mismatch = wanted !== null && certificate.subjectKeyIdentifier !== wanted ? 4 : 0;
      const outdated = validityFailure(certificate, this.#request.context.now) === null ? 0 : 2;
      return mismatch + outdated + (role === 'anchor' ? 0 : 1);
    };
    return [
      ...anchors.map(({ certificate }): Candidate => ({ certificate, role: 'anchor' })),
      ...others.map((certificate): Candidate => ({ certificate, role: 'intermediate' })),
    ].toSorted(
      (left, right) => rank(left) - rank(right) || right.certificate.notAfter - left.certificate.notAfter,
    );
  }

  #follow(path: readonly [Certificate, ...Certificate[]], { certificate, role }: Candidate): void {
    if (
      role === 'intermediate' &&
      certificate.selfIssued &&
      isSignedBy(certificate, certificate, this.#work)
    ) {
      this.failures.push(failure('untrusted_root', certificate, role));
      return;
    }
    const { profile } = this.#request.context;
    const child = path[path.length - 1] ?? path[0];
    const ofAuthority = [
      ...this.#ownFailures(certificate, role),
      ...this.#constraintFailures(path, certificate, role),
    ];
    const ofPath = [
      ...this.#depthFailures(path, certificate, role),
      ...issuanceFailures(child, certificate, path.length === 1 ? 'leaf' : 'intermediate', profile),
    ];
    if (this.#work.isExhausted) return;
    this.failures.push(...ofAuthority, ...ofPath);
    if (ofPath.length > 0) return;
    if (role === 'anchor') this.#complete(path, certificate, ofAuthority);
    else if (ofAuthority.length === 0) this.extend([...path, certificate]);
  }

  #ownFailures(certificate: Certificate, role: Candidate['role']): PathFailure[] {
    let found = this.#checked.get(certificate);
    if (found === undefined) {
      found = authorityFailures(certificate, role, this.#request.context);
      this.#checked.set(certificate, found);
    }
    return found;
  }

  /** Returns a failure if the path becomes longer than the request or any client allows. */
  #depthFailures(
    path: readonly Certificate[],
    authority: Certificate,
    role: Candidate['role'],
  ): PathFailure[] {
    const countsItself = role === 'intermediate' && !authority.selfIssued;
    const isTooLong =
      countAuthorities(path) + (countsItself ? 1 : 0) > this.#request.maxDepth ||
      path.length > MAX_INTERMEDIATES + 1;
    return isTooLong ? [failure('path_length', authority, role)] : [];
  }

  /** Returns the failures of this CA's path length and name constraints for the certificates below it. */
  #constraintFailures(
    path: readonly Certificate[],
    authority: Certificate,
    role: Candidate['role'],
  ): PathFailure[] {
    const found: PathFailure[] = [];
    const limit = authority.basicConstraints?.pathLength ?? null;
    if (limit !== null && countAuthorities(path) > limit) found.push(failure('path_length', authority, role));

    const constraints = authority.nameConstraints;
    if (constraints !== null) {
      // Name constraints apply to self-issued certificates only if they are the leaf (RFC 5280 §6.1.3 b).
      const constrained = path.filter((one, index) => index === 0 || !one.selfIssued);
      if (!constrained.every((one) => satisfiesNameConstraints(one, constraints, this.#work))) {
        found.push(failure('name_constraints', authority, role));
      }
    }
    return found;
  }

  #complete(
    path: readonly [Certificate, ...Certificate[]],
    anchor: Certificate,
    anchorFailures: readonly PathFailure[],
  ): void {
    const policies = path.reduce(
      (sum, one) => sum + (one.certificatePolicies?.length ?? 0) + one.policyMappings.length,
      0,
    );
    if (!this.#work.spend(policies * POLICY_WORK)) return;
    if (!arePoliciesSatisfied(path.toReversed())) {
      this.failures.push(failure('policy', path[0], 'leaf'));
      return;
    }
    const found = { path: [...path, anchor], weakest: earliest(path), anchorFailures };
    if (anchorFailures.length === 0) this.best = later(this.best, found);
    else this.tolerable = later(this.tolerable, found);
  }
}

/** Returns the path that expires later; the first one if both expire at the same time. */
function later(first: FoundPath | null, second: FoundPath): FoundPath {
  return first !== null && first.weakest.notAfter >= second.weakest.notAfter ? first : second;
}

/** Counts CA certificates as path length does: without self-issued ones, which CAs use to change their key (RFC 5280 §6.1.4 l). */
function countAuthorities(path: readonly Certificate[]): number {
  return path.slice(1).filter(({ selfIssued }) => !selfIssued).length;
}

function isSameAuthority(left: Certificate, right: Certificate): boolean {
  return (
    left.subject.comparisonKey === right.subject.comparisonKey && equalBytes(left.key.der, right.key.der)
  );
}

/**
 * Returns the certificate that expires first. If several expire at the same time, returns the one closest to the leaf.
 */
function earliest(path: readonly [Certificate, ...Certificate[]]): Certificate {
  return path.reduce((first, one) => (one.notAfter < first.notAfter ? one : first), path[0]);
}
