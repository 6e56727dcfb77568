/** Result of one scenario. */
export interface Outcome {
  /** Summary to print, one line. */
  line: string;
  /** Descriptions of the broken limits; empty if all limits were met. */
  broken: string[];
}

/** Creates a collector of broken limits: `expect` adds `message` to `broken` unless `isMet`. */
export function createLimits(): { broken: string[]; expect(isMet: boolean, message: string): void } {
  const broken: string[] = [];
  return {
    broken,
    expect(isMet, message) {
      if (!isMet) broken.push(message);
    },
  };
}
