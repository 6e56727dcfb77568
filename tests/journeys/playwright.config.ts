import { defineConfig } from '@playwright/test';
import { BROWSER_FLAGS, findBrowser } from '../kit/browser.ts';

/** `npm test` finds the browser once and names it here; run by hand, this file looks for itself. */
function browser(): { executablePath: string; env: Record<string, string> } {
  const executablePath = process.env['JOURNEY_BROWSER'];
  if (executablePath !== undefined)
    return { executablePath, env: JSON.parse(process.env['JOURNEY_BROWSER_ENV'] ?? '{}') };
  const found = findBrowser();
  if (!found) throw new Error('No Chromium was found; BROWSER_PATH names one.');
  return found;
}

const { executablePath, env } = browser();

export default defineConfig({
  testDir: '.',
  testMatch: '*.journey.ts',
  testIgnore: 'firebase/**',
  outputDir: '../../test-results',
  workers: 2,
  fullyParallel: false,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env['CI'] === 'true',
  reporter: [['list'], ['json']],
  use: {
    launchOptions: {
      executablePath,
      args: BROWSER_FLAGS,
      env: { ...process.env, ...env },
    },
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    // Measured: a sixth of the processors' time went into what moves. The main way and the specification are walked with it.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
  },
});
