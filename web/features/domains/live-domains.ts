import type { QueryClient } from '@tanstack/react-query';
import type { ServerEvent } from '../../../contract/event.ts';
import { cachedDomain, createDomainCache, SUMMARY_KEY } from './domain-cache.ts';
import { paced } from './paced.ts';

const REREAD_PACE = { delayMs: 500, spacingMs: 2000 };

/** Changes what is cached by the server's events. A burst of them leads to one new reading, a stream to a steady one. */
export function createLiveDomains(queryClient: QueryClient) {
  const cache = createDomainCache(queryClient);
  const all = paced(() => cache.reread(), REREAD_PACE);
  const summary = paced(() => void queryClient.invalidateQueries({ queryKey: SUMMARY_KEY }), REREAD_PACE);
  return {
    take: (event: ServerEvent): void => {
      // A change of the plan pauses and resumes domains.
      if (event.event === 'account') cache.reread();
      if (event.event === 'domain_removed') {
        if (cache.reportRemoved(event.data.id)) all();
        else summary();
      }
      if (event.event !== 'domain') return;
      const isStart = event.data.checking && cachedDomain(queryClient, event.data.id)?.checking === false;
      if (cache.report(event.data)) all();
      // That a check has begun is nothing that the summary tells.
      else if (!isStart) summary();
    },
    /** Forgets what is still to be read. */
    cancel: () => {
      all.cancel();
      summary.cancel();
    },
  };
}
