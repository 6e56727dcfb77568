import { contextTag, nonEmptyList, onlyElement, TAG } from './der/der.ts';
import { countValue, objectIdentifier } from './der/der-values.ts';
import { PkiError } from './pki-error.ts';

/** PolicyConstraints of RFC 5280 §4.2.1.11: skip counts, null where absent. */
export interface PolicyConstraints {
  readonly requireExplicitPolicy: number | null;
  readonly inhibitPolicyMapping: number | null;
}

export function parsePolicyConstraints(value: Uint8Array): PolicyConstraints {
  const reader = onlyElement(value, TAG.sequence).open();
  if (reader.done) throw new PkiError('empty', 'policy constraints without content');
  const requireExplicit = reader.optional(contextTag(0, 'primitive'));
  const inhibitMapping = reader.optional(contextTag(1, 'primitive'));
  reader.end();
  return {
    requireExplicitPolicy: requireExplicit === null ? null : countValue(requireExplicit),
    inhibitPolicyMapping: inhibitMapping === null ? null : countValue(inhibitMapping),
  };
}

/** PolicyMappings of §4.2.1.5: issuer domain policy to subject domain policy. */
export interface PolicyMapping {
  readonly issuerDomain: string;
  readonly subjectDomain: string;
}

export function parsePolicyMappings(value: Uint8Array): PolicyMapping[] {
  return nonEmptyList(value, TAG.sequence, (reader) => {
    const mapping = reader.enter(TAG.sequence);
    const issuerDomain = objectIdentifier(mapping.read());
    const subjectDomain = objectIdentifier(mapping.read());
    mapping.end();
    return { issuerDomain, subjectDomain };
  });
}

/** InhibitAnyPolicy of §4.2.1.14: a skip count. */
export function parseInhibitAnyPolicy(value: Uint8Array): number {
  return countValue(onlyElement(value, TAG.integer));
}
