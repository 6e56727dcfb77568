import type { Certificate } from './certificate.ts';
import { ANY_POLICY } from './der/object-identifiers.ts';

/**
 * Returns whether the policies of a path (from below the anchor to the leaf) are valid (RFC 5280 §6.1.2–6.1.5). Accepts every policy: the result
 * is false only if a required one is missing or anyPolicy is mapped. Also processes the `anchor` if given, which RFC 5280 does not.
 */
export function arePoliciesSatisfied(below: readonly Certificate[], anchor?: Certificate): boolean {
  const path = anchor === undefined ? below : [anchor, ...below];
  if (
    path.every(
      (certificate) => certificate.policyConstraints === null && certificate.policyMappings.length === 0,
    )
  ) {
    return true;
  }
  const unlimited = path.length + 1;
  let explicitPolicy = unlimited;
  let inhibitAnyPolicy = unlimited;
  let policyMapping = unlimited;
  /**
   * Current level of the policy graph (RFC 9618); null once no policy is left. An attacker could make RFC 5280's policy
   * tree grow exponentially. We keep no other level, because none matters if any policy is accepted.
   */
  let level: Level | null = new Map([[ANY_POLICY, new Set([ANY_POLICY])]]);

  for (const [index, certificate] of path.entries()) {
    const isLeaf = index === path.length - 1;
    const anyAllowed = inhibitAnyPolicy > 0 || (!isLeaf && certificate.selfIssued);
    // An anchor without policies allows any.
    if (certificate !== anchor || certificate.certificatePolicies !== null)
      level = nextLevel(level, certificate.certificatePolicies, anyAllowed);
    if (explicitPolicy === 0 && level === null) return false;
    if (isLeaf) {
      explicitPolicy = Math.max(explicitPolicy - 1, 0);
      if (certificate.policyConstraints?.requireExplicitPolicy === 0) explicitPolicy = 0;
      break;
    }

    const mapped = certificate.policyMappings;
    // RFC 5280 §6.1.4 (a): anyPolicy must not be mapped to or from.
    if (mapped.some((one) => one.issuerDomain === ANY_POLICY || one.subjectDomain === ANY_POLICY))
      return false;
    if (level !== null) level = applyMappings(level, mapped, policyMapping > 0);
    if (!certificate.selfIssued) {
      explicitPolicy = Math.max(explicitPolicy - 1, 0);
      policyMapping = Math.max(policyMapping - 1, 0);
      inhibitAnyPolicy = Math.max(inhibitAnyPolicy - 1, 0);
    }
    explicitPolicy = Math.min(
      explicitPolicy,
      certificate.policyConstraints?.requireExplicitPolicy ?? unlimited,
    );
    policyMapping = Math.min(policyMapping, certificate.policyConstraints?.inhibitPolicyMapping ?? unlimited);
    inhibitAnyPolicy = Math.min(inhibitAnyPolicy, certificate.inhibitAnyPolicy ?? unlimited);
  }
  return explicitPolicy > 0 || level !== null;
}

/** Valid policies of one level, each with its expected policies one level down. */
type Level = Map<string, Set<string>>;

/** Returns the valid policies of the next level (RFC 5280 §6.1.3 d, e), or null if there are none. */
function nextLevel(
  above: Level | null,
  policies: readonly string[] | null,
  anyAllowed: boolean,
): Level | null {
  if (above === null || policies === null) return null;
  const expected = new Set([...above.values()].flatMap((set) => [...set]));
  const anyAbove = above.has(ANY_POLICY);
  const level: Level = new Map();
  for (const policy of policies) {
    if (policy !== ANY_POLICY && (expected.has(policy) || anyAbove)) level.set(policy, new Set([policy]));
  }
  if (policies.includes(ANY_POLICY) && anyAllowed) {
    for (const policy of expected) if (!level.has(policy)) level.set(policy, new Set([policy]));
  }
  return level.size === 0 ? null : level;
}

/** Applies the policy mappings of a CA certificate (RFC 5280 §6.1.4 b). Returns null if no policy is left. */
function applyMappings(
  level: Level,
  mappings: Certificate['policyMappings'],
  allowed: boolean,
): Level | null {
  for (const [policy, pairs] of Map.groupBy(mappings, (mapping) => mapping.issuerDomain)) {
    if (!allowed) level.delete(policy);
    else if (level.has(policy) || level.has(ANY_POLICY)) {
      level.set(policy, new Set(pairs.map((mapping) => mapping.subjectDomain)));
    }
  }
  return level.size === 0 ? null : level;
}
