import { readFileSync } from 'node:fs';

interface Ticks {
  all: number;
  stolen: number;
}

/** Of all processors since the machine started; null where the kernel does not count them (proc_stat(5)). */
function ticks(): Ticks | null {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const counts = line.trim().split(/\s+/).slice(1, 9).map(Number);
    return { all: counts.reduce((sum, count) => sum + count, 0), stolen: counts[7] ?? 0 };
  } catch {
    return null;
  }
}

/**
 * From now on: which share of the processors' time the host of this virtual machine gave to others while they were wanted here, 0 to 1.
 * A figure that was taken meanwhile tells of the neighbours too.
 */
export function watchStolenTime(): () => number | null {
  const before = ticks();
  return () => {
    const now = ticks();
    return before && now && now.all > before.all
      ? (now.stolen - before.stolen) / (now.all - before.all)
      : null;
  };
}
