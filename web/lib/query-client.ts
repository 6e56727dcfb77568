import { QueryClient } from '@tanstack/react-query';
import type { Query } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const RETRIES = 3;
/** First part of the key of the only read that belongs to no user. */
export const PUBLIC_CONFIG_KEY = 'public-config';

/** A refusal (4xx) stays one however often it is asked for; everything else may pass. */
export function mayRetry(failures: number, error: unknown): boolean {
  const status = error instanceof ApiError ? error.status : 0;
  return failures < RETRIES && !(status >= 400 && status < 500);
}

/** 1 s, 2 s, 4 s … capped at 30 s. `attempt` counts from 0. */
export function retryDelayMs(attempt: number): number {
  return Math.min(1000 * 2 ** attempt, 30_000);
}

/** The cache of everything that is read: 60 s fresh, dropped 5 minutes after its last use. */
export function createQueryClient(): QueryClient {
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        retry: mayRetry,
        retryDelay: retryDelayMs,
        staleTime: MINUTE_MS,
        gcTime: 5 * MINUTE_MS,
        refetchOnWindowFocus: false,
      },
      // Writes fail at once when offline. Paused ones would be sent later, after the user had given up.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  rereadFirstReads(queryClient);
  return queryClient;
}

/**
 * The library begins a read anew when what it reads has changed, but not the first one: that one's answer, perhaps given before
 * the change, would stand. It is read once more.
 */
function rereadFirstReads(queryClient: QueryClient): void {
  const outdated = new WeakSet<Query>();
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    const { data, fetchStatus, isInvalidated } = query.state;
    if (action.type === 'fetch') {
      outdated.delete(query);
      // After a first read that failed or was broken off it would not say that it is outdated once more.
      if (data === undefined && isInvalidated) query.setState({ isInvalidated: false });
    }
    if (action.type === 'invalidate' && data === undefined && fetchStatus !== 'idle') outdated.add(query);
    if (action.type === 'success' && action.manual !== true && outdated.delete(query))
      void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
}

/** Drops what was read for the user who was signed in; the deployment's public settings stay. */
export function forgetUser(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== PUBLIC_CONFIG_KEY });
}
