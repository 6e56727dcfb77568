import { monitorOf, type Monitor } from '../../store/monitors/monitors.ts';
import type { Store } from '../../store/db/open-store.ts';
import { waitForNews } from '../http/wait-for-news.ts';

/** Waits for the result of a monitor's first check, until `signal` fires at the latest. */
export function watchFirstCheck(
  store: Store,
  { accountId, timeoutMs, signal }: { accountId: string; timeoutMs: number; signal: AbortSignal },
) {
  const news = waitForNews(store, (signal) => signal.topic === 'domain' && signal.accountId === accountId);
  return {
    /** The monitor once it has been checked; null when that did not happen in time, or it is gone. */
    async of(monitorId: string): Promise<Monitor | null> {
      const ended = await news.until(
        async () => {
          const monitor = await monitorOf(store, { accountId, monitorId });
          return monitor === null || monitor.lastCheckedAt !== null ? { monitor } : null;
        },
        { timeoutMs, signal },
      );
      return ended?.monitor ?? null;
    },
    stop: news.stop,
  };
}
