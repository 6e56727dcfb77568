/** Whether new work should come to this process. */
export interface Readiness {
  readonly isDraining: boolean;
  /** From now on the process only finishes what it has; load balancers and Kubernetes are told so. */
  drain(): void;
}

export function createReadiness(): Readiness {
  let isDraining = false;
  return {
    get isDraining() {
      return isDraining;
    },
    drain() {
      isDraining = true;
    },
  };
}
