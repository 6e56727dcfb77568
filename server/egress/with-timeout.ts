/** Time limit of a step: a timeout in ms and an abort signal, whichever comes first. */
export interface TimeLimit {
  ms: number;
  signal: AbortSignal;
}

/**
 * Returns the result of `work`, or `late` once the limit is reached. Rejects if `work` rejects before that. Does not
 * cancel `work`. Removes its timer and listener.
 */
export async function withTimeout<T, L>(work: Promise<T>, limit: TimeLimit, late: L): Promise<T | L> {
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

/** Creates a semaphore: runs at most `limit` tasks at a time and queues the others in order of arrival (FIFO). */
export function createSemaphore(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let permits = limit;
  return async (task) => {
    if (permits > 0) permits--;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await task();
    } finally {
      // Pass the permit directly to the next waiting task, so that a new task cannot take it first.
      const next = waiting.shift();
      if (next === undefined) permits++;
      else next();
    }
  };
}
