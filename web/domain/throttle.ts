interface ThrottleOptions {
  /** Time in ms from the first call to the run. */
  delayMs: number;
  /** Minimum time in ms between two runs. */
  spacingMs: number;
}

/** A throttled function: a burst of calls runs it once, a steady stream at a fixed rate. */
export interface Throttled {
  (): void;
  cancel: () => void;
}

export function throttled(work: () => void, { delayMs, spacingMs }: ThrottleOptions): Throttled {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const call = () => {
    if (timer !== undefined) return;
    const wait = Math.max(delayMs, lastAt + spacingMs - performance.now());
    timer = setTimeout(() => {
      timer = undefined;
      lastAt = performance.now();
      work();
    }, wait);
  };
  const cancel = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return Object.assign(call, { cancel });
}
