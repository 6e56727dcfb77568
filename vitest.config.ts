import { defineConfig } from 'vitest/config';

/**
 * Only detects hangs: a busy machine may stall each process for several seconds. Tests must not rely on a shorter limit, and need
 * their own only if they legitimately take minutes.
 */
const PATIENCE = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Measured: half of the time was spent on loading the same modules again for each file. Tests must therefore restore
          // whatever global they replace.
          isolate: false,
          include: ['{contract,server,web,scripts}/**/*.test.{ts,tsx}', 'tests/*.test.ts'],
          // Pages show dates in the visitor's time zone. Tests of another zone stub TZ.
          env: { TZ: 'UTC' },
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'integration',
          // Measured: a third of the time was spent on loading the server again for each file. Modules of the server and the
          // test kit must therefore keep no state.
          isolate: false,
          include: ['tests/{kit,egress,probe,store,channels,worker,api,process}/**/*.test.ts'],
          globalSetup: ['tests/kit/databases/global-setup.ts'],
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'crash',
          include: ['tests/crash/**/*.test.ts'],
          globalSetup: ['tests/kit/databases/global-setup.ts'],
          ...PATIENCE,
          testTimeout: 240_000,
        },
      },
    ],
  },
});
