import { contextTag, nonEmptyList, onlyElement, TAG } from './der/der.ts';
import { countValue, objectIdentifier } from './der/der-values.ts';
import { PkiError } from './pki-error.ts';

/** PolicyConstraints (RFC 5280 §4.2.1.11): numbers of certificates to skip; null if absent. */
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

/** One entry of PolicyMappings (RFC 5280 §4.2.1.5). */
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

/** Returns the number of certificates to skip (InhibitAnyPolicy, RFC 5280 §4.2.1.14). */
export function parseInhibitAnyPolicy(value: Uint8Array): number {
  return countValue(onlyElement(value, TAG.integer));
}
