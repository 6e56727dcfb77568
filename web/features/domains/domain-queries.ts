import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { ApiError } from '../../lib/api-client.ts';
import { useLiveEvents } from '../../lib/live-events-context.ts';
import { cachedDomain, domainKey, historyKey, isRemoved, pageKey, SUMMARY_KEY } from './domain-cache.ts';
import { fetchDomain, fetchDomainPage, fetchHistory, fetchSummary } from './domain-calls.ts';
import type { ListFilter } from './domain-filter.ts';
import { createLiveDomains } from './live-domains.ts';
import { DOMAIN_STATES } from '../../../contract/words.ts';

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

interface DomainRead {
  domain: DomainWire | null;
  /** There is none of that id, or none any more. */
  isGone: boolean;
  /** This page has removed it, or has heard that it was removed. */
  isRemoved: boolean;
  error: unknown;
}

/** One domain that may not be among the loaded rows. */
export function useDomain(id: string | null): DomainRead {
  const queryClient = useQueryClient();
  const { data, error } = useQuery<DomainWire | null>({
    queryKey: domainKey(id ?? ''),
    queryFn: ({ signal }) => fetchDomain(id ?? '', signal),
    enabled: id !== null && !isRemoved(queryClient, id),
    // What a list has shown a moment ago stays in sight meanwhile.
    placeholderData: () => (id === null ? undefined : cachedDomain(queryClient, id)),
  });
  // What was never an id is refused in other words.
  const isRefused = error instanceof ApiError && [400, 404, 422].includes(error.status);
  const wasRemoved = id !== null && data === null;
  return {
    domain: id === null || isRefused ? null : (data ?? null),
    isGone: id !== null && (isRefused || wasRemoved),
    isRemoved: wasRemoved,
    error,
  };
}

const CHECKED_STATES = DOMAIN_STATES.filter((state) => state !== 'paused');

/** The domains that are not paused, as far as they fit on a page: for a plan that checks but a few. */
export function useCheckedDomains(): DomainWire[] {
  return useQueries({
    queries: CHECKED_STATES.map((status) => pageQuery({ status, sort: 'newest' }, 1)),
    combine: (results) => results.flatMap(({ data }) => data?.data ?? []),
  });
}

/** Lets the server's events change what is cached, for as long as the page shows it. */
export function useLiveDomains(): void {
  const queryClient = useQueryClient();
  const [live] = useState(() => createLiveDomains(queryClient));
  useEffect(() => live.cancel, [live]);
  useLiveEvents(live.take);
}
