import type { Store } from '../../store/db/open-store.ts';
import type { Signal } from '../../store/db/signals.ts';

const POLL_MS = 500;

/**
 * Returns a waiter for data that a signal announces. Subscribes at once, because the signal may come before the first read. Also
 * polls every 500 ms, because signals may get lost, especially between processes.
 */
export function waitForSignal(store: Store, matches: (signal: Signal) => boolean) {
  let wasSignalled = false;
  let wake: (() => void) | null = null;
  const unsubscribe = store.signals.subscribe((signal) => {
    if (!matches(signal)) return;
    wasSignalled = true;
    wake?.();
  });

  return {
    /**
     * Calls `read` at once and after each matching signal, until it returns a result. Returns null after `timeoutMs`, or
     * when `signal` is aborted.
     */
    async until<T>(
      read: () => Promise<T | null>,
      { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
    ): Promise<T | null> {
      const deadline = performance.now() + timeoutMs;
      const stop = (): void => wake?.();
      signal?.addEventListener('abort', stop);
      try {
        for (;;) {
          wasSignalled = false;
          const found = await read();
          if (found !== null) return found;
          const left = deadline - performance.now();
          if (left <= 0 || signal?.aborted) return null;
          if (!wasSignalled) await pause(Math.min(POLL_MS, left));
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
