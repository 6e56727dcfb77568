import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Runs the garbage collection, then returns the resident memory of this process in bytes. Unlike the heap, it includes
 * buffers and TLS state.
 */
export function residentBytes(): number {
  collect();
  collect();
  return process.memoryUsage().rss;
}

/** Runs the garbage collection, then returns the heap of this process in bytes. */
export function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/**
 * Runs `work` four times and returns the smallest growth of the resident memory between two runs, in bytes. A leak grows in
 * each run; memory that the process has not returned to the system yet does not.
 */
export async function leastGrowth(work: () => Promise<void>): Promise<number> {
  let least = Infinity;
  await work();
  for (let times = 0; times < 3; times++) {
    const before = residentBytes();
    await work();
    least = Math.min(least, residentBytes() - before);
  }
  return least;
}
