import type { DomainFilter, SummaryWire } from '../../contract/domain.ts';
import type { SortDirection } from '../../contract/calls/list-order.ts';
import type { DomainSort, ListStatus } from '../../contract/words.ts';

/** Which domains are listed, in which order. It is the key of a cached list. */
export interface ListFilter extends DomainFilter {
  sort: DomainSort;
  /** Absent: `naturalDirection` of the order. */
  direction?: SortDirection;
}

/** Shows every domain again, merged over the dashboard's search parameters. */
export const NO_FILTER = {
  q: undefined,
  status: undefined,
  tag: undefined,
  expires: undefined,
  issuer: undefined,
  without: undefined,
} satisfies Record<keyof DomainFilter, undefined>;

/** Returns the parts of a filter in a fixed order, absent ones as undefined. */
export function filterParts(filter: DomainFilter): unknown[] {
  return (Object.keys(NO_FILTER) as (keyof DomainFilter)[]).map((name) => filter[name]);
}

/** Tells whether the list includes every domain, in any order. */
export function isUnfiltered(filter: DomainFilter): boolean {
  return filterParts(filter).every((part) => part === undefined);
}

/** Returns how many domains a list with this `status` has. */
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
    default:
      return counts[status];
  }
}
