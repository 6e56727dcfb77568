import { defineConfig } from '@playwright/test';
import journeys from '../playwright.config.ts';

// A separate command, because only it needs the emulator.
export default defineConfig({
  ...journeys,
  testDir: '.',
  testIgnore: [],
  outputDir: '../../../test-results',
  workers: 1,
});
