import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ServerEvent } from '../../contract/event.ts';
import { useLiveEvents } from '../lib/live-events-context.ts';
import { cachedDomain, createDomainCache, SUMMARY_KEY } from './domain-cache.ts';
import { throttled } from './throttle.ts';

const REREAD_THROTTLE = { delayMs: 500, spacingMs: 2000 };

/** Applies the server's events to the cache. Refetches are throttled. */
export function createLiveDomains(queryClient: QueryClient) {
  const cache = createDomainCache(queryClient);
  const currentSummary = () => queryClient.getQueryData(SUMMARY_KEY);
  let listedSummary = currentSummary();
  const all = throttled(() => cache.reread(), REREAD_THROTTLE);
  // Only the summary tells whether a domain that is not loaded has changed. A page that does not show the summary does not
  // read it. There, mark the lists as outdated too.
  const rereadSummary = async () => {
    await queryClient.invalidateQueries({ queryKey: SUMMARY_KEY });
    const isShown = queryClient.getQueryCache().find({ queryKey: SUMMARY_KEY })?.isActive() === true;
    if (!isShown || currentSummary() !== listedSummary) cache.rereadLists();
    listedSummary = currentSummary();
  };
  const summary = throttled(() => void rereadSummary(), REREAD_THROTTLE);
  return {
    take: (event: ServerEvent): void => {
      // A plan change pauses and resumes domains.
      if (event.event === 'account') cache.reread();
      if (event.event === 'domain_removed') {
        cache.reportRemoved(event.data.id);
        all();
      }
      if (event.event !== 'domain') return;
      const isStart = event.data.checking && cachedDomain(queryClient, event.data.id)?.checking === false;
      if (cache.report(event.data)) all();
      // The start of a check does not change the summary.
      else if (!isStart) summary();
    },
    /** Cancels pending refetches. */
    cancel: () => {
      all.cancel();
      summary.cancel();
    },
  };
}

/** Applies the server's events to the cached domains while mounted. */
export function useLiveDomains(): void {
  const queryClient = useQueryClient();
  const [live] = useState(() => createLiveDomains(queryClient));
  useEffect(() => live.cancel, [live]);
  useLiveEvents(live.take);
}
