/** Result of one scenario. */
export interface Outcome {
  /** Summary to print, one line. */
  line: string;
  /** Descriptions of the broken limits; empty if all limits were met. */
  broken: string[];
}

/** Creates a collector of broken limits: `hold` adds `what` to `broken` if `is` is false. */
export function createLimits(): { broken: string[]; hold(is: boolean, what: string): void } {
  const broken: string[] = [];
  return {
    broken,
    hold(is, what) {
      if (!is) broken.push(what);
    },
  };
}
