import {
  type InfiniteData,
  type Query,
  queryOptions,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  certificateStory,
  type CertificateWire,
  listCertificates,
} from '../../../contract/calls/certificate.ts';
import { SECOND_MS } from '../../../contract/durations.ts';
import { throttled } from '../../domain/throttle.ts';
import { call } from '../../lib/api-client.ts';
import { useLiveEvents } from '../../lib/live-events-context.ts';
import { usePagesInView } from '../../ui/table/use-list-window.ts';
import type { CertificatesSearch } from './certificates-search.ts';

/** Returns the parameters of the API calls for a state of the page. */
export const queryOf = ({ q, status, order, direction }: CertificatesSearch) => ({
  ...(q !== undefined && { q }),
  ...(status !== undefined && { status }),
  ...(order !== undefined && { sort: order }),
  ...(direction !== undefined && { direction }),
});

const CERTIFICATES = 'certificates';

/** Certificate pages that loaded more pages of domains than this are not refetched after a change, because each page is a request. */
const MAX_REREAD_PAGES = 3;

const REFETCH_THROTTLE = { delayMs: SECOND_MS / 2, spacingMs: 5 * SECOND_MS };

/** Refetches the shown certificates when the server reports a change of a domain or of the account, except those with many pages. */
function useLiveCertificates(): void {
  const queryClient = useQueryClient();
  const [refetch] = useState(() =>
    throttled(() => {
      const isShort = ({ state: { data } }: Query) => pagesOf(data) <= MAX_REREAD_PAGES;
      void queryClient.invalidateQueries({ queryKey: [CERTIFICATES], predicate: isShort });
    }, REFETCH_THROTTLE),
  );
  useEffect(() => refetch.cancel, [refetch]);
  useLiveEvents(({ event }) => {
    if (['domain', 'domain_removed', 'account'].includes(event)) refetch();
  });
}

const pagesOf = (data: unknown): number => (data as InfiniteData<unknown> | undefined)?.pages?.length ?? 1;

/** A listed certificate. The table needs an `id`, which is the fingerprint. */
export type CertificateRow = CertificateWire & { id: string };

const PAGE_SIZE = 100;

const pageQuery = (search: CertificatesSearch, page: number) =>
  queryOptions({
    queryKey: [CERTIFICATES, 'list', JSON.stringify(queryOf(search)), page] as const,
    queryFn: async ({ signal }) => {
      const { data, total } = await call(listCertificates, {
        query: { ...queryOf(search), page, limit: PAGE_SIZE },
        signal,
      });
      return { rows: data.map((one): CertificateRow => ({ ...one, id: one.fingerprint })), total };
    },
    staleTime: 0,
  });

const isSameList = (one: CertificatesSearch, other: CertificatesSearch): boolean =>
  JSON.stringify(queryOf(one)) === JSON.stringify(queryOf(other));

/** Reads the pages of the list that are in view. The previous list stays until the first page of the new one has arrived. */
export function useCertificates(wanted: CertificatesSearch) {
  useLiveCertificates();
  const queryClient = useQueryClient();
  const first = useQuery(pageQuery(wanted, 1));
  const [filter, setFilter] = useState(wanted);
  if ((first.data !== undefined || first.isError) && !isSameList(filter, wanted)) setFilter(wanted);
  const isPlaceholder = !isSameList(filter, wanted);
  const pageAt = (page: number) => queryClient.getQueryData(pageQuery(filter, page).queryKey);
  const total = pageAt(1)?.total ?? null;
  const pageCount = Math.max(1, Math.ceil((total ?? 0) / PAGE_SIZE));
  const { inView, show } = usePagesInView(PAGE_SIZE);
  const numbers = inView.filter((page) => page <= pageCount);
  const results = useQueries({ queries: numbers.map((page) => pageQuery(filter, page)) });
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
        queryKey: [CERTIFICATES, 'list'],
        predicate: ({ state }) => state.status === 'error',
      });
    },
  };
}

export function useCertificateStory(fingerprint: string) {
  useLiveCertificates();
  return useInfiniteQuery({
    queryKey: [CERTIFICATES, 'story', fingerprint],
    queryFn: ({ pageParam, signal }) =>
      call(certificateStory, {
        params: { fingerprint },
        query: { ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    staleTime: 0,
  });
}
