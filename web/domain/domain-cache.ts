import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DomainWire, SummaryWire } from '../../contract/domain.ts';
import { rereadUnconfirmed } from '../lib/account/standing.ts';
import { filterParts, isUnfiltered, type ListFilter } from './domain-filter.ts';
import {
  type DomainPage,
  findDomain,
  type LoadedPages,
  totalOf,
  withoutDomains,
  withPrepended,
  withReplaced,
} from './list-cache.ts';

// Cached in place of a single domain after its removal.
const REMOVED = null;
const ALL_LISTS = ['domains', 'list'] as const;
/** Query key of the ids and the groups of filtered lists. Both are invalidated together. */
export const ALL_IDS = ['domains', 'ids'] as const;
export const SUMMARY_KEY = ['domains', 'summary'] as const;
// A string, because an object in a query key would also match objects with more properties.
export const listKey = (filter: ListFilter) =>
  [...ALL_LISTS, JSON.stringify([...filterParts(filter), filter.sort, filter.direction])] as const;
export const pageKey = (filter: ListFilter, page: number) => [...listKey(filter), page] as const;
export const domainKey = (id: string) => ['domains', 'one', id] as const;
export const historyKey = (id: string) => ['domains', 'history', id] as const;

export interface DomainCache {
  /** After a call of this page: stores the server's version, and prepends a new domain. */
  put: (domain: DomainWire) => void;
  /** After a live event: replaces the domain if it is loaded. Returns whether the lists must be read again. */
  report: (domain: DomainWire) => boolean;
  /** After a call of this page that removed domains. */
  remove: (ids: readonly string[]) => void;
  /** After a live event about a removal: removes the domain like `remove`, but leaves reading the lists again to the caller. */
  reportRemoved: (id: string) => void;
  /** Returns the number of domains, as far as known. */
  count: () => number;
  /** Reads the lists, their ids and groups again. */
  rereadLists: () => void;
  /** Reads everything again, after a change of several domains. */
  reread: () => void;
}

/** Returns the cache of domains. Only its functions change cached domains, both for responses and for events. */
export function useDomainCache(): DomainCache {
  const queryClient = useQueryClient();
  return useMemo(() => createDomainCache(queryClient), [queryClient]);
}

/** Returns the cached pages of a list. */
export function cachedPages(queryClient: QueryClient, filter: ListFilter): LoadedPages {
  return pagesBelow(queryClient, listKey(filter));
}

/** Returns a loaded domain from any list. */
export function cachedDomain(queryClient: QueryClient, id: string): DomainWire | undefined {
  for (const { pages } of cachedLists(queryClient)) {
    const found = findDomain(pages, id);
    if (found) return found;
  }
  return queryClient.getQueryData<DomainWire | typeof REMOVED>(domainKey(id)) ?? undefined;
}

/** Tells whether this page has learned that the domain was removed, so that nothing requests it again. */
export function isRemoved(queryClient: QueryClient, id: string): boolean {
  return queryClient.getQueryData(domainKey(id)) === REMOVED;
}

/** Tells whether `answer` includes fewer checks than the shown domain. */
function isOlder({ last_checked_at: at }: DomainWire, known: DomainWire | undefined): boolean {
  const knownAt = known?.last_checked_at ?? null;
  return knownAt !== null && (at === null || Date.parse(at) < Date.parse(knownAt));
}

/**
 * Returns everything about the domain that can decide whether and where a list shows it. Names and creation times are left
 * out, because they never change.
 */
function placeOf({
  state,
  expiry_date,
  attention,
  trusted,
  paused,
  unreachable,
  uptime,
  notes,
  tags,
  renewal,
}: DomainWire) {
  return JSON.stringify([
    state,
    expiry_date,
    attention,
    trusted,
    paused,
    unreachable === null,
    uptime.state,
    renewal?.overdue_at,
    notes,
    tags,
  ]);
}

/** Creates what `useDomainCache` returns, for code outside of components. */
export function createDomainCache(queryClient: QueryClient): DomainCache {
  const rereadLists = () => {
    for (const queryKey of [ALL_LISTS, ALL_IDS]) void queryClient.invalidateQueries({ queryKey });
  };
  const rereadSummary = () => {
    void queryClient.invalidateQueries({ queryKey: SUMMARY_KEY });
    rereadUnconfirmed(queryClient);
  };
  const reread = () => {
    rereadLists();
    rereadSummary();
  };

  /** Replaces the domain wherever it is loaded. Returns whether a list may have changed in more than this one row. */
  const replace = (domain: DomainWire): boolean => {
    // A read that is in flight may return older data than what is stored now.
    const isReading = queryClient.isFetching({ queryKey: ALL_LISTS }) > 0;
    const former = cachedDomain(queryClient, domain.id);
    if (former?.fingerprint !== domain.fingerprint)
      void queryClient.invalidateQueries({ queryKey: historyKey(domain.id) });
    queryClient.setQueryData<DomainWire | typeof REMOVED>(domainKey(domain.id), (single) => single && domain);
    for (const { filter, pages } of cachedLists(queryClient))
      write(queryClient, filter, pages, withReplaced(pages, domain));
    return isReading || (former !== undefined && placeOf(former) !== placeOf(domain));
  };

  const dropEverywhere = (ids: readonly string[]) => {
    const gone = new Set(ids);
    for (const id of ids) queryClient.setQueryData(domainKey(id), REMOVED);
    for (const { filter, pages } of cachedLists(queryClient))
      write(queryClient, filter, pages, withoutDomains(pages, gone));
  };

  /** Adds a new domain to the lists that certainly begin with it. */
  const showFirst = (domain: DomainWire) => {
    for (const { filter, pages } of cachedLists(queryClient))
      if (
        isUnfiltered(filter) &&
        ((filter.sort === 'newest' && filter.direction !== 'asc') || totalOf(pages) === 0)
      )
        write(queryClient, filter, pages, withPrepended(pages, domain));
    queryClient.setQueryData<SummaryWire>(SUMMARY_KEY, (summary) => summary && withOne(summary));
  };

  return {
    put: (domain) => {
      const known = cachedDomain(queryClient, domain.id);
      const isNew = known === undefined;
      // A response can arrive after the event of a later change: it says that a check has started, and the event came when that
      // check ended. Such a response is ignored.
      const isOutdated = !isOlder(domain, known) && replace(domain);
      if (isNew) showFirst(domain);
      // If the event of the same change came first, the response changes nothing. A check that has only started changes no
      // list.
      if (isNew || isOutdated || !domain.checking) rereadLists();
      rereadSummary();
    },
    report: replace,
    remove: (ids) => {
      dropEverywhere(ids);
      reread();
    },
    reportRemoved: (id) => dropEverywhere([id]),
    // A live event can add a domain to the lists before the summary is refetched.
    count: () =>
      Math.max(
        queryClient.getQueryData<SummaryWire>(SUMMARY_KEY)?.total ?? 0,
        ...cachedLists(queryClient).map(({ pages }) => totalOf(pages)),
      ),
    rereadLists,
    reread,
  };
}

/**
 * Returns the summary with a new domain, so that the headline counts it until the summary is read again. It is counted as
 * pending even if it has been checked: only the server knows whether it needs attention.
 */
function withOne(summary: SummaryWire): SummaryWire {
  const { total, counts } = summary;
  return { ...summary, total: total + 1, counts: { ...counts, pending: counts.pending + 1 } };
}

interface CachedList {
  filter: ListFilter;
  pages: LoadedPages;
}

function cachedLists(queryClient: QueryClient): CachedList[] {
  const filters = new Map<string, ListFilter>();
  for (const { queryKey, meta } of queryClient.getQueryCache().findAll({ queryKey: ALL_LISTS })) {
    const [, , text] = queryKey as unknown as ReturnType<typeof pageKey>;
    filters.set(text, meta?.['filter'] as ListFilter);
  }
  return [...filters.values()].map((filter) => ({ filter, pages: cachedPages(queryClient, filter) }));
}

function pagesBelow(queryClient: QueryClient, queryKey: ReturnType<typeof listKey>): LoadedPages {
  const pages = new Map<number, DomainPage>();
  for (const query of queryClient.getQueryCache().findAll({ queryKey })) {
    const page = query.state.data as DomainPage | undefined;
    if (page) pages.set((query.queryKey as unknown as ReturnType<typeof pageKey>)[3], page);
  }
  return pages;
}

/** Keeps the time at which each page was read and whether it is stale: changing one row does not refresh the other rows. */
function write(queryClient: QueryClient, filter: ListFilter, former: LoadedPages, next: LoadedPages): void {
  for (const [number, page] of next) {
    if (page === former.get(number)) continue;
    const queryKey = pageKey(filter, number);
    const state = queryClient.getQueryState(queryKey);
    queryClient.setQueryData(queryKey, page, { updatedAt: state?.dataUpdatedAt ?? 0 });
    if (state?.isInvalidated === true) void queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
  }
}
