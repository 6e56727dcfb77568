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
