import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Measured: half of its time went into loading the same modules for each file anew. What a test puts in the place of
          // something global it takes away again.
          isolate: false,
          include: ['{contract,server,web,scripts}/**/*.test.{ts,tsx}', 'tests/*.test.ts'],
          // Minting large RSA keys beside lint and types took more than the five seconds of the default.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          // Measured: a third of its time went into loading the server for each file anew. Modules of the server and of the
          // kit keep nothing but what never changes.
          isolate: false,
          include: ['tests/{kit,egress,probe,store,channels,worker,api,process}/**/*.test.ts'],
          globalSetup: ['tests/kit/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'crash',
          include: ['tests/crash/**/*.test.ts'],
          globalSetup: ['tests/kit/global-setup.ts'],
          testTimeout: 240_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
