import {
  type InfiniteData,
  type Query,
  queryOptions,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { SECOND_MS } from '../../contract/durations.ts';
import { useLiveEvents } from '../lib/live-events-context.ts';
import { usePagesInView } from '../ui/table/use-list-window.ts';
import { throttled } from './throttle.ts';

/** Lists that loaded more pages than this are not refetched after a change, because each page is a request. */
const MAX_REREAD_PAGES = 3;

const REFETCH_THROTTLE = { delayMs: SECOND_MS / 2, spacingMs: 5 * SECOND_MS };

/** Refetches the queries whose key begins with `key` when the server reports a change of a domain or of the account, except long ones. */
export function useLiveQueries(key: string): void {
  const queryClient = useQueryClient();
  const [refetch] = useState(() =>
    throttled(() => {
      const isShort = ({ state: { data } }: Query) => pagesOf(data) <= MAX_REREAD_PAGES;
      void queryClient.invalidateQueries({ queryKey: [key], predicate: isShort });
    }, REFETCH_THROTTLE),
  );
  useEffect(() => refetch.cancel, [refetch]);
  useLiveEvents(({ event }) => {
    if (['domain', 'domain_removed', 'account'].includes(event)) refetch();
  });
}

const pagesOf = (data: unknown): number => (data as InfiniteData<unknown> | undefined)?.pages?.length ?? 1;

const PAGE_SIZE = 100;

/** A list of which pages are read. */
export interface PagedList<Row, ListQuery extends object> {
  /** The beginning of the keys of its queries. */
  key: string;
  /** Reads a page, from 1, of at most `limit` rows. */
  read: (
    query: ListQuery & { page: number; limit: number },
    signal: AbortSignal,
  ) => Promise<{ rows: Row[]; total: number }>;
}

function pageQuery<Row, ListQuery extends object>(
  { key, read }: PagedList<Row, ListQuery>,
  query: ListQuery,
  page: number,
) {
  return queryOptions({
    queryKey: [key, 'list', JSON.stringify(query), page] as const,
    queryFn: ({ signal }) => read({ ...query, page, limit: PAGE_SIZE }, signal),
    staleTime: 0,
  });
}

const isSameList = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Reads the pages of a list that are in view. The previous list stays until the first page of the new one has arrived. */
export function usePagedRows<Row extends { id: string }, ListQuery extends object>(
  list: PagedList<Row, ListQuery>,
  wanted: ListQuery,
) {
  const queryClient = useQueryClient();
  const first = useQuery(pageQuery(list, wanted, 1));
  const [filter, setFilter] = useState(wanted);
  if ((first.data !== undefined || first.isError) && !isSameList(filter, wanted)) setFilter(wanted);
  const isPlaceholder = !isSameList(filter, wanted);
  const pageAt = (page: number) => queryClient.getQueryData(pageQuery(list, filter, page).queryKey);
  const total = pageAt(1)?.total ?? null;
  const pageCount = Math.max(1, Math.ceil((total ?? 0) / PAGE_SIZE));
  const { inView, show } = usePagesInView(PAGE_SIZE);
  const numbers = inView.filter((page) => page <= pageCount);
  const results = useQueries({ queries: numbers.map((page) => pageQuery(list, filter, page)) });
  return {
    filter,
    isPlaceholder,
    total,
    show,
    at: (index: number) => pageAt(Math.floor(index / PAGE_SIZE) + 1)?.rows[index % PAGE_SIZE],
    /** The error if not even the first page could be read; else null. */
    error: first.isError && first.data === undefined && !isPlaceholder ? first.error : null,
    /** Whether a page in view could not be read. */
    failed: results.find(({ isError, data }) => isError && data === undefined)?.error ?? null,
    isFetching: first.isFetching || results.some(({ isFetching }) => isFetching),
    refetch: () => {
      void queryClient.refetchQueries({
        queryKey: [list.key, 'list'],
        predicate: ({ state }) => state.status === 'error',
      });
    },
  };
}
