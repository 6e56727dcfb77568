import { useInfiniteQuery } from '@tanstack/react-query';
import {
  certificateStory,
  type CertificateWire,
  listCertificates,
} from '../../../contract/calls/certificate.ts';
import { type PagedList, useLiveQueries, usePagedRows } from '../../domain/paged-rows.ts';
import { call } from '../../lib/api-client.ts';
import type { CertificatesSearch } from './certificates-search.ts';

/** Returns the parameters of the API calls for a state of the page. */
export const queryOf = ({ q, status, order, direction }: CertificatesSearch) => ({
  ...(q !== undefined && { q }),
  ...(status !== undefined && { status }),
  ...(order !== undefined && { sort: order }),
  ...(direction !== undefined && { direction }),
});

const CERTIFICATES = 'certificates';

/** A listed certificate. The table needs an `id`, which is the fingerprint. */
export type CertificateRow = CertificateWire & { id: string };

const LIST: PagedList<CertificateRow, ReturnType<typeof queryOf>> = {
  key: CERTIFICATES,
  read: async (query, signal) => {
    const { data, total } = await call(listCertificates, { query, signal });
    return { rows: data.map((one): CertificateRow => ({ ...one, id: one.fingerprint })), total };
  },
};

/** Reads the pages of the list that are in view. */
export function useCertificates(wanted: CertificatesSearch) {
  useLiveQueries(CERTIFICATES);
  return usePagedRows(LIST, queryOf(wanted));
}

export function useCertificateStory(fingerprint: string) {
  useLiveQueries(CERTIFICATES);
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
