import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { DOMAIN_STATES } from '../../../contract/domain.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { ApiError } from '../../lib/api-client.ts';
import { useLiveEvents } from '../../lib/live-events-context.ts';
import { cachedDomain, domainKey, historyKey, pageKey, SUMMARY_KEY, useDomainCache } from './domain-cache.ts';
import { fetchDomain, fetchDomainPage, fetchHistory, fetchSummary } from './domain-calls.ts';
import type { ListFilter } from './domain-filter.ts';
import { paced } from './paced.ts';

const REREAD_PACE = { delayMs: 500, spacingMs: 2000 };

/** One page of one list, for whoever reads it. */
export function pageQuery(filter: ListFilter, page: number) {
  return queryOptions({
    queryKey: pageKey(filter, page),
    meta: { filter },
    queryFn: ({ signal }) => fetchDomainPage(filter, page, signal),
  });
}

export function useDomainSummary() {
  return useQuery({ queryKey: SUMMARY_KEY, queryFn: ({ signal }) => fetchSummary(signal) });
}

export function useCertificateHistory(id: string) {
  return useQuery({ queryKey: historyKey(id), queryFn: ({ signal }) => fetchHistory(id, signal) });
}

/** One domain that may not be among the loaded rows; `isGone` when there is none of that id. */
export function useDomain(id: string | null): { domain: DomainWire | null; isGone: boolean; error: unknown } {
  const queryClient = useQueryClient();
  const { data, error } = useQuery({
    queryKey: domainKey(id ?? ''),
    queryFn: ({ signal }) => fetchDomain(id ?? '', signal),
    enabled: id !== null,
    // What a list has shown a moment ago stays in sight meanwhile.
    placeholderData: () => (id === null ? undefined : cachedDomain(queryClient, id)),
  });
  // What was never an id is refused in other words.
  const isGone = error instanceof ApiError && [400, 404, 422].includes(error.status);
  return { domain: id === null || isGone ? null : (data ?? null), isGone: id !== null && isGone, error };
}

const CHECKED_STATES = DOMAIN_STATES.filter((state) => state !== 'paused');

/** The domains that are not paused, as far as they fit on a page: for a plan that checks but a few. */
export function useCheckedDomains(): DomainWire[] {
  return useQueries({
    queries: CHECKED_STATES.map((status) => pageQuery({ status, sort: 'newest' }, 1)),
    combine: (results) => results.flatMap(({ data }) => data?.data ?? []),
  });
}

/** Lets the server's events change what is cached. A burst of them leads to one new reading, a stream to a steady one. */
export function useLiveDomains(): void {
  const queryClient = useQueryClient();
  const cache = useDomainCache();
  const [reread] = useState(() => ({
    all: paced(() => cache.reread(), REREAD_PACE),
    summary: paced(() => void queryClient.invalidateQueries({ queryKey: SUMMARY_KEY }), REREAD_PACE),
  }));
  useEffect(
    () => () => {
      reread.all.cancel();
      reread.summary.cancel();
    },
    [reread],
  );
  useLiveEvents((event) => {
    if (event.event === 'domain_removed') cache.remove(event.data.id);
    // A change of the plan pauses and resumes domains.
    if (event.event === 'account') cache.reread();
    if (event.event !== 'domain') return;
    const isStart = event.data.checking && cachedDomain(queryClient, event.data.id)?.checking === false;
    if (cache.report(event.data)) reread.all();
    // That a check has begun is nothing that the summary tells.
    else if (!isStart) reread.summary();
  });
}
