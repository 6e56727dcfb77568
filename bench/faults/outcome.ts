/** Result of one scenario. */
export interface Outcome {
  /** Summary to print, one line. */
  line: string;
  /** Broken limits in words; empty if there are none. */
  broken: string[];
}

/** Returns a collector: `hold` adds `what` to `broken` unless `is` is true. */
export function createLimits(): { broken: string[]; hold(is: boolean, what: string): void } {
  const broken: string[] = [];
  return {
    broken,
    hold(is, what) {
      if (!is) broken.push(what);
    },
  };
}
