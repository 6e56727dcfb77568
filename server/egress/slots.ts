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
