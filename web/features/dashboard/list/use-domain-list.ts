import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { useLiveConnection } from '../../../lib/live-events-context.ts';
import { cachedPages, listKey } from '../../../domain/domain-cache.ts';
import type { ListFilter } from '../../../domain/domain-filter.ts';
import { pageQuery } from '../../../domain/domain-queries.ts';
import { type DomainPage, loadedDomains, type LoadedPages } from '../../../domain/list-cache.ts';
import { usePagesInView } from '../../../ui/table/use-list-window.ts';
import type { RowRange } from '../../../ui/table/virtual-layout.ts';

const POLL_WHILE_CHECKING_MS = 5000;

export interface DomainList {
  /** The filter of the shown rows. After a change this is the previous filter until the new rows arrive. */
  filter: ListFilter;
  /** True while the rows are still those of the previous filter. */
  isPlaceholder: boolean;
  /** Number of rows, loaded or not; null until the first page is loaded. */
  total: number | null;
  at: (index: number) => DomainWire | undefined;
  /** Returns why the page of the row at this index could not be read; null if it was read or is loading. */
  errorAt: (index: number) => unknown;
  /** The loaded rows, in order. */
  loaded: readonly DomainWire[];
  /** Returns the index of the domain's row; −1 if it is not loaded. */
  indexOf: (id: string) => number;
  /** The error if not even the first page could be read; else null. */
  error: unknown;
  /** Set if the shown rows could not be refreshed: since when they are stale (ms UTC), and why. */
  stale: { since: number; error: unknown } | null;
  isFetching: boolean;
  retry: () => void;
  /** Sets the rows in view; their pages are read once scrolling stops. */
  show: (ranges: readonly RowRange[]) => void;
}

/** Reads the pages in view and keeps their rows up to date. */
export function useDomainList(wanted: ListFilter): DomainList {
  const queryClient = useQueryClient();
  const connected = useLiveConnection();
  const readPage = (page: number, of: ListFilter) => ({
    ...pageQuery(of, page),
    // Polls during a running check if there is no event stream.
    refetchInterval: ({ state }: { state: { data?: DomainPage | undefined } }) =>
      !connected && state.data?.data.some(({ checking }) => checking) === true && POLL_WHILE_CHECKING_MS,
  });

  const first = useQuery(readPage(1, wanted));
  const [shown, setShown] = useState(wanted);
  const hasLoaded = first.data !== undefined || first.isError;
  if (hasLoaded && shown !== wanted) setShown(wanted);
  const filter = hasLoaded ? wanted : shown;

  const pages = useSame(cachedPages(queryClient, filter));
  const head = pages.get(1);
  const pageSize = head?.page_size ?? 1;
  const total = head?.total ?? null;
  const pageCount = Math.max(1, Math.ceil((total ?? 0) / pageSize));
  const { inView, show } = usePagesInView(pageSize);
  const numbers = inView.filter((page) => page <= pageCount);
  const results = useQueries({ queries: numbers.map((page) => readPage(page, filter)) });
  const observed = filter === wanted ? [first, ...results] : results;
  const outdated = observed.filter(({ isError, data }) => isError && data !== undefined);

  const retry = useCallback(() => {
    void queryClient.refetchQueries({
      queryKey: listKey(filter),
      predicate: ({ state }) => state.status === 'error',
    });
  }, [queryClient, filter]);

  const loaded = useMemo(() => loadedDomains(pages), [pages]);
  return {
    filter,
    isPlaceholder: filter !== wanted,
    total,
    at: (index) => pages.get(Math.floor(index / pageSize) + 1)?.data[index % pageSize],
    errorAt: (index) => {
      const result = results[numbers.indexOf(Math.floor(index / pageSize) + 1)];
      return result?.isError && !result.data ? result.error : null;
    },
    loaded,
    indexOf: (id) => {
      for (const [number, { data }] of pages) {
        const position = data.findIndex((domain) => domain.id === id);
        if (position >= 0) return (number - 1) * pageSize + position;
      }
      return -1;
    },
    error: first.isError && !first.data ? first.error : null,
    stale:
      outdated.length > 0
        ? {
            since: Math.min(...outdated.map(({ dataUpdatedAt }) => dataUpdatedAt)),
            error: outdated[0]?.error,
          }
        : null,
    isFetching: observed.some(({ isFetching }) => isFetching),
    retry,
    show,
  };
}

/** Returns the previous object while nothing changed, so that derived values stay memoised. */
function useSame(pages: LoadedPages): LoadedPages {
  const [former, setFormer] = useState(pages);
  const isSame =
    former.size === pages.size && [...pages].every(([number, page]) => former.get(number) === page);
  if (!isSame) setFormer(pages);
  return isSame ? former : pages;
}
