import type { DomainView } from '../../../lib/dashboard-search.ts';
import { messageOf } from '../../../lib/api-client.ts';
import { relativeTime } from '../../../lib/dates.ts';
import { isUnfiltered } from '../domain-filter.ts';
import { LoadErrorCard } from '../load-error-card.tsx';
import { DomainGrid } from './domain-grid.tsx';
import type { DomainListProps } from './domain-grid.tsx';
import { DomainTable } from './domain-table.tsx';
import { NoHits } from './no-hits.tsx';
import { GridSkeleton, TableSkeleton } from './skeletons.tsx';

interface DomainsListProps extends DomainListProps {
  view: DomainView;
  /** Nothing is there yet that could be shown. */
  isLoading: boolean;
  onClearFilter: () => void;
}

/** The list in the state that it is in: on its way, not to be had, without hits, out of date, or as it is. */
export function DomainsList({ view, isLoading, onClearFilter, ...rest }: DomainsListProps) {
  const { list, now } = rest;
  if (isLoading) return view === 'grid' ? <GridSkeleton /> : <TableSkeleton />;
  if (list.error !== null)
    return <LoadErrorCard error={list.error} isRetrying={list.isFetching} onRetry={list.retry} />;
  return (
    <>
      {list.stale && (
        <output className="mb-4 block text-label text-fg-2">
          Last updated {relativeTime(list.stale.since, now)}. {messageOf(list.stale.error)}{' '}
          <button type="button" className="link" onClick={list.retry}>
            Try again
          </button>
        </output>
      )}
      <h2 className="sr-only">Domains</h2>
      {list.total === 0 && !isUnfiltered(list.filter) ? (
        <NoHits filter={list.filter} onClear={onClearFilter} />
      ) : view === 'grid' ? (
        <DomainGrid {...rest} />
      ) : (
        <DomainTable {...rest} />
      )}
    </>
  );
}
