import { readFileSync } from 'node:fs';

/** Result of a stage. */
export interface Outcome {
  passed: number;
  skipped: number;
  /** Number of passed tests that failed first and passed when retried. */
  flaky: number;
  /** File and title of each failure, printed again at the end of the output. */
  failures: string[];
}

export const emptyOutcome = (): Outcome => ({ passed: 0, skipped: 0, flaky: 0, failures: [] });

/** Returns the outcome of a stage that was skipped because a program which it needs is missing. */
export const skippedStage = (): Outcome => ({ ...emptyOutcome(), skipped: 1 });

export function formatCounts({ passed, skipped, failures }: Outcome): string {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Returns the content of a test runner's JSON report; null if there is none. */
export function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Returns the outcome of a test runner that wrote no report. */
export function missingReport(name: string): Outcome {
  return { ...emptyOutcome(), failures: [`${name}: ended without a report`] };
}
