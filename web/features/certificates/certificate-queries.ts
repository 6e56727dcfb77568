import {
  type InfiniteData,
  keepPreviousData,
  type Query,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { certificateStory, listCertificates } from '../../../contract/calls/certificate.ts';
import { SECOND_MS } from '../../../contract/durations.ts';
import { throttled } from '../../domain/throttle.ts';
import { call } from '../../lib/api-client.ts';
import { useLiveEvents } from '../../lib/live-events-context.ts';
import type { CertificatesSearch } from './certificates-search.ts';

/** Returns the query of the calls for these parameters. */
export const queryOf = ({ q, status, order }: CertificatesSearch) => ({
  ...(q !== undefined && { q }),
  ...(status !== undefined && { status }),
  ...(order !== undefined && { sort: order }),
});

const CERTIFICATES = 'certificates';

/** A longer list is not read again by itself, because each page is a request. */
const MAX_REREAD_PAGES = 3;

const REFETCH_THROTTLE = { delayMs: SECOND_MS / 2, spacingMs: 5 * SECOND_MS };

/** Refetches the shown certificates, except long lists, when the server reports a change of a domain or of the account. */
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

/** Reads the certificates page by page, as far as the person has asked for. */
export function useCertificates(search: CertificatesSearch) {
  useLiveCertificates();
  return useInfiniteQuery({
    queryKey: [CERTIFICATES, search],
    queryFn: ({ pageParam, signal }) =>
      call(listCertificates, {
        query: { ...queryOf(search), ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
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
