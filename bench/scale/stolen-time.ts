import { readFileSync } from 'node:fs';

interface Ticks {
  all: number;
  stolen: number;
}

/** Returns the CPU ticks of all processors since boot; null if the kernel does not provide them (proc_stat(5)). */
function readTicks(): Ticks | null {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const counts = line.trim().split(/\s+/).slice(1, 9).map(Number);
    return { all: counts.reduce((sum, count) => sum + count, 0), stolen: counts[7] ?? 0 };
  } catch {
    return null;
  }
}

// Steal time is CPU time that the hypervisor gives to other virtual machines while this one needs it. A high share makes
// the figures unreliable.

/**
 * Starts to measure steal time. The returned function returns the share of steal time since the start, 0 to 1; null if the
 * kernel provides no ticks or none has passed.
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
