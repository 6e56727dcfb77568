import { DOMAIN_SORTS } from '../../../../contract/domain.ts';
import type { DomainSort } from '../../../../contract/domain.ts';

export const SORT_LABELS: Record<DomainSort, string> = {
  newest: 'Newest first',
  soonest: 'Soonest first',
  name: 'By name',
};

/** The order that follows, for the key that goes through them. */
export function nextSort(sort: DomainSort): DomainSort {
  return DOMAIN_SORTS[(DOMAIN_SORTS.indexOf(sort) + 1) % DOMAIN_SORTS.length] ?? 'newest';
}
