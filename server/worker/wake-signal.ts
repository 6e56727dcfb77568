/** A wake signal that is never lost: a ring while nobody waits makes the next wait return at once. */
export interface WakeSignal {
  ring(): void;
  /** Resolves at the next ring, or after `ms` of real time. */
  wait(ms: number): Promise<void>;
}

export function createWakeSignal(): WakeSignal {
  let isPending = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      isPending = true;
      wake?.();
    },
    async wait(ms) {
      if (!isPending) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = null;
      isPending = false;
    },
  };
}
