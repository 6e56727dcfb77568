import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DomainWire } from '../../../../contract/domain.ts';
import { useLiveConnection } from '../../../lib/live-events-context.ts';
import { cachedPages, listKey } from '../domain-cache.ts';
import type { ListFilter } from '../domain-filter.ts';
import { pageQuery } from '../domain-queries.ts';
import { loadedDomains } from './list-cache.ts';
import type { DomainPage, LoadedPages } from './list-cache.ts';
import { pagesInView } from './pages-in-view.ts';
import type { RowRange } from './pages-in-view.ts';

const POLL_WHILE_CHECKING_MS = 5000;
/** Pages that only fly past are not read. */
const SETTLE_MS = 80;
const FIRST_PAGE: readonly number[] = [1];

export interface DomainList {
  /** What the rows are a list of: for a moment after a change still what it was before. */
  filter: ListFilter;
  /** The rows are of the former filter, and the new ones on their way. */
  isPlaceholder: boolean;
  /** How many rows there are, loaded or not; null until the first page is here. */
  total: number | null;
  at: (index: number) => DomainWire | undefined;
  /** Why the page of that row could not be read; null where it was, or is on its way. */
  errorAt: (index: number) => unknown;
  /** The rows that are loaded, in order. */
  loaded: readonly DomainWire[];
  /** −1 where it is not loaded. */
  indexOf: (id: string) => number;
  /** Why nothing could be read at all; null otherwise. */
  error: unknown;
  /** What is shown could not be read again: since when it is as it is, in ms UTC, and why. */
  stale: { since: number; error: unknown } | null;
  isFetching: boolean;
  retry: () => void;
  /** Tells which rows are in view; their pages are read, once the view comes to rest. */
  show: (ranges: readonly RowRange[]) => void;
}

/** A list of which the pages in view are read, and their rows kept up to date. */
export function useDomainList(wanted: ListFilter): DomainList {
  const queryClient = useQueryClient();
  const connected = useLiveConnection();
  const readPage = (page: number, of: ListFilter) => ({
    ...pageQuery(of, page),
    // Without the event stream, it is read again while a check is running.
    refetchInterval: ({ state }: { state: { data?: DomainPage | undefined } }) =>
      !connected && state.data?.data.some(({ checking }) => checking) === true && POLL_WHILE_CHECKING_MS,
  });

  const first = useQuery(readPage(1, wanted));
  const [shown, setShown] = useState(wanted);
  const isSettled = first.data !== undefined || first.isError;
  if (isSettled && shown !== wanted) setShown(wanted);
  const filter = isSettled ? wanted : shown;

  const [inView, setInView] = useState(FIRST_PAGE);
  const pages = useSame(cachedPages(queryClient, filter));
  const head = pages.get(1);
  const pageSize = head?.page_size ?? 1;
  const total = head?.total ?? null;
  const pageCount = Math.max(1, Math.ceil((total ?? 0) / pageSize));
  const numbers = inView.filter((page) => page <= pageCount);
  const results = useQueries({ queries: numbers.map((page) => readPage(page, filter)) });
  const observed = filter === wanted ? [first, ...results] : results;
  const outdated = observed.filter(({ isError, data }) => isError && data !== undefined);

  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(settling.current), []);
  const show = useCallback(
    (ranges: readonly RowRange[]) => {
      clearTimeout(settling.current);
      settling.current = setTimeout(() => {
        const next = pagesInView(ranges, pageSize);
        setInView((former) => (former.join() === next.join() ? former : next));
      }, SETTLE_MS);
    },
    [pageSize],
  );
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

/** The former object while nothing in it has changed, so that what is made of it can be kept too. */
function useSame(pages: LoadedPages): LoadedPages {
  const [former, setFormer] = useState(pages);
  const isSame =
    former.size === pages.size && [...pages].every(([number, page]) => former.get(number) === page);
  if (!isSame) setFormer(pages);
  return isSame ? former : pages;
}
