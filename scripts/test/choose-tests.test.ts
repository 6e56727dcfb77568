import { describe, expect, it } from 'vitest';
import type { Import } from '../house/imports.ts';
import { chooseTests, NEAREST } from './choose-tests.ts';

const imported = (from: string, to: string): Import => ({
  from,
  to,
  typeOnly: false,
  isDynamic: false,
  isReexport: false,
});

/** Chooses tests for changed files in a project with these imports, and with `others`, files without imports. */
function choose(changed: string[], imports: Import[], others: string[] = []) {
  const files = [...new Set([...imports.flatMap(({ from, to }) => [from, to]), ...others])];
  return chooseTests(changed, files, imports);
}

const RETRY = 'server/core/retry.ts';

describe('chooseTests', () => {
  it('chooses unit tests that import a changed file, even indirectly, and tests that read files of the project', () => {
    const imports = [
      imported('server/core/health.ts', RETRY),
      imported('server/core/health.test.ts', 'server/core/health.ts'),
      imported('server/core/csv.test.ts', 'server/core/csv.ts'),
    ];
    expect(choose([RETRY], imports, ['tests/house.test.ts']).unit).toEqual([
      'server/core/health.test.ts',
      'tests/house.test.ts',
    ]);
  });

  it('ignores imports of types, because the type check covers them', () => {
    const test = 'server/core/health.test.ts';
    expect(choose([RETRY], [{ ...imported(test, RETRY), typeOnly: true }]).unit).toEqual([]);
  });

  it('prefers the integration tests that are the fewest imports from the change, then those of its folder', () => {
    const near = Array.from({ length: NEAREST - 1 }, (_, index) => `tests/api/near-${index}.test.ts`);
    const imports = [
      imported('tests/kit/far.ts', RETRY),
      imported('tests/api/far.test.ts', 'tests/kit/far.ts'),
      imported('tests/core/far.test.ts', 'tests/kit/far.ts'),
      ...near.map((test) => imported(test, RETRY)),
    ];
    const { integration, leftOut } = choose([RETRY], imports);
    expect(integration).toEqual([...near, 'tests/core/far.test.ts']);
    expect(leftOut).toEqual(['tests/api/far.test.ts']);
  });

  it('chooses a test that starts the product only if the test itself changed', () => {
    const start = 'tests/process/start.test.ts';
    const imports = [imported(start, RETRY)];
    expect(choose([RETRY], imports)).toMatchObject({ integration: [], leftOut: [] });
    expect(choose([start], imports).integration).toEqual([start]);
  });

  it('chooses changed journeys, and the main journey after a change to pages or journeys', () => {
    const list = 'tests/journeys/list.journey.ts';
    const main = 'tests/journeys/main-way.journey.ts';
    expect(choose(['web/ui/button.tsx'], [], [list, main]).journeys).toEqual([main]);
    expect(choose([list, 'tests/journeys/removed.journey.ts'], [], [list, main]).journeys).toEqual([
      main,
      list,
    ]);
    expect(choose([RETRY], [], [list, main]).journeys).toEqual([]);
  });

  it('chooses nothing if nothing changed', () => {
    expect(choose([], [], ['tests/house.test.ts']).unit).toEqual([]);
  });
});
