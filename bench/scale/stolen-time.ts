import { readFileSync } from 'node:fs';

interface Ticks {
  all: number;
  stolen: number;
}

/** Returns CPU ticks of all processors since boot; null if the kernel does not provide them (proc_stat(5)). */
function readTicks(): Ticks | null {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const counts = line.trim().split(/\s+/).slice(1, 9).map(Number);
    return { all: counts.reduce((sum, count) => sum + count, 0), stolen: counts[7] ?? 0 };
  } catch {
    return null;
  }
}

/**
 * Starts measuring steal time. The returned function gives its share since then, 0 to 1: CPU time that the hypervisor
 * gave to other virtual machines while this one wanted it. A high share makes the figures unreliable.
 * It returns null if the kernel gives no ticks or none have passed.
 */
export function watchStolenTime(): () => number | null {
  const before = readTicks();
  return () => {
    const now = readTicks();
    return before && now && now.all > before.all
      ? (now.stolen - before.stolen) / (now.all - before.all)
      : null;
  };
}
