/** A wake-up that is never missed: a ring while nobody waits lets the next wait return at once. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or after `ms` of real time. */
  wait(ms: number): Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = null;
      rung = false;
    },
  };
}
