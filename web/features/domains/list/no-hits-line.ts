import type { DomainFilter } from '../../../../contract/domain.ts';

/** 'No domain matches “git”.' */
export function noHitsLine({ q, status, tag }: DomainFilter): string {
  if (q !== undefined && status === undefined && tag === undefined) return `No domain matches “${q}”.`;
  if (q === undefined && status === undefined && tag !== undefined) return `No domain has the tag “${tag}”.`;
  if (q !== undefined) return `No domain matches “${q}” with these filters.`;
  return 'No domain matches this filter.';
}
