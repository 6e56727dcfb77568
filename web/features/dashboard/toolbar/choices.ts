import type { DomainFilter, SummaryWire } from '../../../../contract/domain.ts';
import { DOMAIN_SORTS, type DomainSort, type ListStatus } from '../../../../contract/words.ts';
import { STATE_NAMES } from '../../../../contract/state/state-words.ts';
import { naturalDirection } from '../../../../contract/calls/list-order.ts';
import { countOf, filterParts, type ListFilter } from '../../../domain/domain-filter.ts';
import { inPeriod } from '../../../domain/day-and-month.ts';
import type { MarkedState } from '../../../domain/state-marks.tsx';

export const SORT_LABELS: Record<DomainSort, string> = {
  newest: 'Newest first',
  soonest: 'Soonest first',
  worst: 'Worst first',
  name: 'By name',
};

/** Names of the orders in reverse direction. Only the headers of table columns can choose them. */
const REVERSED_LABELS: Record<DomainSort, string> = {
  newest: 'Oldest first',
  soonest: 'Latest first',
  worst: 'Worst last',
  name: 'By name, Z to A',
};

/** Returns whether the list is sorted in the direction opposite to the order's usual one. */
export const isReversed = ({ sort, direction }: Pick<ListFilter, 'sort' | 'direction'>): boolean =>
  direction !== undefined && direction !== naturalDirection(sort);

/** Returns the name of the list's order. */
export const sortLabel = (filter: Pick<ListFilter, 'sort' | 'direction'>): string =>
  (isReversed(filter) ? REVERSED_LABELS : SORT_LABELS)[filter.sort];

/** A filter of the toolbar. Without `status` it is "All". */
export interface StatusFilter {
  status: ListStatus | undefined;
  label: string;
  /** The state whose mark the filter shows; null for none. */
  mark: MarkedState | 'pending' | null;
  /** Undefined while unknown. */
  count: number | undefined;
}

const FILTERS: readonly Omit<StatusFilter, 'count'>[] = [
  { status: undefined, label: 'All', mark: null },
  { status: 'attention', label: 'Needs attention', mark: 'critical' },
  { status: 'expiring', label: 'Expiring', mark: 'soon' },
  { status: 'problem', label: 'Problems', mark: 'untrusted' },
  ...(['expired', 'revoked', 'critical', 'soon', 'unread', 'ok', 'pending', 'paused'] as const).map(
    (state) => ({ status: state, label: STATE_NAMES[state], mark: state }),
  ),
  { status: 'renewal_fails', label: 'Next renewal will fail', mark: 'flawed' },
];
/** Number of filters that are always visible; the others are in the menu "More". */
const MAIN_FILTER_COUNT = 4;

/** Returns the toolbar's filters with their counts. The keys 1 to 8 choose the first eight, including those in the menu "More". */
export function statusFilters(summary: SummaryWire | undefined): {
  main: StatusFilter[];
  more: StatusFilter[];
} {
  const filters = FILTERS.map((filter) => ({ ...filter, count: summary && countOf(summary, filter.status) }));
  return { main: filters.slice(0, MAIN_FILTER_COUNT), more: filters.slice(MAIN_FILTER_COUNT) };
}

/** Tells whether the filter for this status is in the menu "More". */
export function isUnderMore(status: ListStatus | undefined): boolean {
  return FILTERS.findIndex((filter) => filter.status === status) >= MAIN_FILTER_COUNT;
}

/** Returns the status of the filter that a key chooses. `place` counts from 0, so the key 1 is 0. */
export function statusOfKey(place: number): ListStatus | undefined {
  return FILTERS[place]?.status;
}

/** Returns why the list is empty, for example 'No domain matches “git”.' */
export function noHitsLine(filter: DomainFilter): string {
  const { q, tag, expires } = filter;
  if (filterParts(filter).filter((part) => part !== undefined).length === 1) {
    if (q !== undefined) return `No domain matches “${q}”.`;
    if (tag !== undefined) return `No domain has the tag “${tag}”.`;
    if (expires !== undefined) return `No certificate expires ${inPeriod(expires)}.`;
  }
  if (q !== undefined) return `No domain matches “${q}” with these filters.`;
  return 'No domain matches this filter.';
}

/** Returns the next order for the key that cycles through the orders. */
export function nextSort(sort: DomainSort): DomainSort {
  return DOMAIN_SORTS[(DOMAIN_SORTS.indexOf(sort) + 1) % DOMAIN_SORTS.length] ?? 'newest';
}
