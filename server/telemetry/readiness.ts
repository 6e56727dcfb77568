import { setMaxListeners } from 'node:events';

/** Whether this process should receive new work. */
export interface Readiness {
  readonly isDraining: boolean;
  /** Aborts when draining starts, which ends event streams and long waits. */
  readonly draining: AbortSignal;
  /**
   * Starts draining: the process only finishes its current work and reports "not ready" to load balancers and
   * Kubernetes.
   */
  drain(): void;
}

export function createReadiness(): Readiness {
  const draining = new AbortController();
  // No limit on listeners: every open event stream adds one, and their number is limited elsewhere.
  setMaxListeners(0, draining.signal);
  return {
    get isDraining() {
      return draining.signal.aborted;
    },
    draining: draining.signal,
    drain: () => draining.abort(),
  };
}
