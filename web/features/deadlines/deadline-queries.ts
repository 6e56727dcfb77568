import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  deadlineCertificates,
  type DeadlineCertificateWire,
  listDeadlines,
} from '../../../contract/calls/deadline.ts';
import { type PagedList, useLiveQueries, usePagedRows } from '../../domain/paged-rows.ts';
import { call } from '../../lib/api-client.ts';

/** Search parameters of the page. They are in the URL, so that people can share a view. */
export interface DeadlinesSearch {
  q?: string | undefined;
  /** Id of the rule whose certificates are listed. */
  rule?: string | undefined;
}

/** Returns the search parameters, and a function that merges a change into them. */
export function useDeadlinesSearch() {
  const { q, rule }: DeadlinesSearch = useSearch({ strict: false });
  const search: DeadlinesSearch = { q, rule };
  const navigate = useNavigate();
  const change = (patch: DeadlinesSearch) => {
    const next = Object.entries({ ...search, ...patch }).filter(([, value]) => value !== undefined);
    void navigate({
      to: '/deadlines',
      search: Object.fromEntries(next) as { q?: string; rule?: string },
      replace: true,
      resetScroll: false,
    });
  };
  return { search, change };
}

const DEADLINES = 'deadlines';

export function useDeadlines() {
  useLiveQueries(DEADLINES);
  return useQuery({
    queryKey: [DEADLINES, 'dates'],
    queryFn: ({ signal }) => call(listDeadlines, { signal }),
    staleTime: 0,
  });
}

/** A row of the table, which needs an `id`. */
export type DeadlineRow = DeadlineCertificateWire & { id: string };

/** Returns the parameters of the API calls for a state of the page. */
export const queryOf = ({ q, rule }: DeadlinesSearch) => ({
  ...(q !== undefined && { q }),
  ...(rule !== undefined && { rule }),
});

const LIST: PagedList<DeadlineRow, ReturnType<typeof queryOf>> = {
  key: DEADLINES,
  read: async (query, signal) => {
    const { data, total } = await call(deadlineCertificates, { query, signal });
    const rows = data.map((one): DeadlineRow => ({ ...one, id: `${one.rule} ${one.fingerprint}` }));
    return { rows, total };
  },
};

/** Reads the pages of the certificates that are in view. */
export const useDeadlineCertificates = (search: DeadlinesSearch) => usePagedRows(LIST, queryOf(search));
