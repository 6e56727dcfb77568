import { stripVTControlCharacters } from 'node:util';
import type { Outcome } from './outcome.ts';

/** The fields that we read of Playwright's JSON report. */
export interface PlaywrightReport {
  stats: { expected: number; skipped: number };
  suites: PlaywrightSuite[];
}
interface PlaywrightSuite {
  file: string;
  specs: { title: string; tests: PlaywrightTest[] }[];
  suites?: PlaywrightSuite[];
}
interface PlaywrightTest {
  /** A test is flaky if it failed first and passed when retried. */
  status: 'expected' | 'unexpected' | 'flaky' | 'skipped';
  /** One result per attempt. */
  results: { errors: { message: string }[] }[];
}

interface Retry {
  /** File and title of the test. */
  title: string;
  outcome: 'passed' | 'failed again';
  /** First lines of the error of the first attempt. */
  firstError: string;
}

const ERROR_LINES = 5;

/** Returns the outcome of a run of the journeys. Flaky tests count as passed. */
export function readJourneyReport({ stats, suites }: PlaywrightReport): Outcome & { retries: Retry[] } {
  const tests = suites.flatMap(testsOf);
  const flaky = tests.filter(({ status }) => status === 'flaky').length;
  const failed = tests.filter(({ status }) => status === 'unexpected');
  return {
    passed: stats.expected + flaky,
    skipped: stats.skipped,
    flaky,
    failures: failed.map(({ title }) => title),
    retries: tests.flatMap(({ title, status, results }) => {
      const [first, second] = results;
      // Do not count a test that passed and was only repeated because another test of its serial group failed.
      if (second === undefined || (status !== 'flaky' && status !== 'unexpected')) return [];
      const message = first?.errors[0]?.message ?? 'no error was reported';
      const firstError = stripVTControlCharacters(message)
        .trim()
        .split('\n')
        .slice(0, ERROR_LINES)
        .map((line) => `    ${line}`.trimEnd())
        .join('\n');
      return [{ title, outcome: status === 'flaky' ? 'passed' : 'failed again', firstError } as const];
    }),
  };
}

function testsOf({ file, specs, suites = [] }: PlaywrightSuite): (PlaywrightTest & { title: string })[] {
  const own = specs.flatMap(({ title, tests }) =>
    tests.map((test) => ({ ...test, title: `${file} › ${title}` })),
  );
  return [...own, ...suites.flatMap(testsOf)];
}
