import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { COMPILE_CACHE } from '../tests/kit/product/app.ts';
import { readPromises } from '../tests/security/promise.ts';
import { readStatements } from '../tests/spec/spec.ts';
import { answerHelp } from './help-option.ts';
import { ROOT } from './house/imports.ts';
import { type Change, findChange } from './test/changed.ts';
import { NEAREST } from './test/choose-tests.ts';
import { runFirebaseJourneys, runJourneys } from './test/journeys.ts';
import { emptyOutcome, formatCounts, type Outcome } from './test/outcome.ts';
import { committedTree, hasPassed, recordPassed } from './test/passed-trees.ts';
import { printLine } from './test/run-command.ts';
import { runStaticChecks } from './test/static-checks.ts';
import { runVitest } from './test/vitest.ts';

answerHelp(`Runs every test stage, even if an earlier one failed. Prints the names of the failed tests and a count at the end.
With CI=true a skipped test counts as a failure, and a failed journey is retried once. The run passes with up to two such
flaky journeys.

  npm test                    all stages
  npm test -- unit journeys   some stages
  npm test -- --changed       what uncommitted changes and commits since the last one on origin/main most likely break
  npm test -- --changed=HEAD  the same for what changed since a commit
  npm test -- --everything    all stages, and every suite that needs a database on both of them
  npm test -- --shard 1/4     a quarter of the test files of each stage; the checks run in the first quarter
  npm test -- firebase        the journeys with Firebase's emulator, which needs a large download

A full run that passes adds git's id of the tree to ~/.local/state/certlantern/passed-trees (or below XDG_STATE_HOME), if
everything is committed. Later runs of the same tree say so at their start.

--changed runs, in under a minute for most changes: the type check; lint and formatting of the changed files; the unit
tests that import a changed file, directly or not; the integration tests that changed and the ${NEAREST} that import a changed
file through the fewest files; the journeys that changed and, after a change in web/ or tests/journeys/, the main journey. It
leaves out dead code, the statements of the specification, the promises about security, all other integration tests and
journeys, and tests that start the product as a process (tests/process, tests/crash), unless they changed themselves.`);

interface Stage {
  name: string;
  /** Whether the stage runs only if it is named on the command line. */
  onlyByName?: true;
  /** Runs the whole stage or, if given, only `files`. */
  run(files?: string[]): Promise<Outcome>;
}

/** Maximum number of flaky tests in a run that passes. */
const MAX_FLAKY = 2;

const processors = availableParallelism();

/** Stages in one row run side by side: the checks and the unit tests together keep two processors busy. */
const STAGES: Stage[][] = [
  [
    { name: 'checks', run: checks },
    { name: 'unit', run: (files) => vitest(['unit'], processors, files) },
  ],
  // Use one more worker than processors, because these tests wait for processes that they start: with two workers, two
  // processors were idle for a sixth of the measured time.
  [{ name: 'integration', run: (files) => vitest(['integration', 'crash'], processors + 1, files) }],
  [{ name: 'journeys', run: (files) => runJourneys({ folder: 'tests/journeys', shard, files, scratch }) }],
  [{ name: 'firebase', run: () => runFirebaseJourneys({ shard, scratch }), onlyByName: true }],
];

const { everything, shard, change, wanted } = readArguments();
/** Folder of the reports and of all temporary files of the tests; removed at the end. */
const scratch = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'certlantern-tests-'));
// PostgreSQL runs as another user, which must be able to enter this folder.
chmodSync(scratch, 0o755);
process.env['TMPDIR'] = scratch;
// Measured: a compile cache halves the CPU time of starting examiner threads.
Object.assign(process.env, COMPILE_CACHE);

const treeAtStart = committedTree(ROOT);
if (treeAtStart !== null && hasPassed(treeAtStart)) printLine(`This tree passed before: ${treeAtStart}`);
if (change) printLine(`Files changed since ${change.base}: ${change.files['checks']?.join(', ') || 'none'}`);
if (everything) {
  process.env['TEST_EVERYTHING'] = 'true';
  // A nightly run tests the sources instead of the bundles.
  delete process.env['BUNDLED_PROGRAMS'];
}

const shownFile = join(scratch, 'shown-ids');
writeFileSync(shownFile, '');
process.env['SHOWN_IDS'] = shownFile;

const total = emptyOutcome();

for (const row of STAGES)
  await Promise.all(
    row.filter(chosen).map(async (stage) => {
      const startedAt = Date.now();
      const outcome = await stage.run(change?.files[stage.name]);
      total.passed += outcome.passed;
      total.skipped += outcome.skipped;
      total.flaky += outcome.flaky;
      total.failures.push(...outcome.failures);
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      const flaky = outcome.flaky > 0 ? `, ${outcome.flaky} flaky` : '';
      printLine(`== ${stage.name}: ${formatCounts(outcome)}${flaky} in ${seconds} s`);
    }),
  );
// Check after a full run only that tests have shown all statements and promises. A partial run, or one with skipped tests,
// cannot cover all of them.
const wasFull = wanted.length === 0 && shard === null && !change && total.skipped === 0;
if (wasFull)
  total.failures.push(
    ...notShown('specification', readStatements()),
    ...notShown('promises about security', readPromises()),
  );
rmSync(scratch, { recursive: true, force: true });
const inCi = process.env['CI'] === 'true';
if (inCi && total.skipped > 0)
  printLine('CI=true: a skipped test counts as a failure (CONTRIBUTING.md says what each test needs).');
if (total.flaky > MAX_FLAKY)
  total.failures.push(`${total.flaky} tests passed only when they were retried; at most ${MAX_FLAKY} may`);
// If files changed during the run, they may not have been tested.
const isSameTree = treeAtStart !== null && committedTree(ROOT) === treeAtStart;
if (wasFull && total.failures.length === 0 && isSameTree && !recordPassed(treeAtStart))
  printLine('The list of trees that passed could not be written.');
if (total.flaky > 0) printLine(`${total.flaky} flaky: failed first and passed when retried`);
for (const failure of total.failures) printLine(`failed: ${failure}`);
if (change)
  printLine(
    `This was not the whole suite: run npm test before you submit. ${change.leftOut.length} more integration test files import what changed.`,
  );
printLine(formatCounts(total));
process.exit(total.failures.length > 0 || (inCi && total.skipped > 0) ? 1 : 0);

interface Arguments {
  everything: boolean;
  shard: string | null;
  change: Change | null;
  /** Names of stages; empty for all. */
  wanted: string[];
}

function readArguments(): Arguments {
  try {
    const { values, positionals } = parseArgs({
      // parseArgs knows no option with an optional value.
      args: process.argv.slice(2).map((arg) => (arg === '--changed' ? '--changed=' : arg)),
      allowPositionals: true,
      options: {
        everything: { type: 'boolean' },
        shard: { type: 'string' },
        changed: { type: 'string' },
      },
    });
    const names = STAGES.flat().map(({ name }) => name);
    const unknown = positionals.filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new Error(`No such stage: ${unknown.join(', ')}. Choose from: ${names.join(', ')}.`);
    const { everything = false, shard = null, changed } = values;
    if (shard !== null && !/^[1-9]\d*\/[1-9]\d*$/.test(shard))
      throw new Error(`--shard takes a part and a count, such as 1/4, not ${shard}.`);
    if (changed !== undefined && (positionals.length > 0 || shard !== null))
      throw new Error('--changed chooses the tests itself: leave out stages and --shard.');
    const change = changed === undefined ? null : findChange(changed || null);
    return { everything, shard, change, wanted: positionals };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(2);
  }
}

function chosen({ name, onlyByName }: Stage): boolean {
  if (change) return (change.files[name] ?? []).length > 0;
  return wanted.length === 0 ? onlyByName !== true : wanted.includes(name);
}

async function checks(files?: string[]): Promise<Outcome> {
  // The static checks cannot be sharded, so only the first shard runs them.
  if (shard !== null && !shard.startsWith('1/')) return emptyOutcome();
  return runStaticChecks(files);
}

function vitest(projects: string[], workers: number, files?: string[]): Promise<Outcome> {
  return runVitest({ projects, workers, shard, files, scratch });
}

/** Returns a failure for each of these statements, by id, that no executed test has verified. */
function notShown(source: string, statements: ReadonlyMap<string, string>): string[] {
  const shown = new Set(readFileSync(shownFile, 'utf8').split('\n'));
  return [...statements]
    .filter(([id]) => !shown.has(id))
    .map(([id, statement]) => `${source} › ${id}: ${statement}`);
}

/**
 * Returns a folder in memory for the databases of the tests; null if there is too little memory. Measured on ext4: PostgreSQL spent
 * 2.6 times as much CPU time on creating and dropping a database, and each transaction of SQLite waited for the disk.
 */
function memoryFolder(): string | null {
  const path = '/dev/shm';
  const gigabyte = 1024 ** 3;
  try {
    const { bavail, bsize } = statfsSync(path);
    const mounts = readFileSync('/proc/mounts', 'utf8');
    // Some tests run programs from their temporary folders.
    if (/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(mounts)) return null;
    return bavail * bsize >= 4 * gigabyte && process.availableMemory() >= 8 * gigabyte ? path : null;
  } catch {
    // Other systems have no /proc/mounts.
    return null;
  }
}
