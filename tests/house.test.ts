import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, withoutComments } from '../scripts/house/imports.ts';
import { measureHouse } from '../scripts/house/measure.ts';

it('The layout figures of npm run house do not exceed their limits', () => {
  const { figures } = measureHouse();
  expect(figures).not.toEqual([]);
  for (const { name, value, limit } of figures) expect(value, name).toBeLessThanOrEqual(limit);
});

/** Files that may read the date of the machine. All others get a clock: `monotonic` for ages and windows in memory, `now` for dates. */
const DATE_READERS = [
  'server/probe/examiner-thread.ts',
  'server/probe/sources/disk-cache.ts',
  'server/probe/threaded-examiner.ts',
  'server/providers/identity/built-in.ts',
  'server/providers/identity/firebase.ts',
  'server/providers/identity/oidc-client.ts',
  'server/providers/identity/oidc.ts',
  'server/providers/payments/test-mode.ts',
  'server/store/schema/former-levels.ts',
  'server/store/schema/migrate.ts',
  'server/worker/clock.ts',
];

it('Only the listed files of the server read the date of the machine', () => {
  const readers = globSync('server/**/*.ts', { cwd: ROOT }).filter(
    (path) =>
      !path.endsWith('.test.ts') &&
      /\bDate\.now\b|\bnew Date\(\)/.test(withoutComments(readFileSync(join(ROOT, path), 'utf8'))),
  );
  expect(readers.toSorted()).toEqual(DATE_READERS);
});

/** Caches, limits and windows in memory. `.now()` is allowed only on `performance`. */
const AGES = [
  'server/api/http/answer-cache.ts',
  'server/api/http/rate-limit.ts',
  'server/probe/sources/request-quotas.ts',
  'server/providers/payments/paddle.ts',
  'server/worker/mass-failure.ts',
];

it.each(AGES)('%s measures ages by the monotonic clock only', (path) => {
  const code = withoutComments(readFileSync(join(ROOT, path), 'utf8'));
  expect(code.match(/\bDate\.now\b|(?<!performance)\.now\(/g)).toBeNull();
});
