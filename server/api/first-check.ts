import { monitorOf, type Monitor } from '../store/monitors.ts';
import type { Store } from '../store/open-store.ts';

const POLL_MS = 500;

/** Waits for the result of a monitor's first check. Signals get lost, above all between processes: it also polls. */
export function watchFirstCheck(
  store: Store,
  { accountId, timeoutMs }: { accountId: string; timeoutMs: number },
) {
  const checked = new Set<string>();
  let wake: (() => void) | null = null;
  const unsubscribe = store.signals.subscribe((signal) => {
    if (signal.topic !== 'domain' || signal.accountId !== accountId) return;
    checked.add(signal.monitorId);
    wake?.();
  });

  return {
    /** The monitor once it has been checked; null when that did not happen in time. */
    async of(monitorId: string): Promise<Monitor | null> {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        checked.delete(monitorId);
        const monitor = await monitorOf(store, { accountId, monitorId });
        if (monitor === null || monitor.lastCheckedAt !== null) return monitor;
        const left = deadline - performance.now();
        if (left <= 0) return null;
        if (!checked.has(monitorId)) await pause(Math.min(POLL_MS, left));
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
