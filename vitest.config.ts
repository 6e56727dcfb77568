import { defineConfig } from 'vitest/config';

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
          // Minting large RSA keys takes more than the default of five seconds while lint and type checks run.
          testTimeout: 30_000,
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
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'crash',
          include: ['tests/crash/**/*.test.ts'],
          globalSetup: ['tests/kit/databases/global-setup.ts'],
          testTimeout: 240_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
