import { defineConfig } from '@playwright/test';
import { BROWSER_FLAGS, findBrowser } from '../kit/machine/browser.ts';

/** Returns the browser that `npm test` has found and passed on, or finds one if Playwright was started by hand. */
function browser(): { executablePath: string; env: Record<string, string> } {
  const executablePath = process.env['JOURNEY_BROWSER'];
  if (executablePath !== undefined)
    return { executablePath, env: JSON.parse(process.env['JOURNEY_BROWSER_ENV'] ?? '{}') };
  const found = findBrowser();
  if (!found) throw new Error('No Chromium was found. Set BROWSER_PATH.');
  return found;
}

const inCi = process.env['CI'] === 'true';
const { executablePath, env } = browser();

export default defineConfig({
  testDir: '.',
  testMatch: '*.journey.ts',
  testIgnore: 'firebase/**',
  outputDir: '../../test-results',
  workers: 2,
  fullyParallel: false,
  // The timeouts only detect hangs: a busy machine may stall the browser or the server for several seconds.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: inCi,
  // scripts/test.ts prints each retry and limits their number.
  retries: inCi ? 1 : 0,
  reporter: [['list'], ['json']],
  use: {
    launchOptions: {
      executablePath,
      args: BROWSER_FLAGS,
      env: { ...process.env, ...env },
    },
    locale: 'en-GB',
    timezoneId: 'Europe/Oslo',
    // Measured: animations took a sixth of the CPU time. Only the main journey and the specification tests switch them on.
    contextOptions: { reducedMotion: 'reduce' },
    screenshot: 'only-on-failure',
  },
});
