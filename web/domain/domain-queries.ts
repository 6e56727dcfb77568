import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { domain, domainHistory, domainIds, domainSummary, listDomains } from '../../contract/calls/domain.ts';
import type { DomainWire } from '../../contract/domain.ts';
import { call } from '../lib/api-client.ts';
import { ApiError } from '../lib/api-error.ts';
import {
  ALL_IDS,
  cachedDomain,
  domainKey,
  historyKey,
  isRemoved,
  pageKey,
  SUMMARY_KEY,
} from './domain-cache.ts';
import type { ListFilter } from './domain-filter.ts';
import { DOMAIN_STATES } from '../../contract/words.ts';

/** Returns the query for one page of a list. */
export function pageQuery(filter: ListFilter, page: number) {
  // `newest` is the server's default. It is left out because the specification gives the request without it.
  const sort = filter.sort === 'newest' ? undefined : filter.sort;
  return queryOptions({
    queryKey: pageKey(filter, page),
    meta: { filter },
    queryFn: ({ signal }) =>
      call(listDomains, {
        query: { page, ...filter, sort },
        failureText: 'Failed to get me.',
        signal,
      }),
  });
}

export function useDomainSummary() {
  return useQuery({ queryKey: SUMMARY_KEY, queryFn: ({ signal }) => call(domainSummary, { signal }) });
}

/** Returns the ids of all domains that match the filter, loaded or not, with all their tags and days of expiry. */
export function useMatchingDomains(filter: ListFilter, isWanted: boolean) {
  return useQuery({
    queryKey: [...ALL_IDS, filter],
    queryFn: ({ signal }) => call(domainIds, { query: filter, signal }),
    enabled: isWanted,
    retry: false,
  });
}

/** Returns the query for the certificates of a domain. */
export function historyQuery(id: string) {
  return queryOptions({
    queryKey: historyKey(id),
    queryFn: ({ signal }) =>
      call(domainHistory, { params: { id }, failureText: 'Failed to get me.', signal }),
  });
}

export function useCertificateHistory(id: string) {
  return useQuery(historyQuery(id));
}

interface DomainRead {
  domain: DomainWire | null;
  /** True if no domain has this id, or it was removed. */
  isGone: boolean;
  /** True if this page removed the domain, or an event reported its removal. */
  isRemoved: boolean;
  error: unknown;
}

/** Reads one domain that may not be among the loaded rows. */
export function useDomain(id: string | null): DomainRead {
  const queryClient = useQueryClient();
  const { data, error } = useQuery<DomainWire | null>({
    queryKey: domainKey(id ?? ''),
    queryFn: ({ signal }) => call(domain, { params: { id: id ?? '' }, signal }),
    enabled: id !== null && !isRemoved(queryClient, id),
    // Until the domain is read, shows it as a list has it.
    placeholderData: () => (id === null ? undefined : cachedDomain(queryClient, id)),
  });
  // A malformed id gets an error code other than 404.
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

/** Returns the first page of each state except `paused`. These are all checked domains on a plan that checks only a few. */
export function useCheckedDomains(): DomainWire[] {
  return useQueries({
    queries: CHECKED_STATES.map((status) => pageQuery({ status, sort: 'newest' }, 1)),
    combine: (results) => results.flatMap(({ data }) => data?.data ?? []),
  });
}
