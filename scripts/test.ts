import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { COMPILE_CACHE } from '../tests/kit/product/app.ts';
import { findBrowser } from '../tests/kit/machine/browser.ts';
import { bundlePrograms } from '../tests/kit/product/bundle-programs.ts';
import { installFirebaseEmulator } from '../tests/kit/providers/firebase-emulator.ts';
import { readStatements } from '../tests/spec/spec.ts';
import { answerHelp } from './help-option.ts';

answerHelp(`Runs every test stage, even if an earlier one failed. Prints the names of the failed tests and a count at the end.
With CI=true a skipped test counts as a failure.

  npm test                    all stages
  npm test -- unit journeys   some stages
  npm test -- --everything    all stages, and every suite that needs a database on both of them
  npm test -- --shard 1/4     a quarter of the test files of each stage; the checks run in the first quarter
  npm test -- firebase        the journeys with Firebase's emulator, which needs a large download`);

interface Outcome {
  passed: number;
  skipped: number;
  /** File and title of each failure, printed again at the end of the output. */
  failures: string[];
}
interface Stage {
  name: string;
  /** Whether the stage runs only if it is named on the command line. */
  onlyByName?: true;
  run(): Promise<Outcome>;
}

const processors = availableParallelism();
/** Folder of the reports and of all temporary files of the tests; removed at the end. */
const scratch = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'certlantern-tests-'));
// PostgreSQL runs as another user below it.
chmodSync(scratch, 0o755);
process.env['TMPDIR'] = scratch;
// Measured: starting examiner threads takes half of the CPU time with it.
Object.assign(process.env, COMPILE_CACHE);
const tool = (name: string) => join('node_modules', '.bin', name);

const STATIC_CHECKS: { name: string; command: string[] }[] = [
  { name: 'types', command: [tool('tsc'), '--noEmit', '-p', '.'] },
  { name: 'lint', command: [tool('oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'formatting', command: [tool('prettier'), '--check', '--log-level', 'warn', '.'] },
  { name: 'dead code', command: [tool('knip'), '--no-progress'] },
];

/** Stages in one row run side by side: the checks and the unit tests together keep two processors busy. */
const STAGES: Stage[][] = [
  [
    { name: 'checks', run: staticChecks },
    { name: 'unit', run: () => vitest(['unit'], processors) },
  ],
  // Use one more worker than processors, because these tests wait for processes that they start: with two workers, two
  // processors were idle for a sixth of the measured time.
  [{ name: 'integration', run: () => vitest(['integration', 'crash'], processors + 1) }],
  [{ name: 'journeys', run: () => journeys('tests/journeys') }],
  [{ name: 'firebase', run: firebaseJourneys, onlyByName: true }],
];

const { everything, shard, wanted } = readArguments();
if (everything) process.env['TEST_EVERYTHING'] = 'true';

const shownFile = join(scratch, 'shown-statements');
writeFileSync(shownFile, '');
process.env['SPEC_SHOWN'] = shownFile;

const startsPrograms = STAGES.flat().some(
  (stage) => chosen(stage) && !['checks', 'unit'].includes(stage.name),
);
if (startsPrograms) await bundlePrograms(join(scratch, 'programs'));

const total: Outcome = { passed: 0, skipped: 0, failures: [] };
for (const row of STAGES)
  await Promise.all(
    row.filter(chosen).map(async (stage) => {
      const startedAt = Date.now();
      const outcome = await stage.run();
      total.passed += outcome.passed;
      total.skipped += outcome.skipped;
      total.failures.push(...outcome.failures);
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      printLine(`== ${stage.name}: ${formatCounts(outcome)} in ${seconds} s`);
    }),
  );
// Check the statements only after a full run without skipped tests, because a partial run cannot cover all of them.
if (wanted.length === 0 && shard === null && total.skipped === 0)
  total.failures.push(...statementsNotShown());
rmSync(scratch, { recursive: true, force: true });
const inCi = process.env['CI'] === 'true';
if (inCi && total.skipped > 0)
  printLine('CI=true: a skipped test counts as a failure (CONTRIBUTING.md says what each test needs).');
for (const failure of total.failures) printLine(`failed: ${failure}`);
printLine(formatCounts(total));
process.exit(total.failures.length > 0 || (inCi && total.skipped > 0) ? 1 : 0);

function readArguments(): { everything: boolean; shard: string | null; wanted: string[] } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { everything: { type: 'boolean' }, shard: { type: 'string' } },
    });
    const names = STAGES.flat().map(({ name }) => name);
    const unknown = positionals.filter((name) => !names.includes(name));
    if (unknown.length > 0)
      throw new Error(`No such stage: ${unknown.join(', ')}. Choose from: ${names.join(', ')}.`);
    const { everything = false, shard = null } = values;
    if (shard !== null && !/^[1-9]\d*\/[1-9]\d*$/.test(shard))
      throw new Error(`--shard takes a part and a count, such as 1/4, not ${shard}.`);
    return { everything, shard, wanted: positionals };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(2);
  }
}

function chosen({ name, onlyByName }: Stage): boolean {
  return wanted.length === 0 ? onlyByName !== true : wanted.includes(name);
}

/** Returns a failure for each statement of the specification that no executed test has verified. */
function statementsNotShown(): string[] {
  const shown = new Set(readFileSync(shownFile, 'utf8').split('\n'));
  return [...readStatements()]
    .filter(([id]) => !shown.has(id))
    .map(([id, statement]) => `specification › ${id}: ${statement}`);
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
    // Only Linux has it.
    return null;
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

function formatCounts({ passed, skipped, failures }: Outcome): string {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Runs a command. Resolves to true if it exits with 0. With `quiet`, prints its output only if it fails. */
function command(
  args: string[],
  options: { quiet?: boolean; env?: Record<string, string> } = {},
): Promise<boolean> {
  const [program = '', ...rest] = args;
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      stdio: ['ignore', options.quiet ? 'pipe' : 'inherit', options.quiet ? 'pipe' : 'inherit'],
      env: { ...process.env, ...options.env },
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error) => {
      printLine(`${program}: ${error.message}`);
      resolve(false);
    });
    child.on('close', (code) => {
      if (code !== 0 && options.quiet) printLine(output);
      resolve(code === 0);
    });
  });
}

async function staticChecks(): Promise<Outcome> {
  // The static checks cannot be sharded, so only the first shard runs them.
  if (shard !== null && !shard.startsWith('1/')) return { passed: 0, skipped: 0, failures: [] };
  const results = await Promise.all(
    STATIC_CHECKS.map(async (check) => {
      const good = await command(check.command, { quiet: true });
      if (!good) printLine(`== ${check.name} failed (see above)`);
      return good ? [] : [check.name];
    }),
  );
  const failures = results.flat();
  return { passed: results.length - failures.length, skipped: 0, failures };
}

interface VitestReport {
  numPassedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    status: 'passed' | 'failed';
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

/**
 * Runs Vitest projects. Sets `workers`, because Vitest's default, processors minus one, leaves one of two processors idle.
 */
async function vitest(projects: string[], workers: number): Promise<Outcome> {
  const file = join(scratch, `${projects.join('-')}.json`);
  const good = await command([
    tool('vitest'),
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    `--maxWorkers=${workers}`,
    ...(shard === null ? [] : [`--shard=${shard}`]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  const report = readReport(file) as VitestReport | null;
  if (!report) return missingReport(`vitest ${projects.join(', ')}`);
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const titles = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    // Report the file's error message if the file failed to load, because it then has no tests.
    return status === 'failed' && titles.length === 0
      ? [`${file}: ${message}`]
      : titles.map((title) => `${file} › ${title}`);
  });
  if (!good && failures.length === 0)
    failures.push(`vitest ${projects.join(', ')}: an error outside all tests`);
  return {
    passed: report.numPassedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failures,
  };
}

/** Returns the outcome of a test runner that wrote no report. */
function missingReport(name: string): Outcome {
  return { passed: 0, skipped: 0, failures: [`${name}: ended without a report`] };
}

interface PlaywrightSuite {
  file: string;
  specs: { title: string; tests: { status: string }[] }[];
  suites?: PlaywrightSuite[];
}
interface PlaywrightReport {
  stats: { expected: number; skipped: number };
  suites: PlaywrightSuite[];
}

function failedJourneys({ file, specs, suites = [] }: PlaywrightSuite): string[] {
  const failed = specs.filter(({ tests }) =>
    tests.some(({ status }) => status === 'unexpected' || status === 'flaky'),
  );
  return [...failed.map(({ title }) => `${file} › ${title}`), ...suites.flatMap(failedJourneys)];
}

async function firebaseJourneys(): Promise<Outcome> {
  if (installFirebaseEmulator()) return journeys('tests/journeys/firebase');
  printLine('!! Firebase’s tools could not be installed: its journeys are skipped.');
  return { passed: 0, skipped: 1, failures: [] };
}

async function journeys(folder: string): Promise<Outcome> {
  const browser = findBrowser();
  if (!browser) {
    printLine('!! No Chromium was found, and none could be installed: the browser journeys are skipped.');
    return { passed: 0, skipped: 1, failures: [] };
  }
  printLine(`The journeys run in ${browser.origin}`);
  const file = join(scratch, 'journeys.json');
  const config = ['--config', join(folder, 'playwright.config.ts')];
  const part = shard === null ? [] : [`--shard=${shard}`];
  const good = await command([tool('playwright'), 'test', ...config, ...part], {
    env: {
      JOURNEY_BROWSER: browser.executablePath,
      JOURNEY_BROWSER_ENV: JSON.stringify(browser.env),
      PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    },
  });
  const report = readReport(file) as PlaywrightReport | null;
  if (!report) return missingReport('playwright');
  const { expected, skipped } = report.stats;
  const failures = report.suites.flatMap(failedJourneys);
  if (!good && failures.length === 0) failures.push('playwright: an error outside all journeys');
  return { passed: expected, skipped, failures };
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
