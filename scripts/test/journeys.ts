import { join } from 'node:path';
import { findBrowser } from '../../tests/kit/machine/browser.ts';
import { installFirebaseEmulator } from '../../tests/kit/providers/firebase-emulator.ts';
import { type PlaywrightReport, readJourneyReport } from './journey-report.ts';
import { missingReport, type Outcome, readReport, skippedStage } from './outcome.ts';
import { printLine, runCommand, toolPath } from './run-command.ts';

export interface JourneyRun {
  /** Folder of the Playwright configuration, relative to the project. */
  folder: string;
  shard: string | null;
  /** Journeys to run; undefined for all journeys of the folder. */
  files?: string[];
  /** Folder to write the report to. */
  scratch: string;
}

export async function runFirebaseJourneys(run: Omit<JourneyRun, 'folder' | 'files'>): Promise<Outcome> {
  if (installFirebaseEmulator()) return runJourneys({ ...run, folder: 'tests/journeys/firebase' });
  printLine('!! Firebase’s tools could not be installed: its journeys are skipped.');
  return skippedStage();
}

export async function runJourneys({ folder, shard, files = [], scratch }: JourneyRun): Promise<Outcome> {
  const browser = findBrowser();
  if (!browser) {
    printLine('!! No Chromium was found, and none could be installed: the browser journeys are skipped.');
    return skippedStage();
  }
  printLine(`The journeys run in ${browser.origin}`);
  const file = join(scratch, 'journeys.json');
  const config = ['--config', join(folder, 'playwright.config.ts')];
  const part = shard === null ? [] : [`--shard=${shard}`];
  const good = await runCommand([toolPath('playwright'), 'test', ...files, ...config, ...part], {
    env: {
      JOURNEY_BROWSER: browser.executablePath,
      JOURNEY_BROWSER_ENV: JSON.stringify(browser.env),
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
      // Node runs our TypeScript itself. Measured: compiling it takes 4 s of CPU time in Playwright's main process and more in workers.
      PW_DISABLE_TS_ESM: '1',
    },
  });
  const report = readReport(file) as PlaywrightReport | null;
  if (!report) return missingReport('playwright');
  const { retries, ...outcome } = readJourneyReport(report);
  for (const { title, outcome, firstError } of retries)
    printLine(`retried: ${title} (${outcome}). First error:\n${firstError}`);
  if (!good && outcome.failures.length === 0)
    outcome.failures.push('playwright: an error outside all journeys');
  return outcome;
}
