import { defineConfig } from '@playwright/test';
import journeys from '../playwright.config.ts';

// Its own command, because the emulator is installed for it alone.
export default defineConfig({
  ...journeys,
  testDir: '.',
  testIgnore: [],
  outputDir: '../../../test-results',
  workers: 1,
});
