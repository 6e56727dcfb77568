/** What a run of one fault came to. */
export interface Outcome {
  /** What is printed of it: one line. */
  line: string;
  /** The limits that it broke, in words; empty when all is well. */
  broken: string[];
}

/** Collects broken limits. */
export function createLimits(): { broken: string[]; hold(is: boolean, what: string): void } {
  const broken: string[] = [];
  return {
    broken,
    hold(is, what) {
      if (!is) broken.push(what);
    },
  };
}
