import { focusManager, type Query, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

const RETRIES = 3;

/** Returns whether to retry a failed read. A refusal (4xx) is not retried, because the server would refuse again. */
export function mayRetry(failures: number, error: unknown): boolean {
  const status = error instanceof ApiError ? error.status : 0;
  return failures < RETRIES && !(status >= 400 && status < 500);
}

/** Returns 1 s, 2 s, 4 s … up to 30 s. `attempt` counts from 0. */
export function retryDelayMs(attempt: number): number {
  return Math.min(1000 * 2 ** attempt, 30_000);
}

/** Calls `seen` when the window gets the focus or the tab becomes visible. The library itself only watches the tab. */
function onFocus(seen: () => void): () => void {
  const report = () => seen();
  const stop = new AbortController();
  for (const event of ['focus', 'visibilitychange'])
    window.addEventListener(event, report, { signal: stop.signal });
  return () => stop.abort();
}

/** Creates the query cache. Data is fresh for 60 s and dropped 5 minutes after its last use. */
export function createQueryClient(): QueryClient {
  if (typeof window !== 'undefined') focusManager.setEventListener(onFocus);
  const queryClient = new QueryClient({
    defaultOptions: {
      queries: {
        retry: mayRetry,
        retryDelay: retryDelayMs,
        staleTime: MINUTE_MS,
        gcTime: 5 * MINUTE_MS,
        refetchOnWindowFocus: false,
      },
      // A write fails at once when offline. If it were paused, it would be sent later, after the user had given up.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  rereadFirstReads(queryClient);
  return queryClient;
}

/**
 * Reads a query again if it was invalidated during its first read. The library restarts later reads, but not the first one,
 * whose answer may be older than the change.
 */
function rereadFirstReads(queryClient: QueryClient): void {
  const outdated = new WeakSet<Query>();
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    const { data, fetchStatus, isInvalidated } = query.state;
    if (action.type === 'fetch') {
      outdated.delete(query);
      // Reset the flag. After a failed first read it would still be set, and the query would not report the next
      // invalidation.
      if (data === undefined && isInvalidated) query.setState({ isInvalidated: false });
    }
    if (action.type === 'invalidate' && data === undefined && fetchStatus !== 'idle') outdated.add(query);
    if (action.type === 'success' && action.manual !== true && outdated.delete(query))
      void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
}
