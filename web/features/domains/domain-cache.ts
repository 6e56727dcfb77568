import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DomainWire, SummaryWire } from '../../../contract/domain.ts';
import { rereadUnconfirmed } from '../../lib/standing.ts';
import type { ListFilter } from './domain-filter.ts';
import {
  comesFirst,
  findDomain,
  isOutdatedBy,
  loadedDomains,
  patched,
  prepended,
  without,
} from './list/list-cache.ts';
import type { DomainPage, LoadedPages } from './list/list-cache.ts';

// What stands for a domain that was read by itself once it is no more.
const REMOVED = null;
const ALL_LISTS = ['domains', 'list'] as const;
export const SUMMARY_KEY = ['domains', 'summary'] as const;
// As text: an object in a key would also match those that have more in them.
export const listKey = ({ q, status, tag, sort }: ListFilter) =>
  [...ALL_LISTS, JSON.stringify([q, status, tag, sort])] as const;
export const pageKey = (filter: ListFilter, page: number) => [...listKey(filter), page] as const;
export const domainKey = (id: string) => ['domains', 'one', id] as const;
export const historyKey = (id: string) => ['domains', 'history', id] as const;

export interface DomainCache {
  /** After an own call: the domain as the server now has it, prepended if it is new. */
  put: (domain: DomainWire) => void;
  /** After an own call for many: each in the place of its former self, where that is loaded. */
  patch: (domains: readonly DomainWire[]) => void;
  /** After a report that came by itself: as `patch`, and answers whether a list must be read again because of it. */
  report: (domain: DomainWire) => boolean;
  remove: (id: string) => void;
  removeAll: (ids: readonly string[]) => void;
  /** After a report that it was removed: as `report`, leaves all reading to the caller. */
  reportRemoved: (id: string) => boolean;
  /** How many domains there are now, as far as it is known. */
  count: () => number;
  /** After a change of which only a part was answered. */
  reread: () => void;
}

/** The one way in which answers and events change what is cached. */
export function useDomainCache(): DomainCache {
  const queryClient = useQueryClient();
  return useMemo(() => createDomainCache(queryClient), [queryClient]);
}

/** The pages of that list that were read and not dropped since. */
export function cachedPages(queryClient: QueryClient, filter: ListFilter): LoadedPages {
  return pagesBelow(queryClient, listKey(filter));
}

/** A loaded domain, of whichever list. */
export function cachedDomain(queryClient: QueryClient, id: string): DomainWire | undefined {
  for (const { pages } of cachedLists(queryClient)) {
    const found = findDomain(pages, id);
    if (found) return found;
  }
  return queryClient.getQueryData<DomainWire | typeof REMOVED>(domainKey(id)) ?? undefined;
}

/** Whether this page has heard that the domain was removed: nobody needs to ask for it any more. */
export function isRemoved(queryClient: QueryClient, id: string): boolean {
  return queryClient.getQueryData(domainKey(id)) === REMOVED;
}

/** Whether `answer` knows of fewer checks than what is shown. */
function isOlder({ last_checked_at: at }: DomainWire, known: DomainWire | undefined): boolean {
  const knownAt = known?.last_checked_at ?? null;
  return knownAt !== null && (at === null || Date.parse(at) < Date.parse(knownAt));
}

/** As `useDomainCache`, for what is no component. */
export function createDomainCache(queryClient: QueryClient): DomainCache {
  const rereadLists = () => void queryClient.invalidateQueries({ queryKey: ALL_LISTS });
  const rereadSummary = () => {
    void queryClient.invalidateQueries({ queryKey: SUMMARY_KEY });
    rereadUnconfirmed(queryClient);
  };
  // An answer on its way may be older than what is put into its place now.
  const isReading = () => queryClient.isFetching({ queryKey: ALL_LISTS }) > 0;

  const patchEverywhere = (domains: readonly DomainWire[]) => {
    for (const domain of domains) {
      if (cachedDomain(queryClient, domain.id)?.fingerprint !== domain.fingerprint)
        void queryClient.invalidateQueries({ queryKey: historyKey(domain.id) });
      queryClient.setQueryData<DomainWire | typeof REMOVED>(
        domainKey(domain.id),
        (former) => former && domain,
      );
    }
    let isOutdated = isReading();
    for (const { filter, pages } of cachedLists(queryClient)) {
      isOutdated ||= domains.some((domain) => isOutdatedBy(pages, filter, domain));
      write(queryClient, filter, pages, patched(pages, domains));
    }
    return isOutdated;
  };

  // An answer can come after the event of what happened later, like the end of the check that it started: what it says, the
  // event said too. Events come one after the other, each as new as it can be.
  const patchAnswered = (answers: readonly DomainWire[]) =>
    patchEverywhere(answers.filter((answer) => !isOlder(answer, cachedDomain(queryClient, answer.id))));

  const dropEverywhere = (ids: readonly string[]) => {
    const gone = new Set(ids);
    for (const id of ids) queryClient.setQueryData(domainKey(id), REMOVED);
    let isIncomplete = isReading();
    for (const { filter, pages } of cachedLists(queryClient)) {
      const next = without(pages, gone);
      write(queryClient, filter, pages, next);
      // What follows has moved up on the server: the last loaded page lacks some, and others are off by some.
      isIncomplete ||= loadedDomains(next).length < totalOf(next);
    }
    return isIncomplete;
  };
  const removeAll = (ids: readonly string[]) => {
    if (dropEverywhere(ids)) rereadLists();
    rereadSummary();
  };

  return {
    put: (domain) => {
      const isKnown = cachedDomain(queryClient, domain.id) !== undefined;
      let isOutdated = patchAnswered([domain]);
      if (!isKnown) {
        isOutdated = isReading();
        for (const { filter, pages } of cachedLists(queryClient)) {
          if (comesFirst(pages, filter)) write(queryClient, filter, pages, prepended(pages, domain));
          const next = cachedPages(queryClient, filter);
          isOutdated ||= !comesFirst(pages, filter) || loadedDomains(next).length < totalOf(next);
        }
        queryClient.setQueryData<SummaryWire>(
          SUMMARY_KEY,
          (summary) => summary && { ...summary, total: summary.total + 1 },
        );
      }
      if (isOutdated) rereadLists();
      rereadSummary();
    },
    patch: (domains) => {
      if (patchAnswered(domains)) rereadLists();
      rereadSummary();
    },
    report: (domain) => patchEverywhere([domain]),
    remove: (id) => removeAll([id]),
    removeAll,
    reportRemoved: (id) => dropEverywhere([id]),
    // A live event can add a domain to the lists before the summary is refetched.
    count: () =>
      Math.max(
        queryClient.getQueryData<SummaryWire>(SUMMARY_KEY)?.total ?? 0,
        ...cachedLists(queryClient).map(({ pages }) => totalOf(pages)),
      ),
    reread: () => {
      rereadLists();
      rereadSummary();
    },
  };
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

/** Keeps when each page was read, and that it must be read again: a change of one row makes none of the others newer. */
function write(queryClient: QueryClient, filter: ListFilter, former: LoadedPages, next: LoadedPages): void {
  if (next === former) return;
  for (const [number, page] of next) {
    if (page === former.get(number)) continue;
    const queryKey = pageKey(filter, number);
    const state = queryClient.getQueryState(queryKey);
    queryClient.setQueryData(queryKey, page, { updatedAt: state?.dataUpdatedAt ?? 0 });
    if (state?.isInvalidated === true) void queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
  }
}

function totalOf(pages: LoadedPages): number {
  return Math.max(0, ...[...pages.values()].map(({ total }) => total));
}
