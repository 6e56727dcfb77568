import { setMaxListeners } from 'node:events';

/** State of this process: it takes new work until draining starts. */
export interface Readiness {
  readonly isDraining: boolean;
  /** Signal that aborts when draining starts. It ends event streams and long waits. */
  readonly draining: AbortSignal;
  /**
   * Starts draining: the process only finishes its current work and reports "not ready" to load balancers and
   * Kubernetes.
   */
  drain(): void;
}

export function createReadiness(): Readiness {
  const draining = new AbortController();
  // Remove the limit on listeners: every open event stream adds one, and another limit bounds the number of streams.
  setMaxListeners(0, draining.signal);
  return {
    get isDraining() {
      return draining.signal.aborted;
    },
    draining: draining.signal,
    drain: () => draining.abort(),
  };
}
