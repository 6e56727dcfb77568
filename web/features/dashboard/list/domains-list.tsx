import type { DomainView } from '../../../lib/dashboard-search.ts';
import { messageOf, sentenceOf } from '../../../lib/api-error.ts';
import { isUnfiltered } from '../../../domain/domain-filter.ts';
import { DomainGrid, type DomainListProps } from './domain-grid.tsx';
import { GridSkeleton, TableSkeleton } from './skeletons.tsx';
import { RotateCw } from 'lucide-react';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import type { DomainFilter } from '../../../../contract/domain.ts';
import { noHitsLine } from '../toolbar/choices.ts';
import { relativeTime } from '../../../lib/format.ts';
import { lazyPart } from '../../../ui/lazy.tsx';

// Most people use the cards, which then load sooner.
const DomainTable = lazyPart(async () => (await import('./domain-table.tsx')).DomainTable, <TableSkeleton />);

interface DomainsListProps extends DomainListProps {
  view: DomainView;
  /** True while there is nothing to show yet. */
  isLoading: boolean;
  onClearFilter: () => void;
  /** Repeats the reads that failed. */
  onRetry: () => void;
}

/** Shows the list, or instead of it that the list is loading, failed to load or has no hits. Says when a shown list was last updated if it is stale. */
export function DomainsList({ view, isLoading, onClearFilter, onRetry, ...rest }: DomainsListProps) {
  const { list, now } = rest;
  if (isLoading) return view === 'grid' ? <GridSkeleton /> : <TableSkeleton />;
  if (list.error !== null)
    return <LoadErrorCard error={list.error} isRetrying={list.isFetching} onRetry={onRetry} />;
  return (
    <>
      {list.stale && (
        <output className="mb-4 block text-label text-fg-2">
          Last updated {relativeTime(list.stale.since, now)}. {messageOf(list.stale.error)}{' '}
          <LinkButton onClick={onRetry}>Try again</LinkButton>
        </output>
      )}
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

const RUNNING = 'Your monitoring keeps running.';

interface LoadErrorCardProps {
  error: unknown;
  isRetrying: boolean;
  onRetry: () => void;
}

/** Replaces a list that could not be loaded. */
function LoadErrorCard({ error, isRetrying, onRetry }: LoadErrorCardProps) {
  return (
    <div
      role="alert"
      className="flex flex-col gap-3.5 rounded-4 border border-line-2 bg-surface px-5 py-[18px] md:flex-row md:items-center"
    >
      <Glyph name="critical" className="size-5 text-critical-mark [--glyph-cut:var(--surface)]" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">Could not load your domains</p>
        <p className="text-fg-2 [overflow-wrap:anywhere]">
          {!messageOf(error).includes(RUNNING) && `${RUNNING} `}
          {sentenceOf(error)}
        </p>
      </div>
      <Button variant="outline" busy={isRetrying} onClick={onRetry}>
        <RotateCw className="size-3.5" strokeWidth={1.8} aria-hidden="true" />
        Try again
      </Button>
    </div>
  );
}

/** Says why the list is empty, with a button to clear the filter. */
function NoHits({ filter, onClear }: { filter: DomainFilter; onClear: () => void }) {
  return (
    <div className="flex flex-col items-center gap-4 rounded-4 border border-dashed border-line-2 px-5 py-14 text-center">
      <p role="status" className="max-w-full text-lead text-fg-2 [overflow-wrap:anywhere]">
        {noHitsLine(filter)}
      </p>
      <Button variant="outline" onClick={onClear}>
        Clear
      </Button>
    </div>
  );
}
