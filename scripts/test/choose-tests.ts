import type { Import } from '../house/imports.ts';

/** The files that each stage runs for a change. */
export interface Choice {
  unit: string[];
  integration: string[];
  journeys: string[];
  /** Integration tests that import a changed file but are too many imports away to be chosen. */
  leftOut: string[];
}

/**
 * Number of integration test files to choose, in addition to those that changed themselves. Measured: 12 took 50 s on two
 * cores at a load of 13.
 */
export const NEAREST = 12;
const MAIN_JOURNEY = 'tests/journeys/main-way.journey.ts';

/**
 * Chooses the tests that a change is most likely to break. `changed` and `files` are paths relative to the project. `imports`
 * are the imports of all `files`, with one more for each thread or process that a file starts.
 */
export function chooseTests(
  changed: readonly string[],
  files: readonly string[],
  imports: readonly Import[],
): Choice {
  if (changed.length === 0) return { unit: [], integration: [], journeys: [], leftOut: [] };
  const distances = measureDistances(changed, imports);
  const distance = (file: string): number => distances.get(file) ?? Infinity;
  const rooms = changed.map((file) => /^server\/([^/]+)\//.exec(file)?.[1] ?? '');
  /** Returns 0 for a test in the folder of a changed room, such as tests/store for server/store, and 1 for others. */
  const rank = (test: string): number => (rooms.includes(test.split('/')[1] ?? '') ? 0 : 1);

  const tests = files.filter((file) => /\.test\.tsx?$/.test(file));
  const journeys = changed.filter((file) => isJourney(file) && files.includes(file));
  const integration = tests.filter((test) => isIntegration(test) && distance(test) === 0);
  const importing = tests
    .filter((test) => isIntegration(test) && !startsProcesses(test))
    .filter((test) => distance(test) > 0 && distance(test) < Infinity)
    .toSorted((one, other) => distance(one) - distance(other) || rank(one) - rank(other));
  const affectsPages = changed.some((file) => /^(?:web|tests\/journeys)\//.test(file));
  return {
    unit: tests.filter((test) => !isIntegration(test) && (readsFiles(test) || distance(test) < Infinity)),
    integration: [...integration, ...importing.slice(0, NEAREST)],
    journeys: affectsPages ? [...new Set([MAIN_JOURNEY, ...journeys])] : journeys,
    leftOut: importing.slice(NEAREST),
  };
}

/** Whether the file is a journey without Firebase's emulator. */
const isJourney = (file: string): boolean => /^tests\/journeys\/[^/]+\.journey\.ts$/.test(file);
const isIntegration = (test: string): boolean => /^tests\/[^/]+\//.test(test);
const startsProcesses = (test: string): boolean => /^tests\/(?:process|crash)\//.test(test);
/** Whether the test checks files of the project, such as documents, that it does not import. */
const readsFiles = (test: string): boolean => /^tests\/[^/]+$/.test(test);

/** Returns, for each file that imports a changed file, how many imports lie between the two; 0 for the changed files themselves. */
function measureDistances(changed: readonly string[], imports: readonly Import[]): Map<string, number> {
  const loaded = imports.filter(({ typeOnly }) => !typeOnly);
  const importers = Map.groupBy(loaded, ({ to }) => to);
  const distances = new Map(changed.map((file) => [file, 0]));
  // The loop also visits files that it has added itself.
  for (const [file, distance] of distances)
    for (const { from } of importers.get(file) ?? [])
      if (!distances.has(from)) distances.set(from, distance + 1);
  return distances;
}
