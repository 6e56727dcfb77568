import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { certificateStory, listCertificates } from '../../../contract/calls/certificate.ts';
import { SECOND_MS } from '../../../contract/durations.ts';
import type { CertificateSort, ListStatus } from '../../../contract/words.ts';
import { call } from '../../lib/api-client.ts';

/** The search parameters of the page, so that a view can be linked to. */
export interface CertificatesSearch {
  q?: string;
  status?: ListStatus;
  order?: CertificateSort;
  /** Fingerprint of the certificate whose own page is shown. */
  certificate?: string;
}

/** Returns the query of the calls for these parameters. */
export const queryOf = ({ q, status, order }: CertificatesSearch) => ({
  ...(q !== undefined && { q }),
  ...(status !== undefined && { status }),
  ...(order !== undefined && { sort: order }),
});

/** Read anew on each visit, because domains may have been added meanwhile, and every 30 seconds, because checks go on. */
const FRESHNESS = { staleTime: 0, refetchInterval: 30 * SECOND_MS };

/** A longer list is not read again by itself, because each page is a request. */
const MAX_REREAD_PAGES = 3;

/** Reads the certificates page by page, as far as the person has asked for. */
export function useCertificates(search: CertificatesSearch) {
  return useInfiniteQuery({
    queryKey: ['certificates', search],
    queryFn: ({ pageParam, signal }) =>
      call(listCertificates, {
        query: { ...queryOf(search), ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: keepPreviousData,
    ...FRESHNESS,
    refetchInterval: ({ state }) =>
      (state.data?.pages.length ?? 0) <= MAX_REREAD_PAGES && FRESHNESS.refetchInterval,
  });
}

export function useCertificateStory(fingerprint: string) {
  return useQuery({
    queryKey: ['certificates', 'story', fingerprint],
    queryFn: ({ signal }) => call(certificateStory, { params: { fingerprint }, signal }),
    ...FRESHNESS,
  });
}
