interface Pace {
  /** From the first call of a burst to the work. */
  delayMs: number;
  /** From one work to the next. */
  spacingMs: number;
}

/** What is called often and done seldom: a burst of calls does the work once, and an endless one at a steady pace. */
export interface Paced {
  (): void;
  cancel: () => void;
}

export function paced(work: () => void, { delayMs, spacingMs }: Pace): Paced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const call = () => {
    if (timer !== undefined) return;
    const wait = Math.max(delayMs, lastAt + spacingMs - Date.now());
    timer = setTimeout(() => {
      timer = undefined;
      lastAt = Date.now();
      work();
    }, wait);
  };
  const cancel = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return Object.assign(call, { cancel });
}
