import type { DomainFilter, SummaryWire } from '../../contract/domain.ts';
import type { SortDirection } from '../../contract/calls/list-order.ts';
import type { DomainSort, ListStatus } from '../../contract/words.ts';

/** Which domains are listed, in which order. It is the key of a cached list. */
export interface ListFilter extends DomainFilter {
  sort: DomainSort;
  /** If absent, `naturalDirection` of the order. */
  direction?: SortDirection;
}

/** Search parameters that show every domain again. Merge them over the current ones. */
export const NO_FILTER = {
  q: undefined,
  status: undefined,
  tag: undefined,
  expires: undefined,
  issuer: undefined,
  without: undefined,
} satisfies Record<keyof DomainFilter, undefined>;

/** Returns the parts of a filter in a fixed order, with undefined for absent parts. */
export function filterParts(filter: DomainFilter): unknown[] {
  return (Object.keys(NO_FILTER) as (keyof DomainFilter)[]).map((name) => filter[name]);
}

/** Tells whether the list includes every domain, in any order. */
export function isUnfiltered(filter: DomainFilter): boolean {
  return filterParts(filter).every((part) => part === undefined);
}

/** Returns how many domains the list with this `status` filter has. */
export function countOf(summary: SummaryWire, status: ListStatus | undefined): number {
  const { total, counts, on_schedule: onSchedule, attention } = summary;
  switch (status) {
    case undefined:
      return total;
    case 'attention':
      return attention.total;
    case 'expiring':
      return counts.expired + counts.critical + counts.soon - onSchedule.critical - onSchedule.soon;
    case 'problem':
      return attention.problems;
    case 'renewal_fails':
      return summary.renewal_fails;
    default:
      return counts[status];
  }
}
