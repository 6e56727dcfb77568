import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { useLiveConnection, useLiveEvents } from '../../lib/live-events-context.ts';
import { fetchDomainPage, fetchHistory, fetchSummary } from './domain-calls.ts';
import type { DomainPages } from './list/list-cache.ts';
import {
  loadedDomains,
  totalDomains,
  withDomain,
  withoutDomain,
  withReportedDomain,
} from './list/list-cache.ts';

const LIST_KEY = ['domains', 'list'];
const SUMMARY_KEY = ['domains', 'summary'];
const historyKey = (id: string) => ['domains', 'history', id];

const POLL_WHILE_CHECKING_MS = 5000;
const SUMMARY_DELAY_MS = 500;

/** The loaded pages of the list. Without the event stream, it is read again while a check is running. */
export function useDomainList() {
  const connected = useLiveConnection();
  return useInfiniteQuery({
    queryKey: LIST_KEY,
    queryFn: ({ pageParam, signal }) => fetchDomainPage(pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page * last.page_size < last.total ? last.page + 1 : undefined),
    refetchInterval: ({ state }) => {
      const isChecking = state.data && loadedDomains(state.data).some(({ checking }) => checking);
      return !connected && isChecking ? POLL_WHILE_CHECKING_MS : false;
    },
  });
}

export function useDomainSummary() {
  return useQuery({ queryKey: SUMMARY_KEY, queryFn: ({ signal }) => fetchSummary(signal) });
}

export function useCertificateHistory(id: string) {
  return useQuery({ queryKey: historyKey(id), queryFn: ({ signal }) => fetchHistory(id, signal) });
}

export interface DomainCache {
  /** After an own call: the domain as the server now has it, prepended if it is new. */
  put: (domain: DomainWire) => void;
  /** After a report that came by itself. */
  report: (domain: DomainWire) => void;
  remove: (id: string) => void;
  /** How many domains there are now; 0 before the list was read. */
  count: () => number;
  /** After a change of which only a part was answered. */
  reread: () => void;
}

/** The one way in which answers and events change what is cached. */
export function useDomainCache(): DomainCache {
  const queryClient = useQueryClient();
  return useMemo(() => {
    const change = (next: (pages: DomainPages) => DomainPages) =>
      queryClient.setQueryData<DomainPages>(LIST_KEY, (pages) => pages && next(pages));
    const formerOf = (id: string) => {
      const pages = queryClient.getQueryData<DomainPages>(LIST_KEY);
      return pages && loadedDomains(pages).find((domain) => domain.id === id);
    };
    const refreshSummary = () => void queryClient.invalidateQueries({ queryKey: SUMMARY_KEY });
    const refreshHistory = (domain: DomainWire) => {
      if (formerOf(domain.id)?.fingerprint !== domain.fingerprint)
        void queryClient.invalidateQueries({ queryKey: historyKey(domain.id) });
    };
    return {
      put: (domain) => {
        refreshHistory(domain);
        change((pages) => withDomain(pages, domain));
        refreshSummary();
      },
      report: (domain) => {
        refreshHistory(domain);
        change((pages) => withReportedDomain(pages, domain));
      },
      remove: (id) => {
        change((pages) => withoutDomain(pages, id));
        const pages = queryClient.getQueryData<DomainPages>(LIST_KEY);
        // What follows has moved up by one on the server, so that the next page would leave one out.
        if (pages && loadedDomains(pages).length < totalDomains(pages))
          void queryClient.invalidateQueries({ queryKey: LIST_KEY });
        refreshSummary();
      },
      count: () => {
        const pages = queryClient.getQueryData<DomainPages>(LIST_KEY);
        return pages ? totalDomains(pages) : 0;
      },
      reread: () => {
        void queryClient.invalidateQueries({ queryKey: LIST_KEY });
        refreshSummary();
      },
    };
  }, [queryClient]);
}

/** Lets the server's events change what is cached. The summary is read once for a burst of them. */
export function useLiveDomains(): void {
  const queryClient = useQueryClient();
  const cache = useDomainCache();
  const summaryTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(summaryTimer.current), []);
  useLiveEvents((event) => {
    if (event.event === 'domain_removed') cache.remove(event.data.id);
    // A change of the plan pauses and resumes domains.
    if (event.event === 'account') cache.reread();
    if (event.event !== 'domain') return;
    cache.report(event.data);
    clearTimeout(summaryTimer.current);
    summaryTimer.current = setTimeout(
      () => void queryClient.invalidateQueries({ queryKey: SUMMARY_KEY }),
      SUMMARY_DELAY_MS,
    );
  });
}
