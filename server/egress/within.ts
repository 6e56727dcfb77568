/** How long one step may take: its own cap in ms, and the caller's signal. Whatever ends first ends it. */
export interface Limit {
  ms: number;
  signal: AbortSignal;
}

/** The work's result, or `late` once the limit is reached. Leaves no timer and no listener behind. */
export async function within<T, L>(work: Promise<T>, limit: Limit, late: L): Promise<T | L> {
  const { promise: reached, resolve } = Promise.withResolvers<L>();
  const stop = (): void => resolve(late);
  const timer = setTimeout(stop, limit.ms);
  limit.signal.addEventListener('abort', stop, { once: true });
  if (limit.signal.aborted) stop();
  try {
    return await Promise.race([work, reached]);
  } finally {
    clearTimeout(timer);
    limit.signal.removeEventListener('abort', stop);
  }
}

/** Lets at most `limit` tasks run at a time; the others wait in order of arrival. */
export function createSlots(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (task) => {
    if (free > 0) free--;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await task();
    } finally {
      // The slot passes straight to the next in line, so that a newcomer cannot take it in between.
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
