import type { Signal, Store } from '../../store/db/open-store.ts';

const POLL_MS = 500;

/**
 * Reads again whenever a signal that matters came, until there is something to answer. Signals get lost, above all between
 * processes: it also polls. Listening starts at once: what is waited for may happen before the first read.
 */
export function waitForNews(store: Store, matters: (signal: Signal) => boolean) {
  let isNews = false;
  let wake: (() => void) | null = null;
  const unsubscribe = store.signals.subscribe((signal) => {
    if (!matters(signal)) return;
    isNews = true;
    wake?.();
  });

  return {
    /** What `read` found; null once `timeoutMs` are over or `signal` fired. */
    async until<T>(
      read: () => Promise<T | null>,
      { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
    ): Promise<T | null> {
      const deadline = performance.now() + timeoutMs;
      const stop = (): void => wake?.();
      signal?.addEventListener('abort', stop);
      try {
        for (;;) {
          isNews = false;
          const found = await read();
          if (found !== null) return found;
          const left = deadline - performance.now();
          if (left <= 0 || signal?.aborted) return null;
          if (!isNews) await pause(Math.min(POLL_MS, left));
          if (signal?.aborted) return null;
        }
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },
    stop: unsubscribe,
  };

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      wake = done;
      function done() {
        clearTimeout(timer);
        wake = null;
        resolve();
      }
    });
  }
}
