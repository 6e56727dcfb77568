import { join } from 'node:path';
import { findBrowser } from '../../tests/kit/machine/browser.ts';
import { installFirebaseEmulator } from '../../tests/kit/providers/firebase-emulator.ts';
import { missingReport, type Outcome, readReport } from './outcome.ts';
import { printLine, runCommand, tool } from './run-command.ts';

interface PlaywrightSuite {
  file: string;
  specs: { title: string; tests: { status: string }[] }[];
  suites?: PlaywrightSuite[];
}
interface PlaywrightReport {
  stats: { expected: number; skipped: number };
  suites: PlaywrightSuite[];
}

export interface JourneyRun {
  /** Folder of the Playwright configuration, relative to the project. */
  folder: string;
  shard: string | null;
  /** Folder of the report. */
  scratch: string;
}

function failedJourneys({ file, specs, suites = [] }: PlaywrightSuite): string[] {
  const failed = specs.filter(({ tests }) =>
    tests.some(({ status }) => status === 'unexpected' || status === 'flaky'),
  );
  return [...failed.map(({ title }) => `${file} › ${title}`), ...suites.flatMap(failedJourneys)];
}

export async function runFirebaseJourneys(run: Omit<JourneyRun, 'folder'>): Promise<Outcome> {
  if (installFirebaseEmulator()) return runJourneys({ ...run, folder: 'tests/journeys/firebase' });
  printLine('!! Firebase’s tools could not be installed: its journeys are skipped.');
  return { passed: 0, skipped: 1, failures: [] };
}

export async function runJourneys({ folder, shard, scratch }: JourneyRun): Promise<Outcome> {
  const browser = findBrowser();
  if (!browser) {
    printLine('!! No Chromium was found, and none could be installed: the browser journeys are skipped.');
    return { passed: 0, skipped: 1, failures: [] };
  }
  printLine(`The journeys run in ${browser.origin}`);
  const file = join(scratch, 'journeys.json');
  const config = ['--config', join(folder, 'playwright.config.ts')];
  const part = shard === null ? [] : [`--shard=${shard}`];
  const good = await runCommand([tool('playwright'), 'test', ...config, ...part], {
    env: {
      JOURNEY_BROWSER: browser.executablePath,
      JOURNEY_BROWSER_ENV: JSON.stringify(browser.env),
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    },
  });
  const report = readReport(file) as PlaywrightReport | null;
  if (!report) return missingReport('playwright');
  const { expected, skipped } = report.stats;
  const failures = report.suites.flatMap(failedJourneys);
  if (!good && failures.length === 0) failures.push('playwright: an error outside all journeys');
  return { passed: expected, skipped, failures };
}
