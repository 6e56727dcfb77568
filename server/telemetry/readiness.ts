import { setMaxListeners } from 'node:events';

/** Whether new work should come to this process. */
export interface Readiness {
  readonly isDraining: boolean;
  /** Fires when it begins to drain: what waits or streams for ever ends then. */
  readonly draining: AbortSignal;
  /** From now on the process only finishes what it has; load balancers and Kubernetes are told so. */
  drain(): void;
}

export function createReadiness(): Readiness {
  const draining = new AbortController();
  // One listener for each open event stream: their number is bounded elsewhere.
  setMaxListeners(0, draining.signal);
  return {
    get isDraining() {
      return draining.signal.aborted;
    },
    draining: draining.signal,
    drain: () => draining.abort(),
  };
}
